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
    belief = Belief.of(["h0", "h1"], baselines={("h0", "h1"): 1.0, ("h1", "h0"): 1.0})
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
