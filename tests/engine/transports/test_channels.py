"""Rings and trees in channels on data, over ranks in one process."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.words.collectives import IN_CHANNELS
from ringscope.contracts.words.devices import MPI_ON_GPUS, usual_channels
from ringscope.engine.transports.virtual import VirtualTransport
from ringscope.schedules.algorithms import build

SUMMING = sorted(name for collective, name in IN_CHANNELS if collective == "all_reduce")


@given(st.sampled_from(SUMMING), st.integers(1, 3), st.integers(1, 4), st.integers(0, 200), st.booleans(), st.data())
def test_they_give_the_sum(algorithm, nodes, each, count, in_place, data):
    ranks, channels = nodes * each, data.draw(st.integers(1, each))
    where = [range(node * each, (node + 1) * each) for node in range(nodes)]
    transport = VirtualTransport(ranks)
    recv = transport.allocate(count * 8).view("int64")
    send = recv if in_place else transport.allocate(count * 8).view("int64")
    random = np.random.default_rng(ranks)
    inputs = [random.integers(-1000, 1000, count) for _ in range(ranks)]
    for part, values in zip(send.parts, inputs, strict=True):
        part[:] = values
    transport.plan(build(algorithm, ranks, count, where, channels=channels), "sum", send, recv).run()
    for result in recv.parts:
        np.testing.assert_array_equal(result, np.sum(inputs, axis=0))


@given(st.sampled_from(["broadcast", "reduce"]), st.integers(1, 3), st.integers(1, 4), st.integers(0, 200), st.data())
def test_chains_give_what_their_root_has_or_wants(collective, nodes, each, count, data):
    ranks, channels = nodes * each, data.draw(st.integers(1, each))
    root, in_place = data.draw(st.integers(0, ranks - 1)), data.draw(st.booleans())
    where = [range(node * each, (node + 1) * each) for node in range(nodes)]
    transport = VirtualTransport(ranks)
    recv = transport.allocate(count * 8).view("int64")
    send = recv if in_place else transport.allocate(count * 8).view("int64")
    inputs = [np.arange(count) * 31 + rank * 1009 for rank in range(ranks)]
    for part, values in zip(send.parts, inputs, strict=True):
        part[:] = values
    schedule = build("ring", ranks, count, where, collective, root, channels)
    transport.plan(schedule, "sum", send, recv).run()
    for rank, result in enumerate(recv.parts):
        if collective == "broadcast":
            np.testing.assert_array_equal(result, inputs[root])
        elif rank == root:
            np.testing.assert_array_equal(result, np.sum(inputs, axis=0))


@pytest.mark.parametrize(
    ("ranks_of_nodes", "transport", "channels"),
    [
        ([8, 8], "nccl", 8),
        ([8, 8], "nccl, one-device loopback", 8),
        ([4, 2], MPI_ON_GPUS, 2),
        ([8], "nccl", 1),
        ([8, 8], "mpi", 1),
        ([1, 1], "nccl", 1),
    ],
)
def test_gpus_of_several_nodes_have_a_channel_each(ranks_of_nodes, transport, channels):
    assert usual_channels(ranks_of_nodes, transport) == channels
