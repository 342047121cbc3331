"""Rounds of a search: which candidate runs next, which leaves, and when the search ends. Pure.

All candidates that are left run once in each round, so that a change of the machine's speed affects all alike. The next
run follows from the runs so far and from nothing else: an attempt that continues after a killed rank needs only them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, inf
from statistics import mean

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.record import SearchRun
from ringscope.judging.rank_tests import Ratio
from ringscope.search.ratios import Spread, against, counted, interval, range_us, successful, typical_us

FEWEST_ROUNDS = 3  # without trials, before a candidate may leave: how much its runs differ is not known before
MOST_ROUNDS = 12  # with that of the trials
SHORT_SECONDS = 1.2  # timed steps of a run until candidates may leave, so that slow ones cost little
_LONG_SECONDS = 15.0  # later runs are longer if the budget has the time, but no longer than this
WARM_SECONDS = 0.4  # the first steps of a run take up to 1.5 times as long as those that follow
_PLANNED = 0.95  # part of the unspent budget; the rest is for runs that take longer than planned
# Probability that one of two equal candidates leaves for the other, over all rounds. Half of it is for the rounds in
# equal parts, and the last one that the budget holds has what is left.
_CHANCE = 0.05
_CHANCE_IN_A_ROUND = _CHANCE / 2 / (MOST_ROUNDS - FEWEST_ROUNDS + 1)
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
        self._unspent_chance = _CHANCE
        for number in range(max((run.round for run in runs), default=-1) + 1):
            self._end_round(number)
        self._is_over = self._wanted() is None
        if self._is_over:
            self._compare(self._round(), self._unspent_chance)

    @property
    def spent_seconds(self) -> float:
        """Return the time of all runs."""
        return sum(run.seconds for run in self._runs)

    @property
    def held(self) -> int | None:
        """Return the number of rounds if the budget ended them before the last one."""
        rounds = self._round() + 1
        return rounds if self._is_over and len(self.left) > 1 and rounds < MOST_ROUNDS else None

    @property
    def is_short_of_time(self) -> bool:
        """Return whether a longer budget would have made the last round's runs longer."""
        return self._is_over and len(self.left) > 1 and self.timed_seconds(self._round()) < _LONG_SECONDS

    def next_run(self) -> tuple[str, int] | None:
        """Return the candidate that runs next, and its round; None if the search is over.

        UserError if the budget cannot hold one short run of each candidate; the second run shows how long one
        takes, because libraries initialise in the first one.
        """
        if self._round() == 0:
            self._check_budget()
        return None if self._is_over else self._wanted()

    def timed_seconds(self, number: int) -> float:
        """Return how long each run of a round times its steps: longer if the budget has time for it.

        All runs of a round are as long, so it follows from those of earlier rounds.
        """
        before = [run for run in self._runs if run.round < number]
        if self._compared(number - 1) < FEWEST_ROUNDS:
            return SHORT_SECONDS
        unspent = self._share * self._budget_seconds - sum(run.seconds for run in before)
        whole = _PLANNED * unspent / (MOST_ROUNDS - number) / len(self.left)
        last = {run.candidate: run.seconds - run.steps * run.time_us / 1e6 for run in before if not run.failure}
        start = mean(last.get(name, 0.0) for name in self.left)
        return max(SHORT_SECONDS, min(_LONG_SECONDS, whole - start - WARM_SECONDS))

    def _wanted(self) -> tuple[str, int] | None:
        number = self._round()
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
        """Return the successful runs of a candidate, with its trial."""
        return successful(self._runs, name)

    def counted(self, name: str) -> list[SearchRun]:
        """Return the successful runs of a candidate that count."""
        return counted(self._runs, name)

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
        if self._compared(number) >= FEWEST_ROUNDS and len(self.left) > 1:
            self._unspent_chance -= _CHANCE_IN_A_ROUND
            self._compare(number, _CHANCE_IN_A_ROUND)

    def _compare(self, number: int, chance: float) -> None:
        """Let candidates leave that are slower than the fastest, unless equals differ as much with this chance."""
        if self._compared(number) < FEWEST_ROUNDS or len(self.left) < 2:
            return
        runs = [run for run in self._runs if run.round <= number]
        spread, fastest = Spread.of(runs), min(self.left, key=lambda name: _order_of(runs, name))
        for name in list(self.left):
            ratio = against(runs, fastest, name, spread) if name != fastest else None
            if ratio is not None and ratio.value > 1.0 and ratio.chance < chance:
                self._leave(name, number, Left.SLOWER, f"It takes {interval(ratio)} times as long as {fastest}.")

    def _compared(self, number: int) -> int:
        """Return how many rounds up to this one have runs that can be compared."""
        return len({run.round for run in self._runs if run.round <= number and not (run.is_trial or run.failure)})

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
        """Return how long a round of those that are left takes, by their last runs.

        Libraries initialise in the first run of all, so that another candidate's stands for it.
        """
        last = {run.candidate: run.seconds for run in self._runs}
        very_first = self._runs[0].candidate
        if len(last) > 1 and sum(run.candidate == very_first for run in self._runs) == 1:
            del last[very_first]
        return sum(last.get(name, max(last.values())) for name in self.left)

    @staticmethod
    def _order(names: Sequence[str], number: int) -> list[str]:
        """Alternate the direction, so that no candidate always runs after the same one."""
        return list(names) if number % 2 == 0 else list(reversed(names))


def _order_of(runs: Sequence[SearchRun], name: str) -> float:
    time_us = typical_us(runs, name)
    return inf if time_us is None else time_us
