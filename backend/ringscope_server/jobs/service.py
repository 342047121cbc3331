"""Jobs: submit and cancel."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.spec import FieldError, JobSpec, Placement
from ringscope_server.db.models import IdempotencyKey, Job, Node
from ringscope_server.events import log
from ringscope_server.jobs import gangs
from ringscope_server.jobs.states import ACTIVE, TERMINAL, JobState
from ringscope_server.jobs.transitions import transition
from ringscope_server.nodes.queries import all_nodes, whole_cluster
from ringscope_server.results.summary import EMPTY
from ringscope_server.scheduler.placement import place


class InvalidJobError(Exception):
    """The specification cannot be accepted; ``errors`` say why."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(" ".join(error.detail for error in errors))
        self.errors = errors


class KeyReusedError(Exception):
    """The idempotency key was used before, with another body."""


class JobOverError(Exception):
    """The job has already ended."""


async def submit(session: AsyncSession, spec: JobSpec, user: str, key: str | None, now: datetime) -> tuple[Job, bool]:
    """Put a job in the queue; gives the job and whether it is new.

    The same ``key`` with the same body gives the first job again. Raises KeyReusedError and InvalidJobError.
    """
    body_sha256 = hashlib.sha256(spec.model_dump_json().encode()).hexdigest()
    if key is not None and (earlier := await session.get(IdempotencyKey, (user, key))):
        if earlier.body_sha256 != body_sha256:
            raise KeyReusedError
        return await session.get_one(Job, earlier.job_id), False
    errors = capacity_errors(spec.placement, await all_nodes(session))
    if errors:
        raise InvalidJobError(errors)
    job = Job(
        name=spec.name or default_name(spec),
        kind=spec.kind,
        spec=spec.model_dump(mode="json"),
        user=user,
        priority=spec.priority,
        labels=spec.labels,
        state="queued",
        reason=None,
        created_at=now,
        started_at=None,
        finished_at=None,
        pending_reason=None,
        pending_sentence=None,
        estimated_start=None,
        summary=EMPTY.model_dump(mode="json"),
    )
    session.add(job)
    await session.flush()
    if key is not None:
        session.add(IdempotencyKey(user=user, key=key, body_sha256=body_sha256, job_id=job.id, created_at=now))
    log.record(session, now, user, "job.submitted", ("job", job.id), after="queued")
    return job, True


async def cancel(session: AsyncSession, job_id: int, user: str, now: datetime) -> Job | None:
    """End a job: at once while it waits, through ``stopping`` once it was started. None when there is no such job.

    Raises JobOverError when it has ended already. Cancelling a job that is stopping changes nothing.
    """
    job = await session.get(Job, job_id)
    if job is None:
        return None
    state: JobState = job.state  # type: ignore[assignment]  # the table holds only these words
    if state in TERMINAL:
        raise JobOverError
    sentence = f"Cancelled by {user}."
    if state in ACTIVE:
        await gangs.stop(session, job_id, "user_cancelled", sentence, now, actor=user)
    else:
        await transition(session, job_id, "cancelled", now, actor=user, reason="user_cancelled", message=sentence)
    return job


def default_name(spec: JobSpec) -> str:
    """A name for a job whose owner gave none."""
    benchmark = spec.benchmark
    simulated = "simulated " if benchmark.is_simulated else ""
    return f"{benchmark.collective} {', '.join(benchmark.algorithms)} on {spec.ranks} {simulated}ranks"


def capacity_errors(placement: Placement, nodes: Sequence[Node]) -> list[FieldError]:
    """Why this cluster could never run such a gang, even empty; no error when it could."""
    cluster = whole_cluster(nodes)
    if place(placement, cluster) is not None:
        return []
    slots = sum(len(node.free) for node in cluster)
    eligible = [node for node in cluster if node.carries(placement.selector)]
    offered = sum(len(node.free) for node in eligible)
    if not cluster:
        return [_error("ranks", "the cluster has no node yet; start an agent with `ringscope agent`.")]
    if not eligible:
        wanted = ", ".join(f"{name}={value}" for name, value in placement.selector.items())
        return [_error("selector", f"no node carries {wanted}; change the selector or label a node.")]
    if placement.ranks > offered:
        where = f"the cluster has {slots} slots"
        if len(eligible) < len(cluster):
            where = f"the nodes that its selector allows have {offered} slots"
        return [_error("ranks", f"{placement.ranks} ranks were asked for, but {where}; ask for {offered} or fewer.")]
    shape = f"{placement.nodes} nodes" if placement.nodes else f"{placement.ranks_per_node} ranks on each node"
    field = "nodes" if placement.nodes else "ranks_per_node"
    biggest = max(len(node.free) for node in eligible)
    sentence = (
        f"{placement.ranks} ranks as {shape} do not fit: {len(eligible)} nodes are there, "
        f"the largest with {biggest} slots; change {field} or leave it out."
    )
    return [_error(field, sentence)]


def _error(field: str, sentence: str) -> FieldError:
    return FieldError(pointer=f"/placement/{field}", detail=f"placement.{field}: {sentence}")
