"""Intervals of means of few values, and the test that belongs to them. Pure."""

from math import erfc, log1p, sqrt
from typing import NamedTuple

SURE = 1.96  # standard errors to either side hold 95 %, where those are known
_MOST_LOG_ERROR = 100.0  # the time is unknown then, but what follows from it is still a number
# Student's quantiles for 1, 2, 3 … degrees of freedom.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def sure_of(values: int) -> float:
    """Return how many standard errors to either side hold 95 %, for an error estimated from ``values`` >= 2 values."""
    freedom = values - 1
    return _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else SURE + 2.5 / freedom


class Error(NamedTuple):
    """Standard error of a time's logarithm, and the number of values it was estimated from."""

    standard: float
    values: int

    @property
    def reach(self) -> float:
        """Half of the logarithm's 95 % interval."""
        return min(sure_of(self.values) * self.standard, _MOST_LOG_ERROR)


def chance_of(distance: float, *errors: Error) -> float:
    """Return the probability that equal algorithms' log times are this far apart.

    This is Welch's test, with Wallace's normal approximation (1959) of Student's distribution, which is never below it.
    """
    variances = [error.standard**2 for error in errors]
    if not any(variances):  # the model's times have no error
        return 0.0 if distance else 1.0
    freedom = sum(variances) ** 2 / sum(error.standard**4 / (error.values - 1) for error in errors)
    normal = sqrt(freedom * log1p(distance**2 / sum(variances) / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return erfc(normal / sqrt(2))
