"""Schedules of all collectives, on symbols: an origin (rank, chunk) instead of numbers."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.words.collectives import ROOTED, SCHEDULED
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule

RANKS = st.integers(1, 17)
PAIRS = st.sampled_from([(c, a) for c, algorithms in SCHEDULED.items() for a in algorithms])


def results(schedule: Schedule) -> list[list[Counter[tuple[int, int]]]]:
    """Return the origins that make up every chunk of every rank after the whole schedule; steps are simultaneous."""
    held = [[Counter({(rank, i): 1}) for i in range(len(schedule.chunks))] for rank in range(schedule.ranks)]
    for step in schedule.steps:
        before = [list(rank) for rank in held]
        for t in step:
            sent = before[t.src][t.chunk]
            held[t.dst][t.target] = before[t.dst][t.target] + sent if t.reduce else sent
    return held


def wanted(collective: str, ranks: int, rank: int, chunk: int, root: int) -> Counter[tuple[int, int]]:
    match collective:
        case "all_gather":
            return Counter({(chunk, chunk): 1})
        case "broadcast":
            return Counter({(root, chunk): 1})
        case "alltoall":
            return Counter({(chunk, rank): 1})
        case "sendrecv":
            return Counter({((rank - 1) % ranks, chunk): 1})
    return Counter({(other, chunk): 1 for other in range(ranks)})


@given(PAIRS, RANKS, st.integers(0, 40), st.data())
def test_every_output_is_made_of_exactly_the_right_inputs(pair, ranks, share, data):
    collective, algorithm = pair
    root = data.draw(st.integers(0, ranks - 1))
    schedule = build(algorithm, ranks, share * ranks, None, collective, root)
    held = results(schedule)
    for rank in range(ranks):
        for i, chunk in enumerate(schedule.chunks):
            if chunk.length and schedule.is_output(rank, i):
                assert held[rank][i] == wanted(collective, ranks, rank, i, root)


@given(PAIRS, RANKS, st.integers(0, 40))
def test_the_parts_of_the_ranks_are_the_outputs(pair, ranks, share):
    collective, algorithm = pair
    schedule = build(algorithm, ranks, share * ranks, None, collective, 0)
    for rank in range(ranks):
        count = sum(chunk.length for i, chunk in enumerate(schedule.chunks) if schedule.is_output(rank, i))
        parts = {"reduce_scatter": share, "reduce": 0 if rank else share * ranks}
        assert count == parts.get(collective, share * ranks)


@given(PAIRS, RANKS, st.integers(0, 40))
def test_elements_sent_follow_the_formula(pair, ranks, share):
    collective, algorithm = pair
    sent = build(algorithm, ranks, share * ranks, None, collective, 0).elements_sent()
    if collective in ("reduce_scatter", "all_gather", "alltoall"):
        assert sent == [(ranks - 1) * share] * ranks
    elif collective in ROOTED:
        assert sum(sent) == (ranks - 1) * share * ranks
    elif collective == "sendrecv":
        assert sent == [share * ranks * (ranks > 1)] * ranks


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_segments_of_a_chain_follow_one_another(collective):
    schedule = build("ring", 8, 1 << 20, None, collective, 3)
    assert len(schedule.chunks) == 32
    assert len(schedule.steps) == 32 + 6, "p-2+k, as in the table of costs"


def test_parts_of_an_alltoall_are_equal():
    with pytest.raises(ValueError, match="count: 10 elements cannot be split evenly over 3 ranks; give a multiple"):
        build("direct", 3, 10, None, "alltoall")
