"""/agents: what node agents say and ask. See ringscope.protocol."""

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.protocol import (
    Directives,
    Poll,
    RecordBatch,
    RecordsAccepted,
    Registered,
    Registration,
    Report,
)
from ringscope_server.db.models import Attempt, Member, Node
from ringscope_server.events.live import publish_jobs, publish_log, publish_measurements
from ringscope_server.http.auth import Agent
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.http.services import ServicesDep
from ringscope_server.jobs import gangs
from ringscope_server.nodes import registry
from ringscope_server.nodes.assignments import assignments_of
from ringscope_server.scheduler.loop import Changes, announce
from ringscope_server.services import Services
from ringscope_server.telemetry.ingest import Ingested, ingest

router = APIRouter(prefix="/agents", tags=["agents"])


@router.post("/register", operation_id="register_agent")
async def register(registration: Registration, agent: Agent, services: ServicesDep) -> Registered:
    """Take a node in, or take it back."""
    async with services.database.write() as session:
        node = await registry.register(session, registration, services.now())
    await announce(services, Changes(nodes={node.id}))
    services.signals.wake_scheduler()
    return Registered(node_id=node.id, epoch=node.epoch)


@router.post("/{name}/poll", operation_id="poll_agent")
async def poll(name: str, body: Poll, agent: Agent, services: ServicesDep) -> Directives:
    """Heartbeat of a node; answers as soon as its assignments are others than it has seen."""
    node, was_lost = await _heartbeat(services, name, body.epoch)
    if was_lost:
        await announce(services, Changes(nodes={node.id}))
        services.signals.wake_scheduler()
    await services.signals.wait_for_assignments(node.id, body.seen, services.settings.poll_seconds)
    revision = services.signals.revision(node.id)
    async with services.database.read() as session:
        return Directives(revision=revision, assignments=await assignments_of(session, node.id))


@router.post("/{name}/reports", status_code=204, operation_id="report_agent")
async def report(name: str, body: Report, agent: Agent, services: ServicesDep) -> None:
    """News of an attempt on a node."""
    changes = Changes()
    async with services.database.write() as session:
        node = await _speaker(session, services, name, body.epoch)
        attempt, member = await _share(session, body.attempt_id, node)
        if body.event == "clean" and member.last_sequence < body.last_sequence:
            sentence = (
                f"Records up to {body.last_sequence} are reported, {member.last_sequence} arrived; send the rest."
            )
            raise Problem(412, "records_missing", sentence)
        await gangs.apply_report(session, attempt, member, body, services.now())
        changes.attempt(attempt)
        if await gangs.finish_if_clean(session, attempt, services.now()):
            changes.ended(attempt.job)
    await announce(services, changes)


@router.post("/{name}/records", operation_id="ingest_records")
async def records(name: str, body: RecordBatch, agent: Agent, services: ServicesDep) -> RecordsAccepted:
    """Records of an attempt on a node; committed when the answer comes."""
    async with services.database.write() as session:
        node = await _speaker(session, services, name, body.epoch)
        attempt, member = await _share(session, body.attempt_id, node)
        ingested = await ingest(session, member, attempt.job_id, node.name, body)
    await _tell(services, attempt.job_id, ingested)
    return RecordsAccepted(last_sequence=ingested.last_sequence)


async def _heartbeat(services: Services, name: str, epoch: int) -> tuple[Node, bool]:
    try:
        async with services.database.write() as session:
            return await registry.heard_of(session, name, epoch, services.now())
    except registry.StaleEpochError as error:
        raise _stale(name) from error


async def _speaker(session: AsyncSession, services: Services, name: str, epoch: int) -> Node:
    try:
        node, _ = await registry.heard_of(session, name, epoch, services.now())
    except registry.StaleEpochError as error:
        raise _stale(name) from error
    return node


def _stale(name: str) -> Problem:
    return Problem(409, "stale_epoch", f"Node {name} is registered anew or not at all; register again.")


async def _share(session: AsyncSession, attempt_id: int, node: Node) -> tuple[Attempt, Member]:
    attempt = await gangs.load(session, attempt_id)
    for member in attempt.members if attempt else ():
        if member.node_id == node.id:
            assert attempt is not None
            return attempt, member
    raise not_found("attempt on this node with id", attempt_id)


async def _tell(services: Services, job_id: int, ingested: Ingested) -> None:
    services.monitoring.ingested.update(ingested.counts)
    services.monitoring.rejected["malformed"] += ingested.rejected
    publish_measurements(services.stream, job_id, ingested.measurements)
    publish_log(services.stream, job_id, ingested.log_lines)
    if ingested.measurements:
        await publish_jobs(services.database, services.stream, [job_id])
