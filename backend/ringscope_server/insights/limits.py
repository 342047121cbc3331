"""The time without progress after which ranks hang. Pure."""

import math
from dataclasses import dataclass

from ringscope.contracts.job import JobSpec

HANG_SECONDS = 60.0  # the limit of a job that gives none


@dataclass(frozen=True)
class Limits:
    """The limits of one job.

    Args:
        hang_seconds: for ranks at their steps.
        load_seconds: for ranks in a stage, such as an import.
        tells_steps: whether the ranks report steps, so that their silence is a sign. If not, a gang only hangs if all
            its ranks are in calls.
        call: the name of the call that a step is a part of.
    """

    hang_seconds: float = HANG_SECONDS
    load_seconds: float = 1800.0
    tells_steps: bool = True
    call: str = "a call"

    @classmethod
    def of(cls, spec: JobSpec) -> "Limits":
        """Return the limits of a job; a simulation has none, because it is one process that reports everything at its
        end.
        """
        if spec.is_simulated:
            return cls(math.inf, math.inf)
        trains = spec.training or spec.strategy_search
        call = spec.benchmark.collective if spec.benchmark else "a sum over the ranks" if trains else "a call"
        given = spec.hang_seconds
        return cls(given or HANG_SECONDS, spec.load_seconds, spec.tells_steps or given is not None, call)
