"""Whole diagnoses of simulated fabrics: each kind of fault, the budget of rounds, good partners."""

from math import ceil, log2

import pytest
from benchmarks.diagnosis.diagnosing import diagnose, names
from benchmarks.diagnosis.fabric import Fabric, Fault

from ringscope.diagnosis.answers import Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.boundaries import wanted_boundaries
from ringscope.diagnosis.planning import next_step
from ringscope.diagnosis.suspects import Suspicion
from ringscope.diagnosis.trials import Trial, Trials

ONE_FAULT = {
    "slow node": Fault("node", ("h1",)),
    "slightly slow node": Fault("node", ("h1",), factor=0.8),
    "node that sends slowly": Fault("node", ("h5",), way="out"),
    "node that receives slowly": Fault("node", ("h2",), way="in"),
    "slow link": Fault("link", ("h2", "h3")),
    "slow link one way": Fault("link", ("h4", "h5"), way="out"),
    "slow link between racks": Fault("link", ("h3", "h4")),
    "lossy link": Fault("link", ("h6", "h7"), factor=0.3, manner="lossy"),
    "lossy node": Fault("node", ("h3",), factor=0.3, manner="lossy"),
    "cut link": Fault("link", ("h0", "h1"), manner="hung"),
    "hanging node": Fault("node", ("h4",), manner="hung"),
    "crashing node": Fault("node", ("h7",), manner="died"),
}


@pytest.mark.parametrize("fault", ONE_FAULT.values(), ids=ONE_FAULT)
@pytest.mark.parametrize(("nodes", "racks"), [(8, 1), (8, 2), (16, 4), (17, 1), (64, 8)])
def test_one_fault_is_named_alone_within_the_budget_of_rounds(fault: Fault, nodes: int, racks: int) -> None:
    for seed in range(3):
        found = diagnose(Fabric(names(nodes), racks, [fault], seed))
        assert found.verdict.decided and found.names() == {(fault.kind, fault.names)}
        assert found.verdict.rounds <= ceil(log2(nodes)) + 2


@pytest.mark.parametrize("factor", [0.5, 0.1])
@pytest.mark.parametrize(("nodes", "racks"), [(16, 4), (15, 3), (35, 5), (256, 16)])
def test_a_slow_uplink_is_named_and_no_node_behind_it(factor: float, nodes: int, racks: int) -> None:
    fabric = Fabric(names(nodes), racks, [Fault("boundary", ("rack1",), factor)])
    found = diagnose(fabric)
    assert found.verdict.decided and found.names() == {("boundary", ("rack1",))}
    assert found.verdict.rounds <= ceil(log2(nodes)) + 2


def test_the_boundary_between_two_racks_is_named_and_what_would_make_it_sure() -> None:
    found = diagnose(Fabric(names(8), 2, [Fault("boundary", ("rack1",))]))
    (blamed,) = found.verdict.blamed
    assert blamed.names == ("rack0", "rack1") and blamed.confidence == 0.8
    assert "A third rack would tell" in blamed.sentence


def test_two_halves_are_found_without_names_of_racks() -> None:
    found = diagnose(Fabric(names(8), 2, [Fault("boundary", ("rack0",))]), has_labels=False)
    assert found.names() == {("boundary", ("h0 to h3", "h4 to h7"))}


def test_two_halves_are_found_in_any_order_of_the_nodes() -> None:
    fabric = Fabric(names(8), 2, [Fault("boundary", ("rack0",), 0.1)])
    fabric.nodes = tuple(f"h{index}" for index in (0, 4, 1, 5, 2, 6, 3, 7))
    found = diagnose(fabric, has_labels=False)
    (blamed,) = found.verdict.blamed
    assert blamed.kind == "boundary" and set(blamed.names) == {"h0, h1, h2, h3", "h4, h5, h6, h7"}


TWO_FAULTS = {
    "two nodes": [Fault("node", ("h1",)), Fault("node", ("h4",))],
    "two nodes of one pair": [Fault("node", ("h2",)), Fault("node", ("h3",))],
    "node and link": [Fault("node", ("h1",)), Fault("link", ("h4", "h5"))],
    "hanging and slow node": [Fault("node", ("h0",), manner="hung"), Fault("node", ("h6",))],
    "two links": [Fault("link", ("h0", "h1")), Fault("link", ("h4", "h5"), way="out")],
    "node and uplink": [Fault("node", ("h1",)), Fault("boundary", ("rack2",))],
}


@pytest.mark.parametrize("faults", TWO_FAULTS.values(), ids=TWO_FAULTS)
def test_two_faults_are_both_named(faults: list[Fault]) -> None:
    for seed in range(3):
        found = diagnose(Fabric(names(16), 4, faults, seed))
        assert found.verdict.decided and found.names() == {(fault.kind, fault.names) for fault in faults}
        assert found.verdict.rounds <= 12


@pytest.mark.parametrize(("nodes", "racks"), [(2, 1), (3, 1), (4, 2), (5, 1), (8, 2), (33, 3), (1024, 32)])
def test_nobody_is_blamed_in_a_healthy_fabric(nodes: int, racks: int) -> None:
    found = diagnose(Fabric(names(nodes), racks))
    assert found.verdict.decided and not found.verdict.blamed
    assert found.verdict.sentences == (f"Nothing is wrong: all {nodes} nodes reach what most of them reach.",)


def test_uplinks_that_are_built_for_half_of_the_nodes_are_no_fault() -> None:
    found = diagnose(Fabric(names(32), 8, oversubscription=2.0))
    assert found.verdict.decided and not found.verdict.blamed


def test_a_measurement_that_other_work_disturbed_blames_nobody() -> None:
    for seed in range(10):
        found = diagnose(Fabric(names(64), 8, seed=seed, disturbed=0.003))
        assert not found.verdict.blamed


def test_all_pairs_find_a_link_that_the_ring_does_not_use() -> None:
    fabric = Fabric(names(10), 1, [Fault("link", ("h2", "h8"))])
    assert not diagnose(fabric).verdict.blamed
    assert diagnose(fabric, all_links=True).names() == {("link", ("h2", "h8"))}


def test_suspects_are_confirmed_with_partners_that_were_fine_and_every_confirmation_has_a_sentence() -> None:
    found = diagnose(Fabric(names(8), 1, [Fault("node", ("h1",))]))
    confirmed = [
        sentence for each in found.rounds for sentence in each.reasons if sentence.startswith("h1 is measured")
    ]
    assert confirmed == ["h1 is measured with h3, which was fine with others, because h1 was bad with h0."]
    first = found.rounds[1].pairs
    assert {("h0", "h2"), ("h1", "h3")} <= set(first)


def test_a_round_never_has_a_node_twice_and_a_blamed_node_is_left_out() -> None:
    found = diagnose(Fabric(names(17), 1, [Fault("node", ("h3",), manner="hung")]))
    for each in found.rounds:
        members = [node for pair in each.pairs for node in pair]
        assert len(members) == len(set(members))
    assert all("h3" not in pair for pair in found.rounds[-1].pairs)


@pytest.mark.parametrize("all_links", [False, True])
def test_a_ring_that_goes_from_rack_to_rack_and_back_is_diagnosed(all_links: bool) -> None:
    fabric = Fabric(names(8), 2, [Fault("node", ("h3",))])
    fabric.rack_of = {node: f"rack{index % 2}" for index, node in enumerate(fabric.nodes)}
    found = diagnose(fabric, all_links=all_links)
    assert found.verdict.decided and found.names() == {("node", ("h3",))}
    for each in found.rounds:
        members = [node for pair in each.pairs for node in pair]
        assert len(members) == len(set(members))


def test_a_suspected_rack_that_was_fine_with_others_is_not_measured_with_itself() -> None:
    racks = {f"h{index}": "abc"[index // 2] for index in range(6)}
    suspicion = Suspicion(good={"a", "b", "c"}, confirm={"a": {"b"}})
    trials = Trials([], [Trial(("a", "b"), 0), Trial(("a", "c"), 1), Trial(("b", "c"), 2)], 1.0)
    assert wanted_boundaries(Belief.of(names(6), racks), trials, suspicion, set()) == [("a", "c")]


def test_pairs_without_an_answer_are_asked_again() -> None:
    belief = Belief.of(names(8))
    first = next_step(belief)
    assert isinstance(first, Round)
    again = next_step(belief.after(first, []))
    assert isinstance(again, Round) and set(first.pairs) <= set(again.pairs)


@pytest.mark.long
def test_healthy_fabrics_are_hardly_ever_blamed() -> None:
    blamed = [seed for seed in range(1000) if diagnose(Fabric(names(64), 8, seed=seed, disturbed=0.001)).verdict.blamed]
    assert len(blamed) <= 1
