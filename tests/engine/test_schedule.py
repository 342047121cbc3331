from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.algorithms import SCHEDULES, choose
from ringscope.algorithms.direct import direct
from ringscope.algorithms.naive import naive
from ringscope.algorithms.ring import ring
from ringscope.schedule import Schedule, Transfer, hubs, partition

RANKS = st.integers(1, 17)
COUNTS = st.one_of(st.integers(0, 40), st.sampled_from([97, 127, 128, 1009, 65537]))
ALGORITHMS = st.sampled_from(sorted(SCHEDULES))


def contributions(schedule: Schedule) -> list[list[Counter[int]]]:
    """Who contributed how often to each chunk of each rank, after the whole schedule; steps are simultaneous."""
    held = [[Counter({rank: 1}) for _ in schedule.chunks] for rank in range(schedule.ranks)]
    for step in schedule.steps:
        before = [[Counter(chunk) for chunk in rank] for rank in held]
        for t in step:
            sent = before[t.src][t.chunk]
            held[t.dst][t.chunk] = held[t.dst][t.chunk] + sent if t.reduce else sent
    return held


@given(ALGORITHMS, RANKS, COUNTS)
def test_every_rank_ends_with_every_contribution_exactly_once(algorithm, ranks, count):
    schedule = SCHEDULES[algorithm](ranks, count)
    everyone = Counter(range(ranks))
    assert all(chunk == everyone for rank in contributions(schedule) for chunk in rank)


@given(ALGORITHMS, RANKS, COUNTS)
def test_chunks_cover_the_buffer_in_order(algorithm, ranks, count):
    schedule = SCHEDULES[algorithm](ranks, count)
    position = 0
    for chunk in schedule.chunks:
        assert chunk.offset == position
        position += chunk.length
    assert position == count == schedule.length


@given(ALGORITHMS, RANKS, COUNTS)
def test_transfers_of_a_step_do_not_conflict(algorithm, ranks, count):
    for number, step in enumerate(SCHEDULES[algorithm](ranks, count).steps):
        written = [(t.dst, t.chunk) for t in step]
        assert len(set(written)) == len(written)
        assert not set(written) & {(t.src, t.chunk) for t in step}
        assert all(t.step == number and t.src != t.dst for t in step)


@given(st.sampled_from(["ring", "direct"]), RANKS, st.integers(0, 500))
def test_ring_and_direct_send_the_least_possible(algorithm, ranks, per_rank):
    schedule = SCHEDULES[algorithm](ranks, per_rank * ranks)
    assert schedule.elements_sent() == [2 * (ranks - 1) * per_rank] * ranks


@given(st.sampled_from(["ring", "direct"]), RANKS, COUNTS)
def test_uneven_chunks_cost_at_most_one_element_per_message(algorithm, ranks, count):
    sent = SCHEDULES[algorithm](ranks, count).elements_sent()
    assert sum(sent) == 2 * (ranks - 1) * count
    assert max(sent) <= 2 * (ranks - 1) * -(-count // ranks)


@given(RANKS, COUNTS)
def test_naive_loads_the_root(ranks, count):
    assert naive(ranks, count).elements_sent() == [(ranks - 1) * count] + [count] * (ranks - 1)


@given(st.integers(2, 17), st.integers(1, 100))
def test_step_counts(ranks, count):
    assert len(ring(ranks, count).steps) == len(direct(ranks, count).steps) == 2 * (ranks - 1)


@given(st.integers(0, 10_000), st.integers(1, 64))
def test_partition_gives_the_first_chunks_the_rest(count, parts):
    lengths = [chunk.length for chunk in partition(count, parts)]
    assert lengths == sorted(lengths, reverse=True)
    assert max(lengths) - min(lengths) <= 1
    assert sum(lengths) == count


@given(st.integers(2, 17), st.integers(20, 100))
def test_direct_and_naive_have_hubs(ranks, count):
    found = hubs(direct(ranks, count))
    assert [hub.rank for hub in found] == list(range(ranks))
    assert all(sorted(hub.sources) == sorted(hub.destinations) for hub in found)
    assert [(hub.rank, hub.sources) for hub in hubs(naive(ranks, count))] == [(0, tuple(range(1, ranks)))]


@given(st.integers(3, 17), st.integers(20, 100))
def test_a_ring_of_three_or_more_has_no_hub(ranks, count):
    assert hubs(ring(ranks, count)) is None


def test_a_schedule_that_writes_before_it_reads_has_no_hub():
    late = Schedule(
        3,
        partition(4, 1),
        ((Transfer("x", 0, 0, 0, 1, reduce=False),), (Transfer("x", 1, 0, 2, 0, reduce=True),)),
    )
    assert hubs(late) is None


@pytest.mark.parametrize(
    ("transport", "size_bytes", "algorithm"),
    [("mpi", 8, "mpi"), ("mpi", 1 << 20, "ring"), ("shared_memory", 8, "mpi"), ("shared_memory", 1 << 20, "direct")],
)
def test_auto_chooses_by_size_and_transport(transport, size_bytes, algorithm):
    assert choose(transport, size_bytes) == algorithm
