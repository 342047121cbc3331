"""Prices by classes of equal ranks: those of the step-by-step simulation, wherever both run, and far beyond."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.topology import Link, Topology
from ringscope.cost.classes import FOLDED, by_classes
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import build

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


@examples(100)
@given(st.sampled_from(sorted(FOLDED)), topologies(), st.integers(1, 40))
def test_they_are_those_of_the_simulation(named: tuple[str, str], topology: Topology, per_chunk: int) -> None:
    """Of buffers that every algorithm cuts into equal chunks: into p, twice as many, or a power of two."""
    collective, algorithm = named
    count = per_chunk * 2 * topology.ranks * topology.rails << (topology.ranks.bit_length() - 1)
    found = by_classes(collective, algorithm, count, 4, topology)
    if found is None:
        return
    schedule = build(algorithm, topology.ranks, count, topology.nodes, collective, channels=topology.rails)
    timeline = simulate(schedule, 4, topology)
    assert found.seconds == pytest.approx(timeline.seconds, rel=1e-9)
    assert found.phase_ends_s == pytest.approx(timeline.phase_ends_s(), rel=1e-9)
    assert list(found.phase_ends_s) == list(timeline.phase_ends_s())
    assert (found.steps, found.sent_bytes) == (len(timeline.schedule.steps), timeline.most_sent_bytes)


# 2,048 nodes of 8 in 64 racks whose uplinks are oversubscribed 4:1.
LARGE = ClusterSpec(shape="64x32x8", link="ib400", oversubscription=4, reduce_gb_per_s=200).topology


@pytest.mark.parametrize("named", sorted(FOLDED.keys() - {(c, "direct") for c, _ in FOLDED}))
def test_many_ranks_are_priced(named: tuple[str, str]) -> None:
    found = by_classes(*named, 1 << 28, 4, LARGE)
    assert found is not None
    assert found.steps >= 14


def test_a_ring_takes_as_long_a_step_on_many_racks_as_on_few() -> None:
    """What its last ranks add to the end is the same; in between each step costs what the slowest of them does."""

    def seconds(racks: int) -> float:
        topology = ClusterSpec(shape=f"{racks}x2x8", link="ib400", oversubscription=4, reduce_gb_per_s=200).topology
        found = by_classes("all_reduce", "ring", 4096 * topology.ranks, 4, topology)
        assert found is not None
        return found.seconds

    assert seconds(1024) - seconds(1000) == pytest.approx(24 * (seconds(7) - seconds(6)), rel=1e-9)


def test_messages_that_share_a_link_at_other_times_are_left_to_the_simulation() -> None:
    assert by_classes("all_reduce", "direct", 1 << 28, 4, LARGE) is None
    assert by_classes("all_reduce", "double_tree", 1 << 28, 4, LARGE) is None


def test_other_buffers_count_as_if_they_were_filled_up() -> None:
    times = [by_classes("all_reduce", "ring", count, 4, LARGE) for count in (16_384 * 3 - 16_383, 16_384 * 3)]
    assert times[0] == times[1]
