"""The order of the queue: priority, then fair share, then age. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

import numpy as np

from ringscope_server.placement.snapshot import QueuedJob, RunningGang

_age = attrgetter("queued_at", "id")


def _turn(job: QueuedJob) -> tuple[int, bool]:
    """Return the level of a job: priority, and within it those that only continue with other slots."""
    return job.priority, job.continues


def in_order(
    queue: Iterable[QueuedJob], running: Iterable[RunningGang], usage: Mapping[str, float]
) -> Iterator[QueuedJob]:
    """Return the jobs, first to last.

    Within a priority the user goes next who has had least: decayed usage, and what the running gangs and the jobs
    ahead may use until their time limits. So the jobs of two users alternate, however many one of them has sent.
    """
    had = defaultdict(float, usage)
    for gang in running:
        if gang.is_over:
            continue  # it has been charged
        had[gang.user] += gang.slots * (gang.ends_at - gang.started_at).total_seconds()
    levels: dict[tuple[int, bool], list[QueuedJob]] = defaultdict(list)
    for job in sorted(queue, key=_age):
        levels[_turn(job)].append(job)
    for turn in sorted(levels, reverse=True):
        yield from _fairly(levels[turn], had)


def _fairly(jobs: Sequence[QueuedJob], had: dict[str, float]) -> Iterator[QueuedJob]:
    """Return one priority level, given by age, in fair order; ``had`` grows with what each user is given here."""
    had_before: list[float] = []  # by the job's user; it only grows, so that each user's jobs stay in their order
    for job in jobs:
        had_before.append(had[job.user])
        had[job.user] += job.placement.ranks * job.time_limit_seconds
    return (jobs[index] for index in np.argsort(had_before, kind="stable").tolist())
