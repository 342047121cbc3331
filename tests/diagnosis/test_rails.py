"""Verdicts on nodes with several rails: a slow rail, a node that is slow on all of them, rails that differ."""

from collections.abc import Callable
from itertools import combinations

import pytest

from ringscope.bench.pairs.plane import Place, Plane, next_plane, planes_of, verdict_on
from ringscope.contracts.diagnosis.earlier import Baseline, Earlier, KnownPair
from ringscope.contracts.diagnosis.record import WayRate
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.diagnosis.answers import Answer, Rate, Round
from ringscope.diagnosis.verdict import Verdict

FINE, SLOW = Rate(0.98, 1.02, 0.03), Rate(0.49, 0.51, 0.03)
Share = Callable[[str, str, int], Rate]


def planes(nodes: int, rails: int, measure: str = "cause", earlier: Earlier | None = None) -> list[Plane]:
    places = [Place(f"h{node}") for node in range(nodes) for _ in range(rails)]
    spec = DiagnosisSpec.model_validate({"measure": measure, "per": "rail"})
    return planes_of(spec, places, earlier or Earlier())


def ended(found: list[Plane], rate: Share) -> tuple[Verdict, list[tuple[int, Round]]]:
    rounds: list[tuple[int, Round]] = []
    while (plane := next_plane(found)) is not None:
        asked, rail = plane.step, plane.rail
        assert isinstance(asked, Round) and rail is not None
        rounds.append((rail, asked))
        nodes = [[name.split()[0] for name in pair] for pair in asked.pairs]
        answers = [
            Answer(pair, rate(first, second, rail), rate(second, first, rail), rail=rail)
            for pair, (first, second) in zip(asked.pairs, nodes, strict=True)
        ]
        plane.hear(asked, answers)
    return verdict_on(found), rounds


@pytest.mark.parametrize(("nodes", "rails"), [(2, 2), (5, 3), (8, 4)])
def test_two_nodes_meet_once_on_each_rail_and_a_node_has_one_pair_at_a_time(nodes: int, rails: int) -> None:
    verdict, rounds = ended(planes(nodes, rails, "links"), lambda *_: FINE)
    assert len(rounds) == verdict.rounds == rails * (nodes - 1 + nodes % 2)
    met: list[tuple[int, frozenset[str]]] = []
    for rail, asked in rounds:
        ends = [name for pair in asked.pairs for name in pair]
        assert len(ends) == len(set(ends)) and {name.split()[1:][1] for name in ends} == {str(rail)}
        met += [(rail, frozenset(name.split()[0] for name in pair)) for pair in asked.pairs]
    names = [f"h{node}" for node in range(nodes)]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    assert len(met) == len(set(met)) and set(met) == {(rail, pair) for rail in range(rails) for pair in pairs}
    assert [rail for rail, _ in rounds[: 2 * rails]] == [*range(rails)] * min(2, len(rounds) // rails)
    assert verdict.sentences == (
        f"Nothing is wrong: on each of {rails} rails all {nodes} nodes reach what most of them reach.",
    )


def test_a_node_that_is_slow_on_one_rail_is_named_with_this_rail() -> None:
    verdict, _ = ended(planes(6, 4), lambda a, b, rail: SLOW if rail == 2 and "h3" in (a, b) else FINE)
    (blamed,) = verdict.blamed
    assert verdict.decided and (blamed.kind, blamed.names, blamed.rail) == ("node", ("h3",), 2)
    assert blamed.sentence.startswith("h3 rail 2 reaches 50% of what others reach with h")
    assert {answer.rail for answer in blamed.evidence} == {2}
    assert all("h3" in answer.pair for answer in blamed.evidence)
    assert "h3" not in verdict.cleared and verdict.cleared


def test_a_link_that_is_slow_on_one_rail_is_named_with_this_rail() -> None:
    verdict, _ = ended(planes(6, 2), lambda a, b, rail: SLOW if rail == 1 and {a, b} == {"h2", "h3"} else FINE)
    (blamed,) = verdict.blamed
    assert (blamed.kind, set(blamed.names), blamed.rail) == ("link", {"h2", "h3"}, 1)
    assert "between h2 rail 1 and h3 rail 1" in blamed.sentence


def test_a_node_that_is_slow_on_all_rails_is_named_as_a_node() -> None:
    verdict, _ = ended(planes(6, 3), lambda a, b, rail: SLOW if "h3" in (a, b) else FINE)
    (blamed,) = verdict.blamed
    assert (blamed.kind, blamed.names, blamed.rail) == ("node", ("h3",), None)
    assert blamed.sentence.startswith("h3 is bad on all 3 rails. h3 rail 0 reaches 50% of what others reach")
    assert {answer.rail for answer in blamed.evidence} == {0, 1, 2} and verdict.sentences.count(blamed.sentence) == 1


def test_a_rail_that_is_slower_on_all_nodes_is_told_and_no_node_is_blamed() -> None:
    verdict, _ = ended(planes(2, 2, "links"), lambda a, b, rail: SLOW if rail == 1 else FINE)
    assert verdict.decided and not verdict.blamed
    assert verdict.sentences == ("Rail 1 reaches 50% of what rail 0 reaches, on most nodes.",)


def test_what_is_known_of_a_rail_counts_for_it_alone() -> None:
    rate = WayRate(low=1.96, high=2.04, spread=0.01, messages=12)
    baselines = [Baseline(source="h1", destination="h2", rail=1, low=1.96, high=2.04)]
    pairs = [KnownPair(nodes=["h0", "h1"], rail=0, round=0, there=rate, back=rate)]
    pairs.append(KnownPair(nodes=["h0", "h2"], round=1, ending="hung"))
    found = planes(3, 2, "links", Earlier(pairs=pairs, baselines=baselines))
    assert [len(plane.belief.heard) for plane in found] == [2, 1], "a cut link of the nodes counts for both rails"
    assert [list(plane.belief.baselines) for plane in found] == [[], [("h1 rail 1", "h2 rail 1")]]
    whole = planes_of(
        DiagnosisSpec(), [Place(f"h{node}") for node in range(3)], Earlier(pairs=pairs, baselines=baselines)
    )
    assert [len(plane.belief.heard) for plane in whole] == [1] and not whole[0].belief.baselines
