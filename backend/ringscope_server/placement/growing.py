"""The running elastic jobs that would have more ranks if they started again, since slots have returned. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from ringscope_server.placement.plan import Start, plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, RunningGang, Snapshot, WorkPlacement


@dataclass(frozen=True, slots=True)
class Growth:
    """A running elastic job, its ranks, and those that it could have if it started again."""

    job_id: int
    ranks: int
    more_ranks: int


def growing(wanted: Mapping[int, WorkPlacement], snapshot: Snapshot, policy: Policy, now: datetime) -> list[Growth]:
    """Return the elastic jobs that would have more ranks with their own slots and those that are free.

    The plan itself tells how many: by another rule a job could end again and again without getting more.

    Args:
        wanted: by running job, what it asks for.
    """
    running, found = list(snapshot.running), list[Growth]()
    for index, gang in enumerate(snapshot.running):
        placement = wanted.get(gang.job_id)
        if placement is None or gang.is_stopping:
            continue
        start = _started_again(gang, placement, replace(snapshot, running=_without(running, index)), policy, now)
        ranks = sum(len(share.slots) for share in start.shares) if start else 0
        if start and ranks > gang.slots:
            found.append(Growth(gang.job_id, gang.slots, ranks))
            running[index] = replace(gang, shares=start.shares)
    return found


def _without(running: list[RunningGang], index: int) -> tuple[RunningGang, ...]:
    return (*running[:index], *running[index + 1 :])


def _started_again(
    gang: RunningGang, placement: WorkPlacement, snapshot: Snapshot, policy: Policy, now: datetime
) -> Start | None:
    """Return the start of a gang's job on these nodes if it alone were in the queue."""
    seconds = round((gang.ends_at - gang.started_at).total_seconds())
    job = QueuedJob(gang.job_id, placement, gang.user, gang.priority, now, seconds)
    starts = plan(replace(snapshot, queue=(job,)), policy, now).starts
    return starts[0] if starts else None
