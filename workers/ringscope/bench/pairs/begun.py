"""The belief of a diagnosis before its first round: pairs that earlier attempts measured, and baselines. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ringscope.contracts.diagnosis.earlier import Earlier, KnownPair
from ringscope.contracts.diagnosis.record import WayRate
from ringscope.diagnosis.answers import Answer, Ending, Rate, Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.rounds import Pair, all_pairs


def begun(nodes: Sequence[str], racks: Mapping[str, str], all_links: bool, earlier: Earlier) -> Belief:
    """Return the belief with what is known of these nodes.

    Pairs that loaded a boundary together are measured again, because the racks may have other members now.
    """
    here = set(nodes)
    baselines = {
        (each.source, each.destination): Rate(each.low, each.high)
        for each in earlier.baselines
        if {each.source, each.destination} <= here
    }
    cards = {node: rate for node, rate in earlier.cards.items() if node in here}
    belief = replace(Belief.of(nodes, racks or None, baselines, all_links), cards=cards)
    rounds: defaultdict[int, list[Answer]] = defaultdict(list)
    for pair in earlier.pairs:
        if here.issuperset(pair.nodes) and not pair.is_loaded:
            rounds[pair.round].append(_answer(pair))
    for _, answers in sorted(rounds.items()):
        asked = Round(len(belief.heard), tuple(answer.pair for answer in answers))
        belief = belief.after(asked, answers)
    return replace(belief, most_rounds=belief.most_rounds + len(rounds))


def rounds_left(nodes: Sequence[str], belief: Belief) -> list[list[Pair]]:
    """Return the rounds of all pairs that are not known yet."""
    known = {frozenset(answer.pair) for heard in belief.heard for answer in heard.answers}
    left = [[pair for pair in each if frozenset(pair) not in known] for each in all_pairs(nodes)]
    return [each for each in left if each]


def _answer(pair: KnownPair) -> Answer:
    first, second = pair.nodes
    return Answer((first, second), _rate(pair.there), _rate(pair.back), Ending(pair.ending))


def _rate(rate: WayRate | None) -> Rate | None:
    return None if rate is None else Rate(rate.low, rate.high, rate.spread)
