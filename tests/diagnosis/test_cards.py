"""A node with a slower network card is held against its own card, as far as others reach theirs."""

from dataclasses import replace

from ringscope.diagnosis.answers import Answer, Rate, Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.trials import Trial, trials_of

NODES = ("h1", "h2", "h3", "h4")
FAST, SLOW = 100e8, 10e8  # bytes/s


def trials(rates: dict[str, float], cards: dict[str, float]) -> dict[tuple[str, str], Trial]:
    """Measure all pairs, each at the rate of its slower node."""
    belief = replace(Belief.of(NODES), cards=cards)
    pairs = [(one, other) for place, one in enumerate(NODES) for other in NODES[place + 1 :]]
    answers = []
    for pair in pairs:
        centre = min(rates[node] for node in pair)
        rate = Rate(0.99 * centre, 1.01 * centre, 0.01)
        answers.append(Answer(pair, rate, rate))
    found = trials_of(belief.after(Round(0, tuple(pairs)), answers))
    return {trial.pair: trial for trial in found.nodes}


def test_a_node_that_reaches_its_slower_card_is_fine() -> None:
    rates = dict.fromkeys(NODES, 0.3 * FAST) | {"h4": 0.9 * SLOW}
    cards = dict.fromkeys(NODES, FAST)
    assert trials(rates, {})["h1", "h4"].bad
    assert trials(rates, cards)["h1", "h4"].bad
    assert trials(rates, cards | {"h4": SLOW})["h1", "h4"].fine


def test_a_node_far_below_its_slower_card_is_bad() -> None:
    rates = dict.fromkeys(NODES, 0.3 * FAST) | {"h4": 0.1 * SLOW}
    found = trials(rates, dict.fromkeys(NODES, FAST) | {"h4": SLOW})
    assert found["h1", "h4"].bad and found["h1", "h2"].fine


def test_a_faster_card_is_not_expected_to_reach_more_than_others() -> None:
    rates = dict.fromkeys(NODES, 0.9 * SLOW)
    found = trials(rates, dict.fromkeys(NODES, SLOW) | {"h4": FAST})
    assert all(trial.fine for trial in found.values())


def test_a_node_is_not_held_against_more_than_its_card_carries() -> None:
    """Bursts of three nodes seem faster than their cards; the fourth one reaches its own."""
    rates, cards = dict.fromkeys(NODES, 1.2 * FAST) | {"h4": 0.97 * FAST}, dict.fromkeys(NODES, FAST)
    assert trials(rates, {})["h1", "h4"].bad
    assert all(trial.fine for trial in trials(rates, cards).values())
    assert trials(rates | {"h4": 0.8 * FAST}, cards)["h1", "h4"].bad
