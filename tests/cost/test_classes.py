"""Prices by classes of equal ranks: those of the step-by-step simulation where they are exact, else bounds of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.collectives import ROOTED, SCHEDULED
from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.classes import FOLDED, by_classes
from ringscope.cost.packed_trees import packed_trees
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import build, chain
from ringscope.schedules.algorithms.double_tree import SEGMENT_ELEMENTS, double_tree

GAMMAS = st.sampled_from([None, 3e9, 40e9])


@st.composite
def topologies(draw: st.DrawFn, most_ranks: int = 64) -> Topology:
    per_node = draw(st.sampled_from([1, 2, 3, 4, 8]))
    racks = draw(st.sampled_from([1, 2, 3, 4]))
    nodes = draw(st.integers(1, max(1, most_ranks // per_node // racks)))
    channels = draw(st.sampled_from([None, *range(1, per_node + 1)]))
    return Topology(
        per_node * nodes * racks,
        Link(draw(st.floats(0, 1e-4)), 1e9),
        Link(draw(st.floats(0, 1e-5)), draw(st.sampled_from([5e8, 1e9, 2e10]))),
        per_node,
        nics_per_node=draw(st.sampled_from([None, *range(1, per_node + 1)])),
        nodes_per_rack=nodes if racks > 1 else None,
        oversubscription=draw(st.sampled_from([1.0, 1.5, 4.0, 100.0])) if racks > 1 else 1.0,
        spine_latency_s=draw(st.sampled_from([0.0, 2e-6])),
        reduce_bytes_per_s=draw(GAMMAS),
        channels=channels,
    )


def even_count(named: tuple[str, str], topology: Topology, per_chunk: int) -> int:
    """Return a size that the algorithm cuts into equal chunks: into p, 2p, a power of two, or segments."""
    collective, algorithm = named
    if algorithm == "double_tree" and per_chunk % 2:
        return 2 * SEGMENT_ELEMENTS * topology.rails * (1 + per_chunk // 2 % 2)
    if algorithm == "ring" and collective in ROOTED:
        return chain.SEGMENT_ELEMENTS * topology.rails * (per_chunk * 2)
    if algorithm == "halving_doubling":  # long chunks are equal if they begin at multiples of 16 elements
        return per_chunk * 16 * topology.ranks << (topology.ranks.bit_length() - 1)
    return per_chunk * 2 * topology.ranks * topology.rails << (topology.ranks.bit_length() - 1)


@examples(100)
@given(st.sampled_from(sorted(FOLDED)), topologies(), st.integers(1, 40))
def test_they_are_those_of_the_simulation_or_bound_them(
    named: tuple[str, str], topology: Topology, per_chunk: int
) -> None:
    collective, algorithm = named
    count = even_count(named, topology, per_chunk)
    found = by_classes(collective, algorithm, count, 4, topology)
    if found is None:
        assert topology.ranks == 1
        return
    schedule = build(algorithm, topology.ranks, count, topology.nodes, collective, channels=topology.rails)
    timeline = simulate(schedule, 4, topology)
    if found.is_bound:
        assert topology.shares_links
        assert found.seconds >= timeline.seconds * (1 - 1e-9)
    else:
        assert found.seconds == pytest.approx(timeline.seconds, rel=1e-9)
        assert found.phase_ends_s == pytest.approx(timeline.phase_ends_s(), rel=1e-9)
    assert list(found.phase_ends_s) == list(timeline.phase_ends_s())
    assert (found.steps, found.sent_bytes) == (len(timeline.schedule.steps), timeline.most_sent_bytes)


@pytest.mark.parametrize(
    ("named", "topology"),
    [
        (("all_reduce", "double_tree"), Topology(24, Link(1e-6, 1e9), Link(1e-6, 2e10), 4, reduce_bytes_per_s=3e9)),
        (("alltoall", "direct"), Topology(33, Link(1e-6, 1e9), Link(1e-6, 2e10), 3)),
        (("broadcast", "ring"), Topology(40, Link(1e-6, 1e9), Link(2e-6, 5e8), 4, nics_per_node=1)),
        (("reduce", "ring"), Topology(40, Link(1e-6, 1e9), Link(2e-6, 5e8), 4, reduce_bytes_per_s=4e8)),
        (("sendrecv", "ring"), Topology(40, Link(1e-6, 1e9), Link(1e-6, 2e10), 4)),
    ],
    ids=str,
)
def test_what_was_left_to_the_simulation_is_folded_exactly(named: tuple[str, str], topology: Topology) -> None:
    count = even_count(named, topology, 5)
    found = by_classes(*named, count, 4, topology)
    assert found is not None and not found.is_bound
    schedule = build(named[1], topology.ranks, count, topology.nodes, named[0], channels=topology.rails)
    assert found.seconds == pytest.approx(simulate(schedule, 4, topology).seconds, rel=1e-9)


@pytest.mark.parametrize("ranks", [2, 3, 6, 13, 16])
@pytest.mark.parametrize("segments", [1, 5])
def test_trees_are_packed_into_the_steps_of_their_schedule(ranks: int, segments: int) -> None:
    schedule = double_tree(ranks, 2 * SEGMENT_ELEMENTS * segments)
    packed = packed_trees(ranks, segments)
    src, dst, is_sum = packed.edges
    steps = [sorted(zip(src[edges], dst[edges], chunk, is_sum[edges], strict=True)) for edges, chunk in packed.steps]
    assert steps == [sorted((t.src, t.dst, t.chunk, t.reduce) for t in step) for step in schedule.steps]


# 256 and 2,048 nodes of 8, in racks whose uplinks are oversubscribed 4:1.
MANY, LARGE = (
    ClusterSpec(shape=f"{racks}x32x8", link="ib400", oversubscription=4, reduce_gb_per_s=200).topology
    for racks in (8, 64)
)


@pytest.mark.parametrize("named", sorted(FOLDED))
@pytest.mark.parametrize("topology", [MANY, pytest.param(LARGE, marks=pytest.mark.long)], ids=["many", "large"])
def test_many_ranks_are_priced(topology: Topology, named: tuple[str, str]) -> None:
    found = by_classes(*named, 1 << 20, 4, topology)
    assert found is not None
    assert found.steps >= (1 if named[0] == "sendrecv" else math.log2(topology.ranks))


def test_a_ring_takes_as_long_a_step_on_many_racks_as_on_few() -> None:
    """The last ranks add the same time at any size; in between, each step costs what the slowest rank needs."""

    def seconds(racks: int) -> float:
        topology = ClusterSpec(shape=f"{racks}x2x8", link="ib400", oversubscription=4, reduce_gb_per_s=200).topology
        found = by_classes("all_reduce", "ring", 4096 * topology.ranks, 4, topology)
        assert found is not None
        return found.seconds

    assert seconds(1024) - seconds(1000) == pytest.approx(24 * (seconds(7) - seconds(6)), rel=1e-9)


def test_every_algorithm_has_classes() -> None:
    scheduled = {(collective, name) for collective, names in SCHEDULED.items() for name in names}
    assert FOLDED.keys() == scheduled, "describe it as rounds in FOLDED of cost/classes.py"


def test_messages_that_share_a_link_at_other_times_are_bounded_by_its_work() -> None:
    """Each rack sends 63/64 of 256 buffers twice, over uplinks as fast as 64 cards; each step waits α."""
    found = by_classes("all_reduce", "direct", 1 << 28, 4, LARGE)
    assert found is not None and found.is_bound
    busy_s = 2 * 256 * 63 / 64 * (1 << 30) / (64 * 50e9)
    assert busy_s < found.seconds < 1.1 * (busy_s + found.steps * LARGE.inter.latency_s)


def test_a_link_that_few_use_is_not_shared() -> None:
    """A binomial tree leaves a node of 4 by few of its ranks: one card between them is no bound, but exact."""
    topology = Topology(64, Link(1e-6, 1e9), Link(1e-6, 1e10), 4, nics_per_node=2, channels=1)
    found = by_classes("reduce", "tree", 1 << 16, 4, topology)
    assert found is not None and not found.is_bound


def test_other_buffers_count_as_if_they_were_filled_up() -> None:
    times = [by_classes("all_reduce", "ring", count, 4, LARGE) for count in (16_384 * 3 - 16_383, 16_384 * 3)]
    assert times[0] == times[1]
