"""Verdicts on answers that are given by hand."""

from collections.abc import Callable

import pytest
from benchmarks.diagnosis.diagnosing import names

from ringscope.diagnosis.answers import Answer, Ending, Rate, Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.planning import next_step
from ringscope.diagnosis.rounds import Pair
from ringscope.diagnosis.verdict import Verdict

FINE, SLOW = Rate(0.98, 1.02, 0.03), Rate(0.49, 0.51, 0.03)


def _ended(belief: Belief, answer: Callable[[Pair], Answer]) -> tuple[Verdict, list[Round]]:
    rounds: list[Round] = []
    while isinstance(step := next_step(belief), Round):
        rounds.append(step)
        belief = belief.after(step, [answer(pair) for pair in step.pairs])
    return step, rounds


def test_two_nodes_below_their_baseline_are_undecided_and_it_says_what_would_decide() -> None:
    belief = Belief.of(["h0", "h1"], baselines={("h0", "h1"): FINE, ("h1", "h0"): FINE})
    verdict, _ = _ended(belief, lambda pair: Answer(pair, SLOW, FINE))
    assert not verdict.decided and not verdict.blamed
    assert verdict.undecided == (
        "No pair is fine, so nothing shows who is good; a baseline of these links or further nodes would decide it.",
    )


def test_a_node_that_an_agent_reports_as_gone_is_blamed_at_once_and_its_partner_is_not_suspected() -> None:
    def answer(pair: Pair) -> Answer:
        return Answer(pair, ending=Ending.DIED, gone="h2") if "h2" in pair else Answer(pair, FINE, FINE)

    verdict, rounds = _ended(Belief.of(names(8)), answer)
    (blamed,) = verdict.blamed
    assert verdict.decided and blamed.names == ("h2",) and blamed.manner == "died"
    assert blamed.sentence == "h2 is gone, as its agent or the operating system reports."
    assert all("h2" not in pair for each in rounds[1:] for pair in each.pairs)


def test_every_partner_that_took_part_in_a_bad_pair_is_cleared_in_words() -> None:
    verdict, _ = _ended(Belief.of(names(8)), lambda pair: Answer(pair, *([SLOW if "h1" in pair else FINE] * 2)))
    assert verdict.cleared == ("h0", "h3")
    assert "h1 reaches 50% of what others reach with h0 and h3, which are fine with others." in verdict.sentences
    assert any(sentence.startswith("h0 is good: it is fine with h2") for sentence in verdict.sentences)


def test_a_link_that_is_slow_one_way_is_named_with_its_direction() -> None:
    def answer(pair: Pair) -> Answer:
        return Answer(pair, SLOW, FINE) if pair == ("h2", "h3") else Answer(pair, FINE, FINE)

    (blamed,) = _ended(Belief.of(names(8)), answer)[0].blamed
    assert blamed.ways == (("h2", "h3"),)
    assert blamed.sentence.startswith("The link from h2 to h3 reaches 50% of what others reach in 2 of 2 measurements")


def test_a_budget_that_is_spent_leaves_the_open_question() -> None:
    belief = Belief.of(names(8), most_rounds=1)
    verdict, _ = _ended(belief, lambda pair: Answer(pair, *([SLOW if "h1" in pair else FINE] * 2)))
    assert not verdict.decided and not verdict.blamed and verdict.rounds == 1
    assert "h1 was bad with h0; a measurement with another good node would decide it." in verdict.undecided


def test_what_is_no_diagnosis_and_no_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two nodes"):
        Belief.of(["h0"])
    with pytest.raises(ValueError, match="both rates"):
        Answer(("h0", "h1"), FINE)
    with pytest.raises(ValueError, match="belongs to a pair"):
        Answer(("h0", "h1"), ending=Ending.HUNG, gone="h2")
    belief = Belief.of(names(4))
    asked = next_step(belief)
    assert isinstance(asked, Round)
    with pytest.raises(ValueError, match="not asked"):
        belief.after(asked, [Answer(("h0", "h9"), FINE, FINE)])


def around(count: int, share: Callable[[Pair], float]) -> dict[Pair, Rate]:
    """Baselines of all directions, as shares of what is fine."""
    every = [(a, b) for a in names(count) for b in names(count) if a != b]
    return {way: Rate(FINE.low * share(way), FINE.high * share(way), 0.03) for way in every}


def test_a_link_that_is_slower_than_it_was_is_blamed_even_if_it_is_as_fast_as_others() -> None:
    fast = frozenset(("h2", "h3"))
    baselines = around(8, lambda way: 2.0 if fast == set(way) else 1.0)
    verdict, _ = _ended(Belief.of(names(8), baselines=baselines), lambda pair: Answer(pair, FINE, FINE))
    (blamed,) = verdict.blamed
    assert (blamed.kind, set(blamed.names)) == ("link", fast)
    assert "50% of what it reached in earlier diagnoses" in blamed.sentence


def test_a_link_that_was_always_slower_than_others_is_said_and_not_blamed() -> None:
    slow = frozenset(("h2", "h3"))
    baselines = around(8, lambda way: 0.5 if slow == set(way) else 1.0)

    def answer(pair: Pair) -> Answer:
        return Answer(pair, SLOW, SLOW) if slow == set(pair) else Answer(pair, FINE, FINE)

    verdict, rounds = _ended(Belief.of(names(8), baselines=baselines), answer)
    assert verdict.decided and not verdict.blamed and len(rounds) == 3
    assert "16 of 16 directions are held against what earlier diagnoses measured there." in verdict.sentences
    assert "h2 to h3 reaches 50% of what others reach, as in earlier diagnoses." in verdict.sentences
    without, _ = _ended(Belief.of(names(8)), answer)
    assert [set(each.names) for each in without.blamed] == [slow]


def test_what_slows_all_links_blames_nobody_and_hides_no_slow_node() -> None:
    def answer(pair: Pair) -> Answer:
        rate = Rate(0.24, 0.26, 0.03) if "h5" in pair else SLOW
        return Answer(pair, rate, rate)

    baselines = around(8, lambda _: 1.0)
    verdict, _ = _ended(Belief.of(names(8), baselines=baselines), lambda pair: Answer(pair, SLOW, SLOW))
    assert verdict.decided and not verdict.blamed
    all_slow = "The links reach 50% of what earlier diagnoses measured; something slows all of them."
    assert all_slow in verdict.sentences
    verdict, _ = _ended(Belief.of(names(8), baselines=baselines), answer)
    assert [each.names for each in verdict.blamed] == [("h5",)] and all_slow in verdict.sentences
