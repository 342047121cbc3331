"""Answers held against their references: each pair of nodes, and each pair of racks, was fine, bad or unclear. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from statistics import median
from typing import NamedTuple

from ringscope.diagnosis.answers import Answer, Ending, Rate
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.rounds import Pair

MARGIN = 0.1  # what is above 90 % of the reference is no fault
_LOSSY_SPREAD = 0.2  # relative deviation of single repetitions; healthy ones have a few percent
_LOSSY_FACTOR = 4.0  # and so many times that of the others
_MOST_OF_A_RACK = 2 / 3
_UPPER_QUARTILE = 0.75


class Manner(StrEnum):
    """The fault that a pair shows."""

    SLOW = "slow"
    LOSSY = "lossy"
    HUNG = "hung"
    DIED = "died"


class Trial(NamedTuple):
    """One measurement of a pair of units, nodes or racks.

    ``manner`` is None if it was fine. ``ways`` are the directions that are bad, and ``share`` is the worst bandwidth
    in units of the reference. An unclear trial is neither fine nor bad.
    """

    pair: Pair
    round: int
    manner: Manner | None = None
    ways: tuple[Pair, ...] = ()
    share: float = 1.0
    unclear: bool = False
    answers: tuple[Answer, ...] = ()
    gone: str | None = None
    is_by_baseline: bool = False  # ``share`` is in units of what earlier diagnoses measured there

    @property
    def bad(self) -> bool:
        """Return whether something is wrong by interval."""
        return self.manner is not None

    @property
    def fine(self) -> bool:
        """Return whether it shows that both units can work."""
        return self.manner is None and not self.unclear

    def partner(self, unit: str) -> str:
        """Return the other unit of the pair."""
        return self.pair[1] if self.pair[0] == unit else self.pair[0]


@dataclass(frozen=True)
class Trials:
    """All trials so far: ``nodes`` of pairs of nodes, ``racks`` of pairs of racks; ``reference`` is in bytes/s.

    ``level`` is what the nodes reach now in units of their baselines.
    """

    nodes: list[Trial]
    racks: list[Trial]
    reference: float
    level: float = 1.0

    @cached_property
    def bad(self) -> list[Trial]:
        """Return the bad trials of pairs of nodes, which are few."""
        return [trial for trial in self.nodes if trial.manner is not None]


def trials_of(belief: Belief) -> Trials:
    """Return the trials of all answers.

    The reference is the median over the nodes of the best bandwidth that each one reached: a good node reaches it with
    one good partner, so a slow node costs one value and not its partners' too. Pairs that load a boundary together have
    their own reference, the upper quartile of what the racks reached, because uplinks may be built for less.
    A pair of racks is bad if two thirds of its pairs of nodes are; these then say nothing about their nodes.
    """
    rack_of = belief.rack_of
    single: list[tuple[int, Answer]] = []
    loaded: list[tuple[int, Answer]] = []
    for heard in belief.heard:
        number, together = heard.round.number, heard.round.loaded
        for answer in heard.answers:
            (loaded if answer.pair in together else single).append((number, answer))
    reference, lossy = _of_most(belief)
    level = level_of((answer for _, answer in single), belief.baselines)
    baselines = {way: _times(rate, min(level, 1.0)) for way, rate in belief.baselines.items()}
    if belief.cards:
        limits = _Limits.of(belief.cards, (answer for _, answer in single))
        nodes = [
            _trial(number, answer, limits.expected(answer.pair, reference), baselines, lossy)
            for number, answer in single
        ]
    else:
        nodes = _trials(single, reference, baselines, lossy)

    by_racks: dict[tuple[int, Pair], list[Answer]] = {}
    for number, answer in loaded:
        first, second = rack_of[answer.pair[0]], rack_of[answer.pair[1]]
        by_racks.setdefault((number, (first, second)), []).append(answer)
    across = _across_reference(by_racks, reference)
    racks = []
    for (number, pair), answers in by_racks.items():
        members = _trials([(number, answer) for answer in answers], across, {}, lossy)
        bad = [member for member in members if member.bad]
        if len(members) > 1 and len(bad) >= _MOST_OF_A_RACK * len(members):
            racks.append(_of_racks(number, pair, rack_of, bad))
        else:
            racks.append(Trial(pair, number))
            nodes += members
    return Trials(nodes, racks, reference, level)


def _of_most(belief: Belief) -> tuple[float, float]:
    """Return the reference, and the spread above which a direction is lossy."""
    best: dict[str, float] = {}
    highest_of = best.get
    spreads: list[float] = []
    for heard in belief.heard:
        for answer in heard.answers:
            there, back = answer.there, answer.back
            if there is None or back is None:
                continue
            spreads += (there.spread, back.spread)
            sum_there, sum_back = there.low + there.high, back.low + back.high
            highest = sum_there if sum_there > sum_back else sum_back
            first, second = answer.pair
            if highest > highest_of(first, 0.0):
                best[first] = highest
            if highest > highest_of(second, 0.0):
                best[second] = highest
    reference = median(best.values()) / 2 if best else 0.0  # the centre of an interval is half of its ends' sum
    lossy = max(_LOSSY_SPREAD, _LOSSY_FACTOR * median(spreads)) if spreads else _LOSSY_SPREAD
    return reference, lossy


@dataclass(frozen=True)
class _Limits:
    """The cards of the nodes in bytes/s, and the share of its card's rate that the median node reaches.

    A pair with a slower card is expected to reach this share of it. Faster cards are not expected to reach more than
    others do, because something else may limit them. No pair is expected to reach more than its card: where messages
    wait in a queue and leave it together, the short ones of a preflight seem to.
    """

    cards: Mapping[str, float]
    share: float

    @classmethod
    def of(cls, cards: Mapping[str, float], answers: Iterable[Answer]) -> "_Limits":
        best: dict[str, float] = {}
        for answer in answers:
            limit = min((cards.get(node, 0.0) for node in answer.pair), default=0.0)
            for _, rate in answer.ways() if limit else ():
                for node in answer.pair:
                    best[node] = max(best.get(node, 0.0), rate.centre / limit)
        return cls(cards, min(1.0, median(best.values())) if best else 1.0)

    def expected(self, pair: Pair, reference: float) -> float:
        limits = [self.cards[node] for node in pair if node in self.cards]
        return min(reference, self.share * min(limits)) if len(limits) == len(pair) else reference


def level_of(answers: Iterable[Answer], baselines: Mapping[Pair, Rate]) -> float:
    """Return what the nodes reach in units of their baselines: the median over the nodes of the best share of each.

    Other work or another setting slows all links, and this alone makes no node suspect. It is 1 unless more than half
    of the nodes have baselines.
    """
    if not baselines:
        return 1.0
    best: dict[str, float] = {}
    nodes: set[str] = set()
    for answer in answers:
        nodes.update(answer.pair)
        for way, rate in answer.ways():
            if (baseline := baselines.get(way)) is not None and baseline.centre > 0:
                for node in way:
                    best[node] = max(best.get(node, 0.0), rate.centre / baseline.centre)
    return median(best.values()) if 2 * len(best) > len(nodes) else 1.0


def _times(rate: Rate, factor: float) -> Rate:
    return Rate(factor * rate.low, factor * rate.high, rate.spread)


def _trials(
    numbered: Sequence[tuple[int, Answer]], reference: float, baselines: Mapping[Pair, Rate], lossy: float
) -> list[Trial]:
    """Return a trial for each answer with the number of its round.

    Most answers of a large cluster reach the reference in both directions by interval, which is found out first.
    """
    if baselines:
        return [_trial(number, answer, reference, baselines, lossy) for number, answer in numbered]
    floor = (1 - MARGIN) * reference
    made: list[Trial] = []
    for number, answer in numbered:
        there, back = answer.there, answer.back
        if (
            there is not None
            and back is not None
            and there.low >= floor
            and back.low >= floor
            and there.spread <= lossy
            and back.spread <= lossy
        ):
            made.append(Trial(answer.pair, number, answers=(answer,)))
        else:
            made.append(_trial(number, answer, reference, baselines, lossy))
    return made


def _trial(number: int, answer: Answer, reference: float, baselines: Mapping[Pair, Rate], lossy: float) -> Trial:
    pair = answer.pair
    if answer.ending is not Ending.MEASURED:
        manner = Manner.HUNG if answer.ending is Ending.HUNG else Manner.DIED
        return Trial(pair, number, manner, (pair, (pair[1], pair[0])), 0.0, answers=(answer,), gone=answer.gone)
    slow, scattered, unclear, share, is_by_baseline = [], [], False, 1.0, False
    for way, rate in answer.ways():
        expected = baselines.get(way) or Rate(reference, reference)
        floor = (1 - MARGIN) * expected.centre
        if rate.low >= floor and rate.spread <= lossy:
            continue
        if expected.centre and rate.centre / expected.centre < share:
            share, is_by_baseline = rate.centre / expected.centre, way in baselines
        if rate.spread > lossy:
            scattered.append(way)
        elif rate.high < (1 - MARGIN) * expected.low:
            slow.append(way)
        elif rate.centre < floor:
            unclear = True
    if scattered:
        return Trial(pair, number, Manner.LOSSY, tuple(scattered), share, answers=(answer,))
    manner_or_none = Manner.SLOW if slow else None
    is_unclear = unclear and not slow
    return Trial(pair, number, manner_or_none, tuple(slow), share, is_unclear, (answer,), None, is_by_baseline)


def _across_reference(by_racks: Mapping[tuple[int, Pair], Sequence[Answer]], reference: float) -> float:
    best: dict[str, float] = {}
    for (_, pair), answers in by_racks.items():
        rates = [rate.centre for answer in answers for _, rate in answer.ways()]
        for rack in pair:
            best[rack] = max(best.get(rack, 0.0), median(rates) if rates else 0.0)
    if len(best) < 3:  # two racks have nothing to be held against but what each reaches alone
        return reference
    ordered = sorted(best.values())
    return min(reference, ordered[min(int(_UPPER_QUARTILE * len(ordered)), len(ordered) - 1)])


def _of_racks(number: int, pair: Pair, rack_of: Mapping[str, str], bad: Sequence[Trial]) -> Trial:
    manners = [trial.manner for trial in bad]
    ways = {(rack_of[first], rack_of[second]) for trial in bad for first, second in trial.ways}
    answers = tuple(answer for trial in bad for answer in trial.answers)
    manner = max(set(manners), key=manners.count)
    return Trial(pair, number, manner, tuple(sorted(ways)), median(trial.share for trial in bad), answers=answers)
