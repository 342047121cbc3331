"""Every algorithm gives the right data over ranks in one process, and faults in it are found."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.contracts.words.collectives import REDUCING, SCHEDULED
from ringscope.contracts.words.dtypes import DTYPES, ops_of
from ringscope.engine.base import Buffer
from ringscope.engine.errors import StalledError
from ringscope.engine.transports.virtual import Faults, VirtualTransport
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.algorithms.parameter_server import separate_servers

RANKS = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 13, 16])
PAIRS = st.sampled_from([(c, a) for c, algorithms in SCHEDULED.items() for a in algorithms])
REDUCTIONS = st.sampled_from([(dtype, op) for dtype in DTYPES for op in ops_of(dtype)])
ALGORITHMS = st.sampled_from(sorted(SCHEDULES))


@st.composite
def counts(draw: st.DrawFn, ranks: int) -> int:
    return draw(
        st.sampled_from([0, 1, ranks - 1, ranks, ranks + 1, 2 * ranks, 17, 64, 97, 127, 128, 129, 1000, 1009, 4099])
    )


def run(transport: VirtualTransport, algorithm: str, op: str, send: Buffer, recv: Buffer, *where: object) -> None:
    schedule = build(algorithm, transport.ranks, recv.local.size, None, *where)  # type: ignore[arg-type]
    transport.plan(schedule, op, send, recv).run()


def all_reduce(inputs: Sequence[np.ndarray], algorithm: str, op: str = "sum", **options: object) -> list[np.ndarray]:
    """The results of all ranks, in place."""
    transport = VirtualTransport(len(inputs), **options)  # type: ignore[arg-type]
    buffer = transport.allocate(inputs[0].nbytes).view(str(inputs[0].dtype))
    for part, values in zip(buffer.parts, inputs, strict=True):
        part[:] = values
    run(transport, algorithm, op, buffer, buffer)
    return list(buffer.parts)


@examples(400)
@given(PAIRS, RANKS, REDUCTIONS, st.booleans(), st.data())
def test_every_result_is_exact(pair, ranks, reduction, in_place, data):
    (collective, algorithm), (dtype, op) = pair, reduction
    count, root = data.draw(counts(ranks)), data.draw(st.integers(0, ranks - 1))
    count *= ranks if collective == "alltoall" else 1
    case = Case(np.dtype(dtype), op if collective in REDUCING else "none", ranks, seed=count)
    transport = VirtualTransport(ranks)
    recv = transport.allocate(count * case.dtype.itemsize).view(dtype)
    send = recv if in_place else transport.allocate(count * case.dtype.itemsize).view(dtype)
    for rank in range(ranks):
        recv.parts[rank].view(np.uint8).fill(0xA5)
        fill(send.parts[rank], case, rank)
    before = [part.tobytes() for part in send.parts]
    run(transport, algorithm, op if collective in REDUCING else "sum", send, recv, collective, root)
    for rank in range(ranks):
        assert check(recv.parts[rank], case, pieces(collective, count, ranks, rank, root)) is None
        assert in_place or send.parts[rank].tobytes() == before[rank]


@given(st.integers(1, 7), st.integers(1, 9), st.sampled_from(["sum", "prod", "min", "max"]), st.booleans(), st.data())
def test_separate_servers_are_exact(servers, workers, op, in_place, data):
    count, case = data.draw(counts(workers)), Case(np.dtype("float32"), op, workers, seed=servers)
    transport = VirtualTransport(workers + servers)
    recv = transport.allocate(count * 4).view("float32")
    send = recv if in_place else transport.allocate(count * 4).view("float32")
    for rank, part in enumerate(send.parts):
        part.fill(np.nan)  # what a server holds must not matter
        if rank < workers:
            fill(part, case, rank)
    transport.plan(separate_servers(workers, count, servers), op, send, recv).run()
    for result in recv.parts[:workers]:
        assert check(result, case, pieces("all_reduce", count, workers, 0, 0)) is None


@pytest.mark.parametrize("algorithm", SCHEDULES)
@pytest.mark.parametrize("count", [65_537, (1 << 20) + 1])
def test_long_buffers_in_many_segments(algorithm, count):
    case = Case(np.dtype("int32"), "sum", 3, 1)
    inputs = [np.empty(count, "int32") for _ in range(3)]
    for rank, values in enumerate(inputs):
        fill(values, case, rank)
    for result in all_reduce(inputs, algorithm):
        assert check(result, case, pieces("all_reduce", count, 3, 0, 0)) is None


@given(ALGORITHMS, st.integers(2, 9), st.sampled_from([d for d in DTYPES if "int" not in d]))
def test_cancellation_leaves_all_ranks_with_the_same_bits(algorithm, ranks, dtype):
    """+-1e6 (3e4 in float16) on every pair of ranks, 1e-2 elsewhere: the sum depends on the order, the ranks agree."""
    large = 3e4 if dtype == "float16" else 1e6
    pairs = [(one, other) for one in range(ranks) for other in range(ranks) if one != other]
    inputs = [np.full(len(pairs), 1e-2, dtype) for _ in range(ranks)]
    for index, (one, other) in enumerate(pairs):
        inputs[one][index], inputs[other][index] = large, -large
    results = all_reduce(inputs, algorithm)
    assert len({result.tobytes() for result in results}) == 1
    assert np.isfinite(results[0].astype(np.complex128)).all()


@given(ALGORITHMS, st.integers(2, 9), REDUCTIONS, st.integers(0, 99))
def test_arbitrary_bits_give_the_same_bits_everywhere(algorithm, ranks, reduction, seed):
    dtype, op = reduction
    random = np.random.default_rng(seed)
    inputs = [np.frombuffer(random.bytes(16 * 50), dtype).copy() for _ in range(ranks)]
    results = all_reduce(inputs, algorithm, op)
    assert len({result.tobytes() for result in results}) == 1


@given(ALGORITHMS, st.integers(2, 9), st.sampled_from(["sum", "min", "max"]))
def test_special_values(algorithm, ranks, op):
    inputs = [np.zeros(4, "float32") for _ in range(ranks)]
    inputs[-1][0] = np.nan
    inputs[0][1], inputs[-1][1] = np.inf, -np.inf
    inputs[0][2] = 1e-45  # the smallest subnormal number
    for values in inputs:
        values[3] = -0.0
    for result in all_reduce(inputs, algorithm, op):
        assert np.isnan(result[0])
        assert {"sum": np.isnan(result[1]), "min": result[1] == -np.inf, "max": result[1] == np.inf}[op]
        assert result[2] == (0 if op == "min" else np.float32(1e-45))
        assert np.signbit(result[3])


def test_integer_averages_are_cut_towards_zero():
    for dtype, values, want in [("int8", [-7, 0], -3), ("int8", [7, 0], 3), ("uint8", [255, 0], 127)]:
        for result in all_reduce([np.array([value], dtype) for value in values], "ring", "avg"):
            assert result[0] == want


def test_overflow_is_infinite_and_integers_wrap_around():
    halves = [np.full(3, 60_000, "float16")] * 2
    assert np.isposinf(all_reduce(halves, "ring")[1]).all()
    assert (all_reduce([np.full(3, 100, "int8")] * 2, "ring")[0] == -56).all()


@given(ALGORITHMS, st.integers(2, 9))
def test_all_reduce_is_all_gather_after_reduce_scatter(algorithm, ranks):
    inputs = [np.arange(rank, rank + 6 * ranks, dtype="int64") for rank in range(ranks)]
    transport = VirtualTransport(ranks)
    buffer = transport.allocate(inputs[0].nbytes).view("int64")
    for part, values in zip(buffer.parts, inputs, strict=True):
        part[:] = values
    run(transport, "ring", "sum", buffer, buffer, "reduce_scatter")
    run(transport, "direct", "sum", buffer, buffer, "all_gather")
    for result, other in zip(buffer.parts, all_reduce(inputs, algorithm), strict=True):
        np.testing.assert_array_equal(result, other)


def ones(ranks: int) -> list[np.ndarray]:
    return [np.ones(12, "float32") for _ in range(ranks)]


@given(ALGORITHMS, st.integers(2, 7), st.data())
def test_a_lost_message_names_who_waits_for_whom(algorithm, ranks, data):
    sent = sorted({(t.step, t.src, t.dst) for t in build(algorithm, ranks, 12).transfers()})
    step, src, dst = data.draw(st.sampled_from(sent))
    with pytest.raises(StalledError, match=f"Rank {dst} waited 5 s for rank {src} in step {step};") as caught:
        all_reduce(ones(ranks), algorithm, faults=Faults(lost={(step, src, dst)}), timeout_seconds=5)
    assert (caught.value.rank, caught.value.peer, caught.value.where) == (dst, src, f"step {step}")


@given(ALGORITHMS, st.integers(2, 7), st.data())
def test_a_dead_rank_is_named_by_who_needs_it(algorithm, ranks, data):
    transfers = list(build(algorithm, ranks, 12).transfers())
    dead = data.draw(st.integers(0, ranks - 1))
    last = max(t.step for t in transfers if t.src == dead)
    died = data.draw(st.integers(0, last))
    with pytest.raises(StalledError) as caught:
        all_reduce(ones(ranks), algorithm, faults=Faults(dead={dead: died}))
    assert caught.value.peer == dead
    first = min(t.step for t in transfers if t.src == dead and t.step >= died)
    assert caught.value.where == f"step {first}"


def test_a_slow_link_delays_but_the_sum_is_right():
    transport = VirtualTransport(4, Faults(slow_s={(1, 2): 0.5}), timeout_seconds=2)
    buffer = transport.allocate(48).view("float32")
    for part in buffer.parts:
        part.fill(1)
    run(transport, "ring", "sum", buffer, buffer)
    assert all((part == 4).all() for part in buffer.parts)
    assert transport.clocks_s[2] == max(transport.clocks_s) >= 0.5
    with pytest.raises(StalledError, match=r"Rank 2 waited 0.25 s for rank 1 in step 0"):
        all_reduce(ones(4), "ring", faults=Faults(slow_s={(1, 2): 0.5}), timeout_seconds=0.25)
