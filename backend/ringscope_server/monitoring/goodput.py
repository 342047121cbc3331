"""The part of a job's time that its ranks spend in steps."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import mean


@dataclass
class _Rank:
    start_ns: int
    end_ns: float
    seconds: float


class Goodput:
    """Adds up the reports to this server, by job and rank; times are of each node's own clock."""

    def __init__(self) -> None:
        self._jobs: dict[int, dict[int, _Rank]] = {}

    def note(self, job_id: int, rank: int, start_ns: int, end_ns: float, seconds: float) -> None:
        """Add steps of a rank: when the first began, when the last ended, and the time in them."""
        ranks = self._jobs.setdefault(job_id, {})
        known = ranks.setdefault(rank, _Rank(start_ns, end_ns, 0.0))
        known.end_ns = max(known.end_ns, end_ns)
        known.seconds += seconds

    def ratio(self, job_id: int) -> float | None:
        """Return the goodput; None before the first step."""
        ratios = [
            rank.seconds / ((rank.end_ns - rank.start_ns) * 1e-9)
            for rank in self._jobs.get(job_id, {}).values()
            if rank.end_ns > rank.start_ns
        ]
        return min(1.0, mean(ratios)) if ratios else None

    def forget_all_but(self, jobs: Collection[int]) -> None:
        """Forget all jobs except these, which are still shown."""
        self._jobs = {job_id: ranks for job_id, ranks in self._jobs.items() if job_id in jobs}
