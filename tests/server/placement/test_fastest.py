"""The choice of nodes by the measured speed of their links."""

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples
from tests.server.clusters import NOW, node, queued

from ringscope_server.placement.fastest import UNMEASURED_SHARE, explained, fastest
from ringscope_server.placement.plan import Start, plan
from ringscope_server.placement.snapshot import NodeState, Policy, Snapshot

Rates = dict[frozenset[str], float]


def rates(**given: float) -> Rates:
    """Return rates by links, written such as n1_n2=10."""
    return {frozenset(name.split("_")): rate for name, rate in given.items()}


def started(nodes: list[NodeState], known: Rates, /, **placement: Any) -> Start:
    snapshot = Snapshot(tuple(nodes), (), (queued(1, arrangement="fastest", **placement),), rates=known)
    (start,) = plan(snapshot, Policy(), NOW).starts
    return start


def test_a_node_behind_a_slow_link_is_left_out() -> None:
    known = rates(n1_n2=2, n1_n3=2, n2_n3=11)
    assert fastest(["n1", "n2", "n3"], 2, known) == ["n2", "n3"]
    start = started([node(1, 1), node(2, 1), node(3, 1)], known, ranks=2)
    assert [share.node_id for share in start.shares] == [2, 3]
    assert start.reason == (
        "The slowest measured link among n2 and n3 reaches 11 GB/s. No other free nodes have a faster slowest link."
    )


def test_without_a_measurement_it_is_said_and_placed_as_by_pack() -> None:
    start = started([node(1, 1), node(2, 1), node(3, 1)], {}, ranks=2)
    assert [share.node_id for share in start.shares] == [1, 2]
    assert start.reason == "No link among n1 and n2 was measured, so that they were chosen as by arrangement pack."


def test_an_unmeasured_link_is_worse_than_a_usual_one_and_better_than_a_slow_one() -> None:
    known = rates(n1_n2=10, n3_n4=10, n1_n3=2)
    assert fastest(["n3", "n5", "n1"], 2, known) == ["n3", "n5"], "unknown before known slow"
    assert fastest(["n1", "n5", "n2"], 2, known) == ["n1", "n2"], "known good before unknown"
    start = started([node(1, 1), node(3, 1), node(5, 1)], known, ranks=3)
    assert start.reason.startswith(
        "The slowest measured link among n1, n3 and n5 reaches 2 GB/s; 2 of their 3 links were not measured."
    )


def test_a_gang_that_fits_on_one_node_uses_no_link() -> None:
    start = started([node(1, 1), node(2, 4)], rates(n1_n2=2), ranks=3)
    assert [share.node_id for share in start.shares] == [2]
    assert start.reason == "It runs on n2 alone, within which no link is used."


def test_it_takes_no_more_nodes_than_pack_does() -> None:
    known = rates(n1_n2=2, n1_n3=9, n1_n4=9, n2_n3=9, n2_n4=9, n3_n4=9)
    nodes = [node(1, 4), node(2, 4), node(3, 2), node(4, 2)]
    start = started(nodes, known, ranks=6)
    assert [(share.node_id, len(share.slots)) for share in start.shares] == [(1, 4), (2, 2)], (
        "only both hold half of it"
    )
    start = started(nodes, known | rates(n3_n4=3), ranks=4, nodes=2)
    assert [share.node_id for share in start.shares] == [1, 3], "not the two small ones, whose link is slow"


@given(st.data())
@examples(100)
def test_the_choice_is_within_its_bound_and_near_the_best_of_all_sets(data: st.DataObject) -> None:
    names = [f"n{number}" for number in range(data.draw(st.integers(2, 7), "nodes"))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    known = {pair: data.draw(st.sampled_from([1.0, 5.0, 9.0, 10.0])) for pair in pairs}
    count = data.draw(st.integers(2, len(names)), "count")

    def slowest(chosen: Any) -> float:
        return min(known[frozenset(pair)] for pair in combinations(chosen, 2))

    chosen = fastest(names, count, known)
    assert len(set(chosen)) == count
    best = max(map(slowest, combinations(names, count)))
    told = explained(chosen, names, known)
    assert told.slowest_gb_per_s == slowest(chosen) <= best
    if count < len(names):
        assert told.bound_gb_per_s is not None
        assert told.bound_gb_per_s >= best
    if count == 2:
        assert slowest(chosen) == best


def test_of_many_nodes_the_fast_ones_are_found() -> None:
    names = [f"n{number}" for number in range(200)]
    fast = set(names[50:90])
    known = {frozenset((a, b)): 10.0 if {a, b} <= fast else 4.0 for a, b in combinations(names, 2)}
    assert set(fastest(names, 40, known)) == fast


def test_a_share_below_the_usual_rate_is_what_an_unmeasured_link_counts() -> None:
    assert 0 < UNMEASURED_SHARE < 1
    slow, usual = 0.5 * UNMEASURED_SHARE * 10, 10.0
    known = {frozenset(pair): usual for pair in combinations(["a", "b", "c", "d"], 2)} | {frozenset(("e", "f")): slow}
    assert fastest(["e", "f", "g"], 2, known) == ["e", "g"]
