"""A preview of submitting a job now. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime

from ringscope_server.placement.plan import Plan, Start, Wait, plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, Snapshot


@dataclass(frozen=True, slots=True)
class Delay:
    """A queued job that would start later; ``after`` is None if that cannot be predicted."""

    job_id: int
    before: datetime
    after: datetime | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The placement of the job if it started now, or why it would wait; the jobs that it would delay or end."""

    start: Start | None
    wait: Wait | None
    delays: tuple[Delay, ...]
    preempted_jobs: tuple[int, ...]


def preview(snapshot: Snapshot, job: QueuedJob, policy: Policy, now: datetime) -> Preview:
    """Make two plans, without the job and with it."""
    without = plan(snapshot, policy, now)
    with_it = plan(replace(snapshot, queue=(*snapshot.queue, job)), policy, now)
    return Preview(
        start=next((start for start in with_it.starts if start.job_id == job.id), None),
        wait=next((wait for wait in with_it.waits if wait.job_id == job.id), None),
        delays=tuple(_delays(without, with_it, now)),
        preempted_jobs=tuple(found.job_id for found in with_it.preemptions if found.for_job_id == job.id),
    )


def _delays(without: Plan, with_it: Plan, now: datetime) -> list[Delay]:
    before, after = _times(without, now), _times(with_it, now)
    # One job more moves another one out of those whose start is estimated at all: that is no delay.
    untold = {wait.job_id for wait in with_it.waits if wait.estimated_start is None and wait.reason != "user_cap"}
    return [
        Delay(job_id, time, after.get(job_id))
        for job_id, time in before.items()
        if job_id not in untold and (job_id not in after or after[job_id] > time)
    ]


def _times(made: Plan, now: datetime) -> dict[int, datetime]:
    started = {start.job_id: now for start in made.starts}
    return started | {wait.job_id: wait.estimated_start for wait in made.waits if wait.estimated_start is not None}
