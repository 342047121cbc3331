"""/plan: the effect of a job on the queue, without submitting it."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import NewJob
from ringscope.contracts.words.devices import SIMULATED
from ringscope_server.db.models import Job
from ringscope_server.http.auth import Operator
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import invalid
from ringscope_server.jobs import service
from ringscope_server.placement.preview import Delay, Preview, preview
from ringscope_server.placement.snapshot import Policy, QueuedJob, Snapshot, WorkPlacement
from ringscope_server.placement.tables import take_snapshot
from ringscope_server.results.links.newest import measured_rates

router = APIRouter(prefix="/plan", tags=["planning"])

_NOT_YET = 2**62  # the number of a job that does not exist, above all existing ones


class PlannedShare(BaseModel):
    """A node's part of the gang."""

    node: str
    slots: list[int]


class PlannedWait(BaseModel):
    """The reason for which it would wait."""

    reason: str
    sentence: str


class PlannedDelay(BaseModel):
    """A queued job that would start later, as far as this can be predicted."""

    model_config = ConfigDict(validate_by_name=True)

    job_id: int
    name: str
    is_simulated: bool = Field(description="Whether it only asks for the cost model's times and measures nothing.")
    before: AwareDatetime = Field(alias="from")
    after: AwareDatetime | None = Field(alias="to")


class QueuePlan(BaseModel):
    """The effect of submitting the job now (and not held)."""

    starts_now: bool
    estimated_start: AwareDatetime | None = Field(
        description="The expected start if every job runs until its time limit."
    )
    pending: PlannedWait | None
    shares: list[PlannedShare] = Field(description="The node parts where it would start now; empty if it would wait.")
    placed_because: str = Field(
        "", description="Why it would get these nodes; empty unless their measured links decide it."
    )
    position: int = Field(description="Position in the queue: 1 is next, 0 means that it starts now.")
    delays: list[PlannedDelay]
    preempted_jobs: list[int] = Field(description="Running jobs of lower priority that would end for it.")


@router.post("/queue", operation_id="plan_queue")
async def plan_queue(spec: NewJob, user: Operator, services: ServicesDep) -> QueuePlan:
    """Plan when and where a job would start and which jobs it would delay; nothing is submitted."""
    now, policy = services.now(), Policy.of(services.settings)
    async with services.database.read() as session:
        if errors := await service.problems(session, spec, services.capacity):
            raise invalid(errors)
        queue = await services.queue.look(session)
        snapshot = await take_snapshot(session, [waits.job for waits in queue.values()], policy, now)
        queued = await _queued(session)
        if spec.placement.arrangement == "fastest":
            snapshot = replace(snapshot, rates=await measured_rates(session))
    job = QueuedJob(_NOT_YET, WorkPlacement.of(spec), user.name, spec.priority, now, spec.time_limit_seconds)
    found = await asyncio.to_thread(preview, snapshot, job, policy, now)
    return _view(found, snapshot, queued, now)


class _Queued(NamedTuple):
    name: str
    transport: str | None  # only for a benchmark


async def _queued(session: AsyncSession) -> dict[int, _Queued]:
    transport = Job.spec[("benchmark", "transport")].as_string()
    rows = await session.execute(select(Job.id, Job.name, transport).where(Job.state == "queued"))
    return {job_id: _Queued(name, transport) for job_id, name, transport in rows}


def _view(found: Preview, snapshot: Snapshot, queued: Mapping[int, _Queued], now: datetime) -> QueuePlan:
    nodes = {node.id: node.name for node in snapshot.nodes}
    start, wait = found.start, found.wait
    return QueuePlan(
        starts_now=start is not None,
        estimated_start=now if wait is None else wait.estimated_start,
        pending=None if wait is None else PlannedWait(reason=wait.reason, sentence=wait.sentence),
        shares=[PlannedShare(node=nodes[s.node_id], slots=list(s.slots)) for s in (start.shares if start else ())],
        placed_because=start.reason if start else "",
        position=0 if wait is None else wait.position,
        delays=[_delayed(delay, queued[delay.job_id]) for delay in found.delays],
        preempted_jobs=list(found.preempted_jobs),
    )


def _delayed(delay: Delay, job: _Queued) -> PlannedDelay:
    return PlannedDelay(
        job_id=delay.job_id,
        name=job.name,
        is_simulated=job.transport == SIMULATED,
        before=delay.before,
        after=delay.after,
    )
