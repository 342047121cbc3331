"""A diagnosis on virtual ranks whose links have planted faults: rounds, rates, verdicts, silent ranks, the budget."""

from pathlib import Path

import pytest
from tests.bench.pairs.virtual_post import Network, VirtualPost, last_end, run_ranks

from ringscope.bench.pairs.job import known_before, places_of, take_part
from ringscope.bench.pairs.plane import Place
from ringscope.contracts.diagnosis.earlier import Baseline, Earlier, KnownPair
from ringscope.contracts.diagnosis.record import DiagnosisTold, DiagnosisVerdict, PairMeasured, WayRate
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.contracts.errors import UserError
from ringscope.contracts.rank_process import EARLIER_VARIABLE, NODES_VARIABLE
from ringscope.diagnosis.rounds import all_pairs
from ringscope.engine.errors import EngineError
from ringscope.engine.world_post import ranks_of_node

RATE = 16e6
SIZE = 64 << 10  # 4 ms


@pytest.fixture(autouse=True)
def _the_clock_is_that_of_the_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringscope.bench.pairs.meter.perf_counter", last_end)


def diagnosed(
    network: Network, ranks: int, earlier: Earlier | None = None, **spec: object
) -> tuple[list[PairMeasured], DiagnosisVerdict, bool]:
    told: list[DiagnosisTold] = []
    wanted = DiagnosisSpec.model_validate({"size_bytes": SIZE, "timeout_seconds": 1} | spec)
    places = [Place(f"h{rank + 1}") for rank in range(ranks)]

    def part(post: VirtualPost) -> bool:
        return take_part(post, wanted, places, told.append, lambda: None, earlier)

    is_clean = run_ranks(network, ranks, part)
    *pairs, verdict = told
    assert isinstance(verdict, DiagnosisVerdict)
    return [pair for pair in pairs if isinstance(pair, PairMeasured)], verdict, is_clean


def test_all_pairs_are_measured_in_their_rounds_with_the_rates_of_their_links() -> None:
    network = Network(RATE, ways={(1, 3): RATE / 2})
    pairs, verdict, is_clean = diagnosed(network, 5, measure="links")
    assert is_clean and verdict.rounds == 5 and len(pairs) == 10
    names = [f"h{number}" for number in range(1, 6)]
    wanted = [{frozenset(pair) for pair in each} for each in all_pairs(names)]
    found = [{frozenset((f"h{p.first + 1}", f"h{p.second + 1}")) for p in pairs if p.round == r} for r in range(5)]
    assert found == wanted
    for pair in pairs:
        for way, rate in (((pair.first, pair.second), pair.there), ((pair.second, pair.first), pair.back)):
            assert rate is not None and rate.messages >= 6
            expected = network.ways.get(way, RATE)
            assert (rate.low + rate.high) / 2 == pytest.approx(expected, rel=0.1)
        assert pair.latency_us is not None and pair.latency_us > 0


@pytest.mark.parametrize("both_ways", [False, True])
def test_a_slow_host_is_named_and_its_partners_are_cleared(both_ways: bool) -> None:
    network = Network(RATE, sends={2: RATE / 2}, receives={2: RATE / 2})
    _, verdict, is_clean = diagnosed(network, 6, both_ways=both_ways)
    (blamed,) = verdict.blamed
    assert is_clean and verdict.decided and verdict.rounds <= 5
    assert (blamed.kind, blamed.names, blamed.manner) == ("node", ["h3"], "slow")
    assert blamed.evidence and verdict.cleared and "h3" not in verdict.cleared


def test_a_link_that_is_slow_one_way_is_named_with_its_way() -> None:
    _, verdict, _ = diagnosed(Network(RATE, ways={(1, 2): RATE / 3}), 4)
    (blamed,) = verdict.blamed
    assert (blamed.kind, sorted(blamed.names)) == ("link", ["h2", "h3"]) and "from h2 to h3" in blamed.sentence


def test_each_rail_is_measured_by_its_own_ranks_and_a_slow_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Network(RATE, sends={5: RATE / 2}, receives={5: RATE / 2})  # rank 5 is rail 1 of h3
    places = [Place(f"h{1 + rank // 2}") for rank in range(10)]
    wanted = DiagnosisSpec(size_bytes=SIZE, timeout_seconds=1, per="rail")
    told: list[DiagnosisTold] = []
    assert run_ranks(slow, 10, lambda post: take_part(post, wanted, places, told.append, lambda: None))
    *pairs, verdict = told
    assert isinstance(verdict, DiagnosisVerdict)
    (blamed,) = verdict.blamed
    assert verdict.decided and (blamed.kind, blamed.names, blamed.rail) == ("node", ["h3"], 1)
    assert blamed.sentence.startswith("h3 rail 1 reaches")
    assert all("h3" in one.nodes and one.rail == 1 for one in blamed.evidence) and verdict.cleared
    measured = [pair for pair in pairs if isinstance(pair, PairMeasured)]
    assert all(pair.first % 2 == pair.second % 2 for pair in measured)
    rails_of: dict[int, set[int]] = {}
    for pair in measured:
        rails_of.setdefault(pair.round, set()).add(pair.first % 2)
    assert all(len(rails) == 1 for rails in rails_of.values()) and list(rails_of) == [*range(verdict.rounds)]


def test_nobody_is_blamed_where_nothing_is_wrong() -> None:
    _, verdict, is_clean = diagnosed(Network(RATE), 3)
    assert is_clean and verdict.decided and not verdict.blamed
    assert verdict.sentences[0].startswith("Nothing is wrong")


def test_a_rank_that_is_stopped_is_named_and_the_rest_goes_on() -> None:
    pairs, verdict, is_clean = diagnosed(Network(RATE, gone=frozenset({3})), 5)
    (blamed,) = verdict.blamed
    assert not is_clean and (blamed.kind, blamed.names, blamed.manner) == ("node", ["h4"], "hung")
    assert {pair.ending for pair in pairs if 3 in (pair.first, pair.second)} == {"hung"}
    assert {pair.ending for pair in pairs if 3 not in (pair.first, pair.second)} == {"measured"}


def test_a_cut_link_is_named_and_not_its_ends() -> None:
    _, verdict, is_clean = diagnosed(Network(RATE, ways={(1, 2): 0.0, (2, 1): 0.0}), 4)
    (blamed,) = verdict.blamed
    assert not is_clean and (blamed.kind, sorted(blamed.names)) == ("link", ["h2", "h3"])


@pytest.mark.parametrize("far", [1, 2])
def test_a_rank_that_rank_0_does_not_reach_is_measured_by_the_others_and_only_that_link_is_named(far: int) -> None:
    network = Network(RATE, ways={(0, far): 0.0, (far, 0): 0.0})
    pairs, verdict, is_clean = diagnosed(network, 4)
    (blamed,) = verdict.blamed
    assert not is_clean and (blamed.kind, set(blamed.names)) == ("link", {"h1", f"h{far + 1}"}), verdict
    assert all(pair.ending == "measured" for pair in pairs if {pair.first, pair.second} != {0, far})
    assert {frozenset((pair.first, pair.second)) for pair in pairs if pair.ending != "measured"} == {
        frozenset({0, far})
    }


def test_all_pairs_but_the_cut_ones_are_measured() -> None:
    network = Network(RATE, ways=dict.fromkeys([(0, 4), (4, 0), (1, 3), (3, 1)], 0.0))
    pairs, _, _ = diagnosed(network, 5, measure="links")
    hung = {frozenset((pair.first, pair.second)) for pair in pairs if pair.ending != "measured"}
    assert len(pairs) == 10 and hung == {frozenset({0, 4}), frozenset({1, 3})}


def test_a_budget_that_cannot_hold_one_round_is_refused() -> None:
    with pytest.raises(UserError, match=r"diagnosis.budget_seconds: 1 s cannot hold one round, which took .*; give at"):
        diagnosed(Network(RATE / 8), 2, budget_seconds=1, size_bytes=1 << 18)


def test_a_spent_budget_ends_undecided_with_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(RATE)
    monkeypatch.setattr("ringscope.bench.pairs.conductor.budget_clock", network.clock)
    pairs, verdict, _ = diagnosed(network, 6, measure="links", budget_seconds=1, size_bytes=SIZE * 10)
    assert not verdict.decided and len(pairs) == 9 and "budget of 1 s is spent" in verdict.undecided[-1]


def known(first: str, second: str, number: int, share: float = 1.0, **more: object) -> KnownPair:
    rate = WayRate(low=0.98 * share * RATE, high=1.02 * share * RATE, spread=0.01, messages=12)
    fields = {"nodes": [first, second], "round": number, "there": rate, "back": rate} | more
    return KnownPair.model_validate(fields)


def test_all_pairs_that_an_earlier_attempt_measured_are_not_measured_again() -> None:
    pairs = [known("h1", "h2", 0), known("h3", "h4", 0), known("h1", "h3", 1), known("h1", "h9", 1)]
    found, verdict, _ = diagnosed(Network(RATE), 4, Earlier(pairs=pairs), measure="links")
    measured = {frozenset((f"h{pair.first + 1}", f"h{pair.second + 1}")) for pair in found}
    assert measured == {frozenset(pair) for pair in (("h1", "h4"), ("h2", "h3"), ("h2", "h4"))}
    assert verdict.rounds == 2 + len({pair.round for pair in found}) and min(pair.round for pair in found) == 2
    assert verdict.decided and not verdict.blamed


def test_a_node_that_was_bad_in_an_earlier_attempt_needs_only_its_confirmation() -> None:
    slow = Network(RATE, sends={2: RATE / 2}, receives={2: RATE / 2})
    pairs = [known("h1", "h2", 0), known("h3", "h4", 0, 0.5), known("h5", "h6", 0)]
    pairs += [known("h2", "h3", 1, 0.5), known("h4", "h5", 1), known("h6", "h1", 1)]
    found, verdict, _ = diagnosed(slow, 6, Earlier(pairs=pairs))
    (blamed,) = verdict.blamed
    fresh, _, _ = diagnosed(slow, 6)
    assert blamed.names == ["h3"] and len(found) < len(fresh)


def test_what_earlier_diagnoses_measured_is_the_baseline_of_its_direction() -> None:
    baselines = [Baseline(source="h1", destination="h2", low=1.96 * RATE, high=2.04 * RATE)]
    _, verdict, _ = diagnosed(Network(RATE), 4, Earlier(baselines=baselines))
    (blamed,) = verdict.blamed
    assert (blamed.kind, sorted(blamed.names)) == ("link", ["h1", "h2"])
    assert "of what it reached in earlier diagnoses" in blamed.sentence


def test_rank_0_reads_what_its_agent_knows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(EARLIER_VARIABLE, raising=False)
    assert known_before() == Earlier()
    path = tmp_path / "earlier.json"
    path.write_text(Earlier(pairs=[known("h1", "h2", 0)]).model_dump_json())
    monkeypatch.setenv(EARLIER_VARIABLE, str(path))
    assert known_before().pairs[0].nodes == ["h1", "h2"]


def test_the_agent_names_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [place.node for place in places_of(2)] == ["rank 0", "rank 1"]
    monkeypatch.setenv(NODES_VARIABLE, '[["a", "r1"], ["b", null]]')
    assert places_of(2) == [Place("a", "r1"), Place("b")]
    with pytest.raises(EngineError, match="one rank on each node"):
        places_of(3)
    monkeypatch.setenv(NODES_VARIABLE, '[["a", null], ["a", null], ["b", null], ["b", null]]')
    assert [place.node for place in places_of(4, "rail")] == ["a", "a", "b", "b"]
    assert ranks_of_node(3, 4) == [2, 3]
    assert ranks_of_node(3, 8) == [3], "a launch of another size is refused by a sentence later"
    with pytest.raises(EngineError, match="one rank on each node"):
        places_of(4)
    monkeypatch.setenv(NODES_VARIABLE, '[["a", null], ["a", null], ["b", null]]')
    with pytest.raises(EngineError, match="the same number of ranks on each node"):
        places_of(3, "rail")
