"""ringscope.cost.effort."""

from dataclasses import replace

import pytest

from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.effort import followed_count, message_count
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.algorithms.parameter_server import parameter_server, separate_servers
from ringscope.schedules.messages import messages


@pytest.mark.parametrize("algorithm", [*SCHEDULES, "separate_servers"])
@pytest.mark.parametrize("ranks", [2, 5, 8, 16])
@pytest.mark.parametrize("elements", [3, 1000, 1 << 22, 1 << 26])
def test_no_schedule_has_many_more_messages(algorithm: str, ranks: int, elements: int) -> None:
    if algorithm == "separate_servers":
        schedule = separate_servers(ranks, elements, 3)
    elif algorithm == "parameter_server":
        schedule = parameter_server(ranks, elements, 3)
    else:
        schedule = build(algorithm, ranks, elements)
    moving = sum(len(step) for step in messages(schedule, in_place=False))
    assert moving <= 1.1 * message_count(algorithm, ranks, elements, 3)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_chains_are_counted_with_their_segments(collective: str) -> None:
    schedule = build("ring", 8, 1 << 24, collective=collective)
    moving = sum(len(step) for step in messages(schedule, in_place=False))
    assert moving <= message_count("ring", 8, 1 << 24, collective=collective)


@pytest.mark.parametrize("algorithm", ["ring", "ring_pipelined", "tree", "double_tree"])
@pytest.mark.parametrize("elements", [1000, 1 << 24])
def test_each_channel_has_its_own(algorithm: str, elements: int) -> None:
    schedule = build(algorithm, 8, elements, [range(4), range(4, 8)], channels=4)
    moving = sum(len(step) for step in messages(schedule, in_place=False))
    assert moving <= 1.1 * message_count(algorithm, 8, elements, channels=4)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_a_chain_in_channels_costs_more_the_more_ranks_it_passes(collective: str) -> None:
    few, many = (ClusterSpec(shape=shape).topology for shape in ("8x8", "2048x8"))
    work = [followed_count("ring", topology, 1 << 28, 1, collective) for topology in (few, many)]
    assert work[0] < 1_200 and 20_000 < work[1] < 50_000
    racks = ClusterSpec(shape="2x4x8", oversubscription=4).topology
    assert followed_count("ring", racks, 1 << 28, 1, collective) == message_count(
        "ring", 64, 1 << 28, collective=collective, channels=8
    ), "its messages meet on the uplinks as they come"


def test_messages_that_share_cards_are_followed_up_to_so_many() -> None:
    """Schedules with classes cost little; beyond 100,000 messages only a bound is computed, which costs as little."""
    few, many = (ClusterSpec(shape=f"{nodes}x8").topology for nodes in (8, 16))
    every, shared, bounded = (
        followed_count("ring", where, 1 << 28, 1, "all_reduce")
        for where in (few, replace(few, nics_per_node=4, channels=4), replace(many, nics_per_node=4, channels=4))
    )
    assert every == bounded < 2_000 < shared == message_count("ring", 64, 1 << 28, channels=4)


def test_a_double_tree_of_many_ranks_costs_more_the_more_it_sends() -> None:
    large = ClusterSpec(shape="64x32x8", oversubscription=4).topology
    short, long = (followed_count("double_tree", large, elements, 1, "all_reduce") for elements in (1 << 10, 1 << 28))
    assert short < 20_000 < 150_000 < long
