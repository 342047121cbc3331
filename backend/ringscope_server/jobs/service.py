"""Jobs: submit, hold and release."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import NoResultFound
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import REMOVED, digest, not_shown
from ringscope.contracts.findings import FieldError, dotted, pointer
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.job_states import WAITING
from ringscope.contracts.words.units import plural
from ringscope_server.db import advisory_lock
from ringscope_server.db.models import Job
from ringscope_server.events import audit
from ringscope_server.jobs.resuming import resume_errors
from ringscope_server.jobs.searches import search_errors
from ringscope_server.jobs.summary import empty
from ringscope_server.jobs.transitions import locked, transition
from ringscope_server.placement.capacity import Capacity


class InvalidJobError(Exception):
    """The specification cannot be accepted; ``errors`` say why."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(" ".join(error.detail for error in errors))
        self.errors = errors


class WrongStateError(Exception):
    """The job is in a state in which this cannot be done; the sentence says so."""


class TooManyQueuedError(Exception):
    """The user has as many jobs waiting as one may have; the sentence says so."""


async def submit(
    session: AsyncSession,
    spec: JobSpec,
    user: str,
    now: datetime,
    *,
    cloned_from: int | None = None,
    schedule_id: int | None = None,
    fire_time: datetime | None = None,
    max_queued: int = 0,
    capacity: Capacity | None = None,
) -> Job:
    """Put a job into the queue and return it.

    ``max_queued`` jobs of a user may wait; 0 means any number. ``capacity`` caches what fits between calls. Raises
    InvalidJobError and TooManyQueuedError.
    """
    if errors := await problems(session, spec, capacity):
        raise InvalidJobError(errors)
    await _require_room_in_queue(session, user, max_queued)
    job = Job(
        name=spec.name or default_name(spec),
        kind=spec.kind,
        spec=spec.model_dump(mode="json"),
        user=user,
        priority=spec.priority,
        labels=spec.labels,
        ranks=spec.placement.ranks,
        collective=spec.benchmark.collective if spec.benchmark else None,
        algorithms=",".join(_algorithms(spec)),
        env_sha256=digest(spec.env),
        cloned_from=cloned_from,
        schedule_id=schedule_id,
        fire_time=fire_time,
        state="held" if spec.hold else "queued",
        reason=None,
        created_at=now,
        queued_at=now,
        started_at=None,
        finished_at=None,
        pending_reason="held" if spec.hold else None,
        pending_sentence=_held_by(user) if spec.hold else None,
        estimated_start=None,
        summary=empty(spec.kind).model_dump(mode="json"),
    )
    session.add(job)
    await session.flush()
    audit.record(session, now, user, "job.submitted", ("job", job.id), after=job.state)
    return job


async def problems(session: AsyncSession, spec: JobSpec, capacity: Capacity | None = None) -> list[FieldError]:
    """Return what is wrong with a job on this cluster beyond what its specification alone shows."""
    missing = await (capacity or Capacity()).errors(session, spec)
    return _value_errors(spec) + missing + await resume_errors(session, spec) + search_errors(spec)


def require_values(spec: JobSpec) -> None:
    """Raise InvalidJobError if a variable has only the mark of a secret."""
    if errors := _value_errors(spec):
        raise InvalidJobError(errors)


def _value_errors(spec: JobSpec) -> list[FieldError]:
    """Return an error for each variable that has only the mark of a secret, as in the copy of a job that was shown."""
    return [
        FieldError(
            pointer=pointer(("env", name)),
            detail=f"{dotted(('env', name))}: {REMOVED} stands for a value that is not shown; give the value, or leave "
            "the variable out.",
        )
        for name in not_shown(spec.env)
    ]


def _algorithms(spec: JobSpec) -> tuple[str, ...]:
    """Return the algorithms of a benchmark, or the one that sums in training."""
    if spec.benchmark is not None:
        return tuple(spec.benchmark.algorithms)
    return (spec.training.all_reduce,) if spec.training is not None else ()


async def hold(session: AsyncSession, job_id: int, user: str, now: datetime) -> Job | None:
    """Keep a queued job from starting; a held one stays as it is. Return None if there is no such job.

    Raises WrongStateError for a job that was started or has ended.
    """
    job = await find(session, job_id)
    if job is None or job.state == "held":
        return job
    held: dict[str, Any] = {"pending_reason": "held", "pending_sentence": _held_by(user)}
    if not await transition(session, job_id, "held", now, actor=user, **held):
        raise WrongStateError(f"Job {job_id} is {job.state}; only a queued job can be held.")
    return job


async def release(session: AsyncSession, job_id: int, user: str, now: datetime) -> Job | None:
    """Put a held job into the queue; a queued one stays as it is. Return None if there is no such job.

    Raises WrongStateError for a job that was started or has ended.
    """
    job = await find(session, job_id)
    if job is None or job.state == "queued":
        return job
    if not await transition(session, job_id, "released", now, actor=user):
        raise WrongStateError(f"Job {job_id} is {job.state}; only a held job can be released.")
    return job


async def find(session: AsyncSession, job_id: int) -> Job | None:
    """Return the job, locked until the transaction ends, or None."""
    try:
        return await locked(session, job_id)
    except NoResultFound:
        return None


async def _require_room_in_queue(session: AsyncSession, user: str, max_queued: int) -> None:
    if not max_queued:
        return
    await advisory_lock.hold(session, f"queue of {user}")
    waiting = await session.scalar(select(func.count()).where(Job.user == user, Job.state.in_(WAITING)))
    if waiting is not None and waiting >= max_queued:
        raise TooManyQueuedError(
            f"{user} has {waiting} jobs waiting, and {max_queued} at most may wait; "
            "try again when some have started, or cancel some."
        )


def _held_by(user: str) -> str:
    return f"Held by {user}: it waits until somebody releases it."


def default_name(spec: JobSpec) -> str:
    """Return a name for a job whose owner gave none."""
    if spec.training is not None:
        training = spec.training
        return f"{training.model} on {training.dataset.label}, {training.strategy}, {plural(spec.ranks, 'rank')}"
    if spec.strategy_search is not None:
        search = spec.strategy_search.training()
        return f"strategies for {search.model} on {search.dataset.label}, {plural(spec.ranks, 'rank')}"
    if spec.diagnosis is not None:
        what = "links" if spec.diagnosis.measure == "links" else "diagnosis"
        each = spec.placement.ranks_per_node or 1
        rails = f" with {plural(each, 'rail')}" if spec.diagnosis.per == "rail" else ""
        return f"{what} of {plural(spec.ranks // each, 'node')}{rails}"
    if spec.script is not None:
        return f"{spec.script.command} on {plural(spec.ranks, 'rank')}"
    if spec.imported is not None:
        return f"{spec.collective} on {plural(spec.ranks, 'rank')} from {spec.imported.file}"
    benchmark = spec.sweep
    simulated = "simulated " if benchmark.is_simulated else ""
    ranks = plural(spec.ranks, f"{simulated}rank")
    return f"{benchmark.collective} {', '.join(benchmark.algorithms)} on {ranks}"
