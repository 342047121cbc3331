"""Suspects, blame and clearance that follow from trials; the same rules hold for nodes and for racks. Pure.

A unit that was fine with anybody is good. A unit that was bad is confirmed with partners that are known to be good: bad
with two of them means that the unit is bad. If both units of a bad pair are good with others, the link between them
is measured again: bad twice and never fine means that the link is bad. Where other work disturbs measurements, so that
good units would be bad as often by chance, more measurements are needed. A unit whose fault comes and goes looks like
some bad links, so both ends of a link must be fine with more partners than they are bad with.
"""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import chain
from math import comb
from typing import NamedTuple

from ringscope.diagnosis.rounds import Pair
from ringscope.diagnosis.trials import Trial

_PARTNERS = 2  # known to be good, with which a blamed unit was bad
_INTERMITTENT_PARTNERS = 3  # with which a unit was bad that was fine at times
_MOST_BY_CHANCE = 0.002  # good units that may be blamed in a diagnosis
_REPORTED = 0.99  # the confidence in what an agent reports


@dataclass(frozen=True, slots=True)
class Blame:
    """Units that are bad: one unit, or the two ends of a link, with the trials that show it."""

    units: tuple[str, ...]
    trials: tuple[Trial, ...]
    confidence: float
    intermittent: bool = False
    gone: bool = False


@dataclass(slots=True)
class Suspicion:
    """Suspects, blame and clearance at one time.

    ``confirm`` has each suspect with the partners that it was tried with already. ``again`` are pairs to measure again.
    ``passing`` are bad trials that did not come again, and ``good`` are the units that were fine with a partner.
    """

    good: set[str] = field(default_factory=set)
    blamed: list[Blame] = field(default_factory=list)
    confirm: dict[str, set[str]] = field(default_factory=dict)
    again: list[Pair] = field(default_factory=list)
    passing: list[Trial] = field(default_factory=list)

    def bad_units(self) -> set[str]:
        """Return the units that are blamed themselves."""
        return {blame.units[0] for blame in self.blamed if len(blame.units) == 1}


class Chance(NamedTuple):
    """The number of trials, and how many were bad although the same pair was fine at another time."""

    passing: int
    trials: int

    @property
    def seen(self) -> float:
        """Return the share of trials that were bad by chance."""
        return self.passing / max(self.trials, 1)

    @property
    def cautious(self) -> float:
        """Return the same by Laplace's rule, which knows that few trials may have missed it."""
        return (self.passing + 1) / (self.trials + 2)


def chance_of_bad(trials: Sequence[Trial]) -> Chance:
    """Return how often good pairs are bad."""
    bad = [trial.pair for trial in trials if trial.manner is not None]
    either_order = {*bad, *(pair[::-1] for pair in bad)}
    fine = {frozenset(trial.pair) for trial in trials if trial.pair in either_order and trial.fine} if bad else set()
    return Chance(sum(frozenset(pair) in fine for pair in bad), len(trials))


def suspicion_of(
    trials: Sequence[Trial], units: int, chance: Chance, group_of: Mapping[str, str] | None = None
) -> Suspicion:
    """Return what the trials of so many units say.

    ``chance`` says how often good pairs are bad; ``group_of`` is the rack of each node.
    """
    return _Judge(trials, units, chance, group_of or {}).suspicion


class _Judge:
    def __init__(self, trials: Sequence[Trial], units: int, chance: Chance, group_of: Mapping[str, str]) -> None:
        self._units, self._chance, self._group_of = units, chance, group_of
        self._bad: dict[str, list[Trial]] = {}
        suspects = [trial for trial in trials if trial.manner is not None]
        for trial in suspects:
            for unit in trial.pair:
                self._bad.setdefault(unit, []).append(trial)
        self._fine_with: dict[str, set[str]] = {unit: set() for unit in self._bad}
        self.suspicion = Suspicion()
        fine = [trial.pair for trial in trials if trial.manner is None and not trial.unclear]
        self.suspicion.good.update(chain.from_iterable(fine))
        for first, second in fine if self._bad else ():
            if first in self._fine_with:
                self._fine_with[first].add(second)
            if second in self._fine_with:
                self._fine_with[second].add(first)
        self._blamed: set[str] = set()
        # Bad pairs that no unit explains which was never fine.
        self._open = {frozenset(trial.pair) for trial in suspects if not self._is_explained(trial)}
        self._blame_units()
        measured: dict[frozenset[str], list[Trial]] = {
            frozenset(trial.pair): [] for trial in suspects if self._is_open(trial.pair)
        }
        for trial in trials if measured else ():
            same_pair = measured.get(frozenset(trial.pair))
            if same_pair is not None:
                same_pair.append(trial)
        for same_pair in measured.values():
            self._judge_link(same_pair)

    def _is_explained(self, trial: Trial) -> bool:
        return any(
            unit not in self.suspicion.good and len(self._partners(self._bad[unit], unit)) >= _PARTNERS
            for unit in trial.pair
        )

    def _blame_units(self) -> None:
        good = self.suspicion.good
        steady = good - {unit for unit, bad in self._bad.items() if len(self._partners(bad, unit)) >= _PARTNERS}
        for unit, bad in sorted(self._bad.items(), key=lambda item: -len(self._partners(item[1], item[0]) & good)):
            reported = [trial for trial in bad if trial.gone == unit]
            # A pair that failed because the other node is gone says nothing about this one.
            bad = [trial for trial in bad if trial.gone is None]
            with_good = [trial for trial in bad if trial.partner(unit) in good]
            with_steady = [trial for trial in bad if trial.partner(unit) in steady]
            if reported:
                self._blame(unit, reported, gone=True)
            elif unit not in good and self._is_enough((unit,), with_good, self._partners(with_good, unit)):
                self._blame(unit, with_good)
            elif unit in good and self._is_intermittent(unit, with_steady):
                self._blame(unit, with_steady, intermittent=True)
            elif unit not in good and bad:
                self.suspicion.confirm[unit] = self._partners(bad, unit)

    def _is_intermittent(self, unit: str, bad: Sequence[Trial]) -> bool:
        """Return whether the fault comes and goes; bad across a boundary only may be the boundary's fault."""
        bad_with = self._partners(bad, unit)
        if len(bad_with) < _INTERMITTENT_PARTNERS:
            return False
        rack = self._group_of.get(unit)
        at_home = {self._group_of.get(partner) == rack for partner in self._fine_with[unit]}
        away = {self._group_of.get(partner) != rack for partner in bad_with}
        across_only = rack is not None and at_home == {True} and away == {True}
        fine = len(self._fine_with[unit])
        return not across_only and self._is_enough((unit,), bad, bad_with, comb(len(bad) + fine, fine))

    def _is_enough(self, names: Sequence[str], bad: Sequence[Trial], measured: Sized, ways: int = 1) -> bool:
        """Return whether bad trials of a unit or a link show more than chance does on so many of them.

        ``ways`` is the number of orders in which bad and fine trials may come.
        What is bad elsewhere and not explained yet counts as chance, so that disturbed measurements ask for more.
        """
        elsewhere = sum(1 for pair in self._open if not pair.issuperset(names))
        chance = min(1.0, self._chance.seen + elsewhere / max(self._chance.trials, 1))
        by_chance = ways * len(names) * self._units * chance ** _weight(bad)
        return len(measured) >= _PARTNERS and by_chance <= _MOST_BY_CHANCE

    def _blame(self, unit: str, trials: Sequence[Trial], intermittent: bool = False, gone: bool = False) -> None:
        confidence = _REPORTED if gone else self._confidence(self._units, trials)
        self.suspicion.blamed.append(Blame((unit,), tuple(trials), confidence, intermittent, gone))
        self._blamed.add(unit)
        self._open = {pair for pair in self._open if unit not in pair}

    def _is_open(self, pair: Pair) -> bool:
        return not self._blamed.intersection(pair) and self.suspicion.good.issuperset(pair)

    def _judge_link(self, measured: Sequence[Trial]) -> None:
        bad = [trial for trial in measured if trial.bad]
        pair = bad[0].pair
        if any(trial.fine for trial in measured):
            self.suspicion.passing += bad
            return
        unsure = [unit for unit in pair if not self._is_clear(unit)]
        for unit in unsure:
            self.suspicion.confirm[unit] = self._partners(self._bad[unit], unit) | self._fine_with[unit]
        if len(bad) < 2 or not (unsure or self._is_enough(pair, bad, bad)):
            self.suspicion.again.append(pair)
        elif not unsure:
            self.suspicion.blamed.append(Blame(pair, tuple(bad), self._confidence(2 * self._units, bad)))

    def _is_clear(self, unit: str) -> bool:
        """Return whether the unit is fine with more partners than it is bad with, or with all others."""
        bad = len(self._partners(self._bad[unit], unit))
        return len(self._fine_with[unit]) >= min(bad + 1, self._units - 1 - bad)

    def _confidence(self, units: int, bad: Sequence[Trial]) -> float:
        """Return one minus the expected number of good units or links that would be bad as often by chance."""
        return max(0.5, 1 - units * self._chance.cautious ** _weight(bad))

    @staticmethod
    def _partners(trials: Iterable[Trial], unit: str) -> set[str]:
        return {trial.partner(unit) for trial in trials}


def _weight(trials: Sequence[Trial]) -> int:
    """Return the number of bad measurements; a trial of two racks has several."""
    return sum(max(len(trial.answers), 1) for trial in trials)
