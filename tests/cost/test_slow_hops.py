"""The diagnosis names slow hops and the node that slow hops share, and names no healthy node."""

import pytest
from tests.cost.recorded import recorded_operations

from ringscope.cost.traces.slow_hops import FEW_MESSAGES, MIN_NS, hop_times, sentences, slow_links
from ringscope.cost.traces.wire_times import HopSample

RING = [(f"h{i}", f"h{i % 8 + 1}") for i in range(1, 9)]


def samples(slow: set[tuple[str, str]], ratio: float = 5.0, count: int = FEW_MESSAGES, error_ns: int | None = 0):
    return [
        HopSample(hop, 1 << 20, 50_000_000 if hop in slow else 10_000_000, ratio if hop in slow else 1.0, error_ns)
        for hop in RING
        for _ in range(count)
    ]


def named(*hops: tuple[str, str], **options) -> tuple[list[str], list[tuple[str, str]]]:
    found = slow_links(hop_times(samples(set(hops), **options)))
    return list(found.nodes), [hop.hop for hop in found.hops]


@pytest.mark.parametrize("operation", range(4))
def test_the_recorded_operations_name_the_slow_host_and_no_other(operation: int) -> None:
    found = recorded_operations()[operation]
    (sentence,) = found.slow_links
    assert sentence.startswith("The link of node h5 is slow: in ring at ")
    assert [(hop.src, hop.dst) for hop in found.hops if hop.is_slow] == [("h4", "h5"), ("h5", "h6")]


def test_two_slow_hops_name_the_node_that_they_share_and_one_names_none() -> None:
    assert named(("h4", "h5"), ("h5", "h6")) == (["h5"], [])
    assert named(("h5", "h6")) == ([], [("h5", "h6")])
    assert named(("h1", "h2"), ("h5", "h6")) == ([], [("h1", "h2"), ("h5", "h6")])
    assert named() == ([], [])


def test_a_node_of_many_hops_is_named_by_one_direction_alone() -> None:
    nodes = "abcde"
    every = [(x, y) for x in nodes for y in nodes if x != y]
    told = [HopSample(hop, 1, 50_000_000, 5.0 if hop[0] == "c" else 1.0, 0) for hop in every for _ in range(5)]
    found = slow_links(hop_times(told))
    assert (list(found.nodes), found.hops) == (["c"], [])


@pytest.mark.parametrize(
    ("slow", "node"),
    [
        (["bc", "cd", "ca", "dc"], "c"),  # four of its six hops, and no other one
        (["bc", "cd", "ca", "dc", "ab"], ""),  # one without it
        (["bc", "cd", "ca"], ""),  # half of its hops
    ],
)
def test_a_node_is_named_by_most_of_its_hops_where_no_other_hop_is_slow(slow: list[str], node: str) -> None:
    every = [(x, y) for x in "abcd" for y in "abcd" if x != y]
    told = [
        HopSample(hop, 1, 50_000_000, 5.0 if "".join(hop) in slow else 1.0, 0)
        for hop in every
        for _ in range(FEW_MESSAGES)
    ]
    found = slow_links(hop_times(told))
    assert "".join(found.nodes) == node
    assert len(found.hops) == (0 if node else len(slow))


def test_a_hop_is_slow_from_twice_the_time_on_and_by_more_than_clocks_err() -> None:
    hop = ("h5", "h6")
    assert named(hop, ratio=1.9) == named(hop, ratio=2.9, count=FEW_MESSAGES - 1) == ([], [])
    assert named(hop, ratio=2.0) == named(hop, ratio=3.0, count=FEW_MESSAGES - 1) == ([], [hop])
    assert named(hop, error_ns=41_000_000) == named(hop, error_ns=None) == ([], [])
    assert slow_links(hop_times(samples({hop}), min_ns=41_000_000)).hops == []
    assert MIN_NS < 40_000_000


def test_one_message_that_was_held_up_makes_no_slow_hop() -> None:
    held_up = [HopSample(("h1", "h2"), 1 << 20, 90_000_000, 9.0, 0)]
    assert slow_links(hop_times([*samples(set()), *held_up, *held_up])).hops == []


def test_one_large_clock_error_hides_no_slow_hop() -> None:
    unsure = [HopSample(("h5", "h6"), 1 << 20, 50_000_000, 5.0, 900_000_000)]
    assert slow_links(hop_times([*samples({("h5", "h6")}), *unsure])).hops[0].hop == ("h5", "h6")
    assert slow_links(hop_times([*samples({("h5", "h6")}, error_ns=1_000_000), *unsure])).hops != []


@pytest.mark.parametrize("error_ns", [0, 5_000_000, 30_000_000])
@pytest.mark.parametrize("held_up", range(1, 4))
def test_long_messages_with_large_clock_errors_blame_no_healthy_hop(error_ns: int, held_up: int) -> None:
    # In truth the messages took 10 ms; the clocks of h2 are wrong by less than their error.
    late = [HopSample(("h1", "h2"), 1 << 20, 10_000_000 + 80_000_000, 9.0, 80_000_000)] * held_up
    assert slow_links(hop_times([*samples(set(), error_ns=error_ns), *late])).hops == []
    only = [sample for sample in samples(set(), error_ns=error_ns) if sample.hop != ("h1", "h2")]
    assert slow_links(hop_times([*only, *late])).hops == []


def test_the_sentence_of_a_hop_says_that_either_end_may_be_the_cause() -> None:
    links = slow_links(hop_times(samples({("h5", "h6")})))
    assert sentences(links, "ring at 1 MiB") == [
        "The hop from node h5 to node h6 is slow: in ring at 1 MiB a message was on the wire for 50 ms, 5 times as "
        "long as on the quick hops; either end may be the cause."
    ]
