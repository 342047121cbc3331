"""How long ranks may come no further before that is called a hang. Pure."""

import math
from dataclasses import dataclass

from ringscope.contracts.job import JobSpec

HANG_SECONDS = 60.0  # where a job does not say otherwise


@dataclass(frozen=True)
class Limits:
    """The limits of one job.

    Args:
        hang_seconds: for ranks at their steps.
        load_seconds: for ranks in a stage, such as an import.
        tells_steps: whether the ranks' silence means something. If not, only a gang hangs whose ranks all are in calls.
        call: what a step is a part of, in words.
    """

    hang_seconds: float = HANG_SECONDS
    load_seconds: float = 1800.0
    tells_steps: bool = True
    call: str = "a call"

    @classmethod
    def of(cls, spec: JobSpec) -> "Limits":
        """Those of a job; a simulation has none, as it is one process that tells everything at its end."""
        if spec.is_simulated:
            return cls(math.inf, math.inf)
        call = spec.benchmark.collective if spec.benchmark else "a sum over the ranks" if spec.training else "a call"
        given = spec.hang_seconds
        return cls(given or HANG_SECONDS, spec.load_seconds, spec.tells_steps or given is not None, call)
