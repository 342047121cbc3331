"""Rounds of a search: which candidate runs next, which leaves, and when the search ends. Pure.

All candidates that are left run once in each round, so that a change of the machine's speed affects all alike. The next
run follows from the runs so far and from nothing else: an attempt that continues after a killed rank needs only them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp, inf, log, sqrt
from statistics import mean, median, stdev

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.record import SearchRun
from ringscope.judging.intervals import Error, chance_of
from ringscope.judging.rank_tests import Ratio

FEWEST_ROUNDS = 3  # before a candidate may leave: how much the runs of a candidate differ is not known before
MOST_ROUNDS = 12
# Probability that one of two equal candidates leaves for the other, over all rounds; each round has an equal part.
_CHANCE = 0.05
_CHANCE_IN_A_ROUND = _CHANCE / (MOST_ROUNDS - FEWEST_ROUNDS + 1)
_MOST_FAILURES = 2  # a candidate whose runs failed so often leaves


class Left(StrEnum):
    """Why a candidate left."""

    SLOWER = "slower"
    FAILED = "failed"


@dataclass(frozen=True)
class Departure:
    """A candidate that left the search, with its round and the reason in a sentence."""

    candidate: str
    round: int
    why: Left
    sentence: str


class Rounds:
    """The state of a search after some runs."""

    def __init__(
        self, names: Sequence[str], runs: Sequence[SearchRun], budget_seconds: float, share: float = 1.0
    ) -> None:
        """``runs`` are all runs so far, of earlier attempts too, in their order; ``share`` is the rounds' part of the
        budget.
        """
        self._names, self._budget_seconds, self._share = list(names), budget_seconds, share
        self._runs = list(runs)
        self.departures: list[Departure] = []
        self.left = list(names)
        for number in range(max((run.round for run in runs), default=-1) + 1):
            self._end_round(number)

    @property
    def spent_seconds(self) -> float:
        """Return the time of all runs."""
        return sum(run.seconds for run in self._runs)

    def next_run(self) -> tuple[str, int] | None:
        """Return the candidate that runs next, and its round; None if the search is over.

        UserError if the budget cannot hold one short run of each candidate; the second run shows how long one
        takes, because libraries initialise in the first one.
        """
        number = self._round()
        if number == 0:
            self._check_budget()
        waiting = [name for name in self.left if not self._has_run(name, number)]
        if not waiting:
            number, waiting = number + 1, self.left
        is_first = len(waiting) == len(self.left)
        if number >= MOST_ROUNDS or len(self.left) < 2:
            return None
        if is_first and number >= 1 and self.spent_seconds + self._round_seconds() > self._share * self._budget_seconds:
            return None  # a round that cannot end compares nothing
        return self._order(waiting, number)[0], number

    def against(self, first: str, second: str) -> Ratio | None:
        """Return the ratio of the second candidate's times to those of the first; None without a common round."""
        return against(self._runs, first, second)

    def typical_us(self, name: str) -> float | None:
        """Return the mean time of a sample; None if the candidate has no run."""
        return typical_us(self._runs, name)

    def range_us(self, name: str) -> tuple[float, float] | None:
        """Return the 95 % interval of the time of a sample; None with fewer than two runs."""
        return range_us(self._runs, name)

    def runs_of(self, name: str) -> list[SearchRun]:
        """Return the successful runs of a candidate."""
        return successful(self._runs, name)

    def ranked(self) -> list[str]:
        """Return all candidates that ran, the fastest first; those that left come last, in the reverse order."""
        still = sorted((name for name in self.left if self.runs_of(name)), key=self._key)
        return still + [each.candidate for each in reversed(self.departures)]

    def _key(self, name: str) -> float:
        return _order_of(self._runs, name)

    def _has_run(self, name: str, number: int) -> bool:
        tries = [run for run in self._runs if run.candidate == name and run.round == number]
        return any(not run.failure for run in tries) or len(tries) >= _MOST_FAILURES

    def _round(self) -> int:
        return max((run.round for run in self._runs), default=0)

    def _end_round(self, number: int) -> None:
        """Let candidates leave if all have run in this round."""
        if not all(self._has_run(name, number) for name in self.left):
            return
        for name in list(self.left):
            failed = [run for run in self._runs if run.candidate == name and run.round == number and run.failure]
            if len(failed) >= _MOST_FAILURES:
                self._leave(name, number, Left.FAILED, f"Its runs failed: {failed[-1].failure}")
        if number + 1 < FEWEST_ROUNDS or len(self.left) < 2:
            return
        runs = [run for run in self._runs if run.round <= number]
        fastest = min(self.left, key=lambda name: _order_of(runs, name))
        for name in list(self.left):
            ratio = against(runs, fastest, name) if name != fastest else None
            if ratio is not None and ratio.value > 1.0 and ratio.chance < _CHANCE_IN_A_ROUND:
                self._leave(name, number, Left.SLOWER, f"It takes {interval(ratio)} times as long as {fastest}.")

    def _leave(self, name: str, number: int, why: Left, sentence: str) -> None:
        self.left.remove(name)
        self.departures.append(Departure(name, number, why, sentence))

    def _check_budget(self) -> None:
        known = [run.seconds for run in self._runs if not run.failure]
        if len(known) < 2:
            return
        needed = self.spent_seconds + max(known[1:]) * (len(self._names) - len({run.candidate for run in self._runs}))
        if needed > self._share * self._budget_seconds:
            beside = " and the runs to the target" if self._share < 1 else ""
            raise UserError(
                f"strategy_search.budget_seconds: {self._budget_seconds:g} s cannot hold one short run of each of "
                f"{len(self._names)} candidates{beside}, which takes about {ceil(needed / self._share)} s; raise it, "
                "or name fewer strategies."
            )

    def _round_seconds(self) -> float:
        """Return how long a round of those that are left takes, by their last runs."""
        last: Mapping[str, float] = {run.candidate: run.seconds for run in self._runs}
        return sum(last.get(name, 0.0) for name in self.left)

    @staticmethod
    def _order(names: Sequence[str], number: int) -> list[str]:
        """Alternate the direction, so that no candidate always runs after the same one."""
        return list(names) if number % 2 == 0 else list(reversed(names))


def successful(runs: Sequence[SearchRun], name: str) -> list[SearchRun]:
    """Return the successful runs of a candidate, in their order."""
    return [run for run in runs if run.candidate == name and not run.failure]


def against(runs: Sequence[SearchRun], first: str, second: str) -> Ratio | None:
    """Return the ratio of the second candidate's times to those of the first, over the rounds in which both ran.

    The runs of a round are a pair, of which the medians of their blocks count: a run prepares its sums anew, in other
    memory, so that the blocks of one run are alike (Student's test of the logarithms). None without a common round;
    with a single one there is no interval.
    """
    of_second = {run.round: run for run in successful(runs, second)}
    both = [(run, of_second[run.round]) for run in successful(runs, first) if run.round in of_second]
    logs = [log(median(_per_sample(b)) / median(_per_sample(a))) for a, b in both]
    if not logs:
        return None
    centre = mean(logs)
    if len(logs) == 1:
        return Ratio(exp(centre), None, None)
    error = Error(stdev(logs) / sqrt(len(logs)), len(logs))
    low, high = exp(centre - error.reach), exp(centre + error.reach)
    return Ratio(exp(centre), low, high, chance_of(abs(centre), error))


def typical_us(runs: Sequence[SearchRun], name: str) -> float | None:
    """Return the time of a sample, the geometric mean over the runs' medians of blocks; None if it has no run."""
    logs = _logs(runs, name)
    return exp(mean(logs)) if logs else None


def _logs(runs: Sequence[SearchRun], name: str) -> list[float]:
    return [log(median(_per_sample(run))) for run in successful(runs, name)]


def range_us(runs: Sequence[SearchRun], name: str) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean time of a sample over the candidate's runs; None with fewer than two.

    The medians of the runs' blocks are the values (Student's interval of their logarithms), as in ``against``.
    """
    logs = _logs(runs, name)
    if len(logs) < 2:
        return None
    reach = Error(stdev(logs) / sqrt(len(logs)), len(logs)).reach
    return exp(mean(logs) - reach), exp(mean(logs) + reach)


def _order_of(runs: Sequence[SearchRun], name: str) -> float:
    time_us = typical_us(runs, name)
    return inf if time_us is None else time_us


def interval(ratio: Ratio) -> str:
    """Return a ratio with its interval, in words."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.2f}"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def _per_sample(run: SearchRun) -> list[float]:
    return [time_us / run.samples for time_us in run.blocks_us]
