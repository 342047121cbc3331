"""Channels: every schedule that goes in several, over any nodes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples
from tests.schedules.test_schedule import COUNTS, NODES, assert_everyone_has_everything, contributions

from ringscope.contracts.words.collectives import IN_CHANNELS, SCHEDULED
from ringscope.schedules.algorithms import build, channels_of
from ringscope.schedules.schedule import partition

SUMMING = sorted(name for collective, name in IN_CHANNELS if collective == "all_reduce")
GROUPS = NODES.map(lambda nodes: [list(node) for node in nodes])


@st.composite
def places(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Nodes, and how many channels they can have."""
    nodes = draw(GROUPS)
    return nodes, draw(st.integers(1, min(map(len, nodes))))


@given(st.sampled_from(SUMMING), places(), COUNTS)
def test_every_rank_ends_with_every_contribution_exactly_once(algorithm, place, count):
    nodes, channels = place
    schedule = build(algorithm, sum(map(len, nodes)), count, nodes, channels=channels)
    assert_everyone_has_everything(schedule)
    assert schedule.length == count
    for number, step in enumerate(schedule.steps):
        written = [(t.dst, t.target) for t in step]
        assert len(set(written)) == len(written)
        assert all(t.step == number and t.src != t.dst for t in step)
    ends = [0, *(chunk.offset + chunk.length for chunk in schedule.chunks)]
    assert [chunk.offset for chunk in schedule.chunks] == ends[:-1], "they cover the buffer in order"


@given(places(), COUNTS)
def test_what_belongs_to_a_rank_comes_to_it_and_from_it(place, count):
    nodes, channels = place
    ranks = sum(map(len, nodes))
    scattered = build("ring", ranks, count, nodes, "reduce_scatter", channels=channels)
    gathered = build("ring", ranks, count, nodes, "all_gather", channels=channels)
    sums, copies = contributions(scattered), contributions(gathered)
    for rank, part in enumerate(partition(count, ranks)):
        pieces = [scattered.chunks[i] for i in range(rank * channels, (rank + 1) * channels)]
        assert (pieces[0].offset, sum(piece.length for piece in pieces)) == part
    for rank in range(ranks):
        for i, chunk in enumerate(scattered.chunks):
            if chunk.length:
                owner = i // channels
                assert scattered.is_output(rank, i) == (owner == rank)
                assert owner != rank or sums[rank][i] == Counter(range(ranks))
                assert copies[rank][i] == Counter({owner: 1})


@given(st.sampled_from(["ring", "ring_pipelined"]), places(), st.integers(1, 20))
def test_rings_send_the_least_possible(algorithm, place, per_chunk):
    nodes, channels = place
    ranks = sum(map(len, nodes))
    sent = build(algorithm, ranks, 2 * ranks * channels * per_chunk, nodes, channels=channels).elements_sent()
    assert sent == [4 * (ranks - 1) * channels * per_chunk] * ranks


@examples(50)
@given(st.integers(2, 4), st.integers(2, 6), st.data())
def test_each_channel_of_a_ring_leaves_every_node_by_another_rank_and_enters_it_by_another(nodes, each, data):
    channels = data.draw(st.integers(2, each))
    ranks = nodes * each
    where = [range(node * each, (node + 1) * each) for node in range(nodes)]
    schedule = build("ring", ranks, ranks * channels, where, channels=channels)
    left, entered = Counter(), Counter()
    for t in schedule.transfers():
        if t.src // each != t.dst // each:
            left[t.src] += 1
            entered[t.dst] += 1
    for found in (left, entered):
        assert set(found.values()) == {2 * (ranks - 1)}
        assert all(len([rank for rank in node if rank in found]) == channels for node in where)


@given(st.sampled_from(["broadcast", "reduce"]), places(), COUNTS, st.data())
def test_a_chain_carries_all_from_its_root_or_to_it(collective, place, count, data):
    nodes, channels = place
    ranks = sum(map(len, nodes))
    root = data.draw(st.integers(0, ranks - 1))
    schedule = build("ring", ranks, count, nodes, collective, root, channels)
    wanted = Counter([root]) if collective == "broadcast" else Counter(range(ranks))
    held = contributions(schedule)
    for rank in range(ranks):
        for i, chunk in enumerate(schedule.chunks):
            is_asked = collective == "broadcast" or rank == root
            assert schedule.is_output(rank, i) == is_asked
            assert not is_asked or not chunk.length or held[rank][i] == wanted
    assert sum(schedule.elements_sent()) == (ranks - 1) * count, "each element goes once to each"


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
@pytest.mark.parametrize("root", [0, 3, 6])
def test_each_channel_of_a_chain_takes_another_card(collective, root):
    where = [range(4), range(4, 8), range(8, 12)]
    schedule = build("ring", 12, 4 << 20, where, collective, root, channels=4)
    by_card = Counter()
    for t in schedule.transfers():
        if t.src // 4 != t.dst // 4:
            by_card["out", t.src] += schedule.chunks[t.chunk].length
            by_card["in", t.dst] += schedule.chunks[t.chunk].length
    assert set(by_card.values()) == {1 << 20}, "none carries more than a channel"


@pytest.mark.parametrize(("collective", "algorithm"), [(c, a) for c, names in SCHEDULED.items() for a in names])
def test_one_channel_is_the_schedule_itself(collective, algorithm):
    where = [[0, 1], [2, 3]]
    plain = build(algorithm, 4, 64, where, collective)
    assert build(algorithm, 4, 64, where, collective, channels=1) == plain
    if channels_of(collective, algorithm, 2) == 1:
        assert build(algorithm, 4, 64, where, collective, channels=2) == plain


@pytest.mark.parametrize("channels", [0, 3])
def test_no_more_channels_than_ranks_of_a_node(channels):
    with pytest.raises(ValueError, match=rf"channels: {channels} cannot each leave a node of 2 .*; give 1 to 2\."):
        build("ring", 5, 10, [[0, 1, 2], [3, 4]], channels=channels)
