"""A call's core time: hubs wait twice whatever their number, and the work of ranks that share a core adds up."""

import pytest

from ringscope.contracts.words.topology import Link
from ringscope.cost.core_time import Cores, crowded_seconds, hub_seconds
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule, hubs

RANKS, COUNT = 4, 4000
SIZE_BYTES = 4 * COUNT
LINK = Link(latency_s=1e-6, bytes_per_s=1e10)
ADD_S_PER_BYTE = 2e-10


def schedule(algorithm: str) -> Schedule:
    return build(algorithm, RANKS, COUNT, [list(range(RANKS))])


def by_hubs(algorithm: str, ranks_each: float, call_s: float = 0.0) -> float:
    made = schedule(algorithm)
    found = hubs(made)
    assert found is not None
    return hub_seconds(made, found, 4, LINK, ADD_S_PER_BYTE, Cores(ranks_each, call_s, is_shared_memory=True))


@pytest.mark.parametrize(("algorithm", "chunk_bytes"), [("naive", SIZE_BYTES), ("direct", SIZE_BYTES / RANKS)])
def test_a_hub_adds_and_writes_what_it_has_between_two_waits(algorithm: str, chunk_bytes: float) -> None:
    work_s = 3 * chunk_bytes * (ADD_S_PER_BYTE + 1 / LINK.bytes_per_s)
    assert by_hubs(algorithm, 1.0) == pytest.approx(2 * LINK.latency_s + work_s)


def test_hubs_that_share_a_core_do_not_work_at_the_same_time() -> None:
    # Whose times of bytes are of ranks that share a core: an all-reduce with one hub has the core to itself.
    work_s = 3 * SIZE_BYTES * (ADD_S_PER_BYTE + 1 / LINK.bytes_per_s)
    assert by_hubs("naive", 4.0) == pytest.approx(2 * LINK.latency_s + work_s / 4)
    assert by_hubs("direct", 4.0) == pytest.approx(2 * LINK.latency_s + work_s / 4)


def test_many_small_additions_cost_more_than_few() -> None:
    assert by_hubs("direct", 4.0, call_s=1e-6) > by_hubs("naive", 4.0, call_s=1e-6)


def test_of_a_crowd_every_step_is_a_turn_and_all_work_is_one_after_another() -> None:
    made = schedule("ring")
    moved_bytes = 2 * (RANKS - 1) / RANKS * SIZE_BYTES
    work_s = moved_bytes / LINK.bytes_per_s + moved_bytes / 2 * ADD_S_PER_BYTE
    found = crowded_seconds(made, 4, LINK, ADD_S_PER_BYTE, Cores(2.0, 0.0, is_shared_memory=False))
    assert found == pytest.approx(2 * (RANKS - 1) * LINK.latency_s + work_s)
