"""Schedules on a transport's links: what ranks of one node wait for beside messages."""

import pytest

from ringscope.choice.links import CallTime, seconds_on
from ringscope.contracts.words.topology import Link, Topology, flat
from ringscope.cost.core_time import Cores

LINK = Link(1.4e-6, 2e10)


def links(ranks: int) -> Topology:
    return flat(ranks, LINK, 2e10)


def time_s(algorithm: str, ranks: int, size_bytes: int, cores: Cores) -> float:
    nodes = [list(range(ranks))]
    found = seconds_on(lambda _: links(ranks), "all_reduce", algorithm, size_bytes // 4, 4, nodes, cores)
    assert isinstance(found, CallTime)
    return found.seconds


@pytest.mark.parametrize("size_bytes", [4096, 1 << 22])
@pytest.mark.parametrize("algorithm", ["direct", "naive", "parameter_server"])
def test_hubs_wait_twice_on_however_many_ranks(algorithm: str, size_bytes: int) -> None:
    alone = Cores(1, 1e-6, is_shared_memory=True)
    few, more, many = (time_s(algorithm, ranks, size_bytes, alone) for ranks in (32, 33, 128))
    assert few < more < 1.1 * few
    assert more < many < 5 * more


@pytest.mark.parametrize("is_shared_memory", [True, False])
@pytest.mark.parametrize("algorithm", ["ring", "tree", "double_tree", "direct"])
def test_ranks_that_share_cores_take_turns_on_however_many_ranks(algorithm: str, is_shared_memory: bool) -> None:
    crowd = Cores(4, 1e-6, is_shared_memory)
    few, more = (time_s(algorithm, ranks, 1 << 20, crowd) for ranks in (32, 33))
    assert 0.9 < more / few < 1.25
