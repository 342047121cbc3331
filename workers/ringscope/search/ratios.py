"""Times of a search's candidates, and the ratio of two with its interval. Pure.

A run prepares its sums anew, in other memory, so that its steps are alike: their mean is one value. It is the mean
because a strategy whose steps stall now and then trains as slowly as its mean says.
Trials do not count: in so few steps libraries initialise and memory is touched for the first time.
"""

from collections.abc import Sequence
from itertools import combinations
from math import exp, log, sqrt
from statistics import mean, stdev, variance
from typing import NamedTuple

from ringscope.contracts.search.record import SearchRun
from ringscope.judging.intervals import Error, chance_of
from ringscope.judging.rank_tests import Ratio


class Spread(NamedTuple):
    """Variance of the logarithm of the ratio of two runs of a round, over all pairs of candidates."""

    variance: float
    freedom: int  # degrees of freedom of the variance

    @classmethod
    def of(cls, runs: Sequence[SearchRun]) -> "Spread | None":
        """Return the spread; None without two candidates that ran in the same two rounds.

        If all candidates ran in all rounds, this is the variance of candidates and rounds in two ways (Fisher): it has
        (candidates - 1)(rounds - 1) degrees of freedom, a pair alone only rounds - 1.
        """
        times_us = _times_us(runs)
        squares, freedom = 0.0, 0
        for first, second in combinations(times_us, 2):
            logs = _log_ratios(times_us[first], times_us[second])
            if len(logs) > 1:
                squares += variance(logs) * (len(logs) - 1)
                freedom += len(logs) - 1
        return cls(squares / freedom, max(1, 2 * freedom // len(times_us))) if freedom else None


def successful(runs: Sequence[SearchRun], name: str) -> list[SearchRun]:
    """Return the successful runs of a candidate, in their order, with its trial."""
    return [run for run in runs if run.candidate == name and not run.failure]


def counted(runs: Sequence[SearchRun], name: str) -> list[SearchRun]:
    """Return the successful runs of a candidate without its trial, which stands for them while there is no other."""
    found = successful(runs, name)
    return [run for run in found if not run.is_trial] or found


def against(runs: Sequence[SearchRun], first: str, second: str, spread: Spread | None = None) -> Ratio | None:
    """Return the ratio of the second candidate's times to those of the first, over the rounds in which both ran.

    The runs of a round are a pair (Student's test of the logarithms). Their variance is that of all pairs of candidates
    (``spread``, of these runs by default), or that of this pair where it is larger: few rounds tell little of a
    single pair, and a pair that varies more than the others is not taken for a calm one. None without a common round;
    with a single one there is no interval.
    """
    times_us = _times_us(runs)
    logs = _log_ratios(times_us.get(first, {}), times_us.get(second, {}))
    if not logs:
        return None
    centre, spread = mean(logs), spread or Spread.of(runs)
    if len(logs) == 1 or spread is None:
        return Ratio(exp(centre), None, None)
    error = Error(sqrt(max(spread.variance, variance(logs)) / len(logs)), spread.freedom + 1)
    low, high = exp(centre - error.reach), exp(centre + error.reach)
    return Ratio(exp(centre), low, high, chance_of(abs(centre), error))


def typical_us(runs: Sequence[SearchRun], name: str) -> float | None:
    """Return the time of a sample, the geometric mean over its runs; None if it has no run."""
    logs = _logs(runs, name)
    return exp(mean(logs)) if logs else None


def range_us(runs: Sequence[SearchRun], name: str) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean time of a sample over the candidate's runs; None with fewer than two.

    The runs are the values (Student's interval of their logarithms).
    """
    logs = _logs(runs, name)
    if len(logs) < 2:
        return None
    reach = Error(stdev(logs) / sqrt(len(logs)), len(logs)).reach
    return exp(mean(logs) - reach), exp(mean(logs) + reach)


def interval(ratio: Ratio) -> str:
    """Return a ratio with its interval, in words."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.2f}"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def _times_us(runs: Sequence[SearchRun]) -> dict[str, dict[int, float]]:
    """Return the time of a sample of each candidate in each round that counts."""
    names = dict.fromkeys(run.candidate for run in runs if not run.failure)
    return {name: {run.round: _per_sample_us(run) for run in counted(runs, name)} for name in names}


def _log_ratios(first: dict[int, float], second: dict[int, float]) -> list[float]:
    return [log(second[number] / time_us) for number, time_us in first.items() if number in second]


def _logs(runs: Sequence[SearchRun], name: str) -> list[float]:
    return [log(_per_sample_us(run)) for run in counted(runs, name)]


def _per_sample_us(run: SearchRun) -> float:
    return run.time_us / run.samples
