"""/agents: the requests of node agents. See ringscope.contracts.protocol."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import (
    Directives,
    Join,
    Joined,
    Leave,
    Poll,
    Pulse,
    RecordBatch,
    RecordsAccepted,
    Registered,
    Registration,
    Report,
)
from ringscope_server.attempts import disturbance, gangs
from ringscope_server.attempts.assignments import assignments_of, ordered_anew, orders_of
from ringscope_server.changes import Changes, announce, announce_ended_tokens
from ringscope_server.db.models import Attempt, Member
from ringscope_server.http.auth import Agent, Joiner
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.insights import diverged, store, wrong_result
from ringscope_server.live.feed import note_steps, publish_jobs, publish_log, publish_measurements
from ringscope_server.monitoring.ingested import count_ingested
from ringscope_server.nodes import joining, lifetimes, registry
from ringscope_server.nodes.heartbeats import Clock
from ringscope_server.results import log, newest_steps
from ringscope_server.services import Services
from ringscope_server.telemetry.ingest import Ingested, ingest
from ringscope_server.users import rotation
from ringscope_server.users.tokens import User

router = APIRouter(prefix="/agents", tags=["agents"])


async def _own_node(name: str, agent: Agent, services: ServicesDep) -> str:
    """Return the node in the path if the token is valid for it."""
    await _require_own(services, agent, name)
    return name


async def _require_own(services: Services, agent: User, name: str) -> None:
    if agent.node != name:
        sentence = f"This token speaks for node {agent.node} only, not for {name}; let {name} join with a join token."
        raise Problem(403, "not_your_node", sentence)
    if agent.next_sha256:
        async with services.database.write() as session:
            await rotation.settle(session, agent.token_id, agent.next_sha256, services.now())
        await announce_ended_tokens(services)


NodeName = Annotated[str, Depends(_own_node)]


@router.post("/join", status_code=201, operation_id="join_agent")
async def join(body: Join, joiner: Joiner, services: ServicesDep) -> Joined:
    """Give a node a token of its own, for a new node, a lost one, or one without a valid token."""
    try:
        async with services.database.write() as session:
            joined = await joining.join(session, body.name, joiner, services.now())
    except joining.NodeLivesError as error:
        sentence = (
            f"There is a node {body.name} already, and it lives; choose another name, revoke its token, "
            "or stop its agent and wait until the node is lost."
        )
        raise Problem(409, "node_lives", sentence) from error
    if joined.has_replaced:
        await announce_ended_tokens(services)
    return Joined(token=joined.secret)


@router.post("/register", operation_id="register_agent")
async def register(registration: Registration, agent: Agent, services: ServicesDep) -> Registered:
    """Register a node, also one that registered before."""
    await _require_own(services, agent, registration.name)
    received_ns = services.now_ns()
    async with services.database.write() as session:
        registered = await registry.register(session, registration, services.now())
    node = registered.node
    services.directory.remember(node.name, node.id, node.epoch)
    await announce(services, Changes(nodes=registered.gangs))
    services.signals.wake_scheduler()
    return Registered(received_ns=received_ns, sent_ns=services.now_ns(), node_id=node.id, epoch=node.epoch)


@router.post("/{name}/poll", operation_id="poll_agent")
async def poll(name: NodeName, body: Poll, agent: Agent, services: ServicesDep) -> Directives:
    """Receive a node's heartbeat; answer as soon as its assignments differ from those that it has seen."""
    received_ns = services.now_ns()
    known = services.directory.find(name, body.epoch)
    node_id = known if known is not None else await _ask(services, name, body.epoch)
    services.heartbeats.note(node_id, body.epoch, services.now(), Clock.told_by(body))
    services.readings.note(node_id, body.reading)
    await services.signals.wait_for_assignments(node_id, body.seen, services.settings.poll_seconds)
    revision = services.signals.revision(node_id)
    assignments, rotate = None, False
    if revision != body.seen or known is None:
        async with services.database.read() as session:
            await _speaker(session, name, body.epoch)
            assignments = await assignments_of(session, node_id)
            rotate = await rotation.is_wanted(session, agent.token_id)
    return Directives(
        received_ns=received_ns,
        sent_ns=services.now_ns(),
        revision=revision,
        assignments=assignments,
        rotate_token=rotate,
    )


@router.post("/{name}/rotate", operation_id="rotate_agent_token")
async def rotate(name: NodeName, agent: Agent, services: ServicesDep) -> Joined:
    """Return the node's new token once an administrator wants a rotation; the old one ends when the new one is used."""
    try:
        async with services.database.write() as session:
            return Joined(token=await rotation.next_secret(session, agent.token_id))
    except rotation.NotWantedError as error:
        sentence = f"Nobody has asked for another token of node {name}; go on with the one there is."
        raise Problem(412, "not_wanted", sentence) from error


@router.post("/{name}/reports", status_code=204, operation_id="report_agent")
async def report(name: NodeName, body: Report, services: ServicesDep) -> None:
    """Receive an agent's report on an attempt."""
    changes = Changes()
    async with services.database.write() as session:
        node_id, _ = await _speaker(session, name, body.epoch)
        attempt, member = await _share(session, body.attempt_id, node_id)
        if body.event == "clean" and member.last_sequence < body.last_sequence:
            sentence = (
                f"Records up to {body.last_sequence} are reported, {member.last_sequence} arrived; send the rest."
            )
            raise Problem(412, "records_missing", sentence)
        had_started, orders = attempt.started_at is not None, orders_of(attempt)
        await gangs.apply_report(session, attempt, member, body, services.now())
        if body.event == "ended":
            await disturbance.note(session, attempt, services.settings.most_other_load_percent)
        changes.jobs.add(attempt.job_id)
        changes.nodes |= {node_id} | ordered_anew(orders, orders_of(attempt))
        if attempt.started_at is not None and not had_started:
            changes.started(attempt.job, attempt.started_at)
        if await gangs.finish_if_clean(session, attempt, services.now()):
            changes.ended(attempt.job)
    services.heartbeats.note(node_id, body.epoch, services.now())
    await announce(services, changes)


@router.post("/{name}/records", operation_id="ingest_records")
async def records(name: NodeName, body: RecordBatch, services: ServicesDep) -> RecordsAccepted:
    """Store records of an attempt on a node; they are committed when the answer arrives."""
    stored, end = -1, body.first_sequence + len(body.records) - 1
    while True:
        async with services.database.write() as session:
            node_id, _ = await _speaker(session, name, body.epoch)
            attempt, member = await _share(session, body.attempt_id, node_id)
            ingested = await ingest(session, member, attempt, name, body)
            step_ids = await _step_ids(services, session, attempt.id, ingested)
            line_ids = await _line_ids(services, session, attempt.job_id, ingested)
            offset_seconds = member.clock_offset_seconds or 0.0
            found = [*wrong_result.of_checks(ingested.checks, name), *diverged.of_records(ingested.diverged, name)]
            await store.open_new(session, attempt.job_id, attempt.id, found, services.now())
        services.heartbeats.note(node_id, body.epoch, services.now())
        count_ingested(services.monitoring, attempt.job_id, ingested, services.now_ns(), offset_seconds)
        note_steps(services.stream, services.steps, attempt.job_id, attempt.id, ingested.steps)
        services.notices.put_rows(attempt.job_id, "steps", step_ids)
        await _tell(services, attempt.job_id, ingested, line_ids)
        if ingested.last_sequence in (stored, end) or ingested.last_sequence > end:
            return RecordsAccepted(last_sequence=ingested.last_sequence)
        stored = ingested.last_sequence


@router.post("/{name}/pulses", status_code=204, operation_id="pulse_agent")
async def pulse(name: NodeName, body: Pulse, services: ServicesDep) -> None:
    """Receive the progress of an attempt's ranks on a node, kept in memory until the next look for insights."""
    known = services.directory.find(name, body.epoch)
    node_id = known if known is not None else await _ask(services, name, body.epoch)
    services.pulses.note(node_id, body, services.now())


@router.post("/{name}/leave", status_code=204, operation_id="leave_agent")
async def leave(name: NodeName, body: Leave, services: ServicesDep) -> None:
    """Remove a node whose agent ends for good from the lists; its own token ends with it."""
    try:
        async with services.database.write() as session:
            node_id, _ = await _speaker(session, name, body.epoch)
            await lifetimes.leave(session, node_id, services.now())
    except lifetimes.NodeHeldError as error:
        sentence = f"Attempt {error.attempt_id} is not proven gone from node {name}; report it clean, then leave."
        raise Problem(412, "still_held", sentence) from error
    services.directory.forget(name)
    await announce_ended_tokens(services)
    await announce(services, Changes(nodes={node_id}))
    services.signals.wake_scheduler()


async def _ask(services: Services, name: str, epoch: int) -> int:
    """Look the agent up in the table and remember it; a lost node counts as back."""
    async with services.database.read() as session:
        node_id, is_lost = await _speaker(session, name, epoch)
    services.directory.remember(name, node_id, epoch)
    if is_lost:
        async with services.database.write() as session:
            await registry.take_back(session, node_id, services.now())
        await announce(services, Changes(nodes={node_id}))
        services.signals.wake_scheduler()
    return node_id


async def _speaker(session: AsyncSession, name: str, epoch: int) -> registry.Speaker:
    try:
        return await registry.speaker(session, name, epoch)
    except registry.StaleEpochError as error:
        raise _stale(name) from error


def _stale(name: str) -> Problem:
    return Problem(409, "stale_epoch", f"Node {name} is registered anew or not at all; register again.")


async def _share(session: AsyncSession, attempt_id: int, node_id: int) -> tuple[Attempt, Member]:
    attempt = await gangs.load(session, attempt_id)
    for member in attempt.members if attempt else ():
        if member.node_id == node_id:
            assert attempt is not None
            return attempt, member
    raise not_found("attempt on this node with id", attempt_id)


async def _step_ids(services: Services, session: AsyncSession, attempt_id: int, ingested: Ingested) -> Sequence[int]:
    """Return the first and the last id of the steps just stored, if other servers need them; the job is locked."""
    rows = ingested.counts.get("steps", 0)
    return await newest_steps.newest_ids(session, attempt_id, rows) if rows and services.notices.is_open else ()


async def _line_ids(services: Services, session: AsyncSession, job_id: int, ingested: Ingested) -> Sequence[int]:
    """Return the ids of the lines just stored, if there is a reader for them; the job is locked."""
    is_wanted = services.notices.is_open or job_id in services.stream.watched_jobs
    return await log.newest_ids(session, job_id, len(ingested.lines)) if ingested.lines and is_wanted else ()


async def _tell(services: Services, job_id: int, ingested: Ingested, line_ids: Sequence[int]) -> None:
    publish_measurements(services.stream, job_id, ingested.measurements)
    if ingested.lines:
        publish_log(services.stream, job_id, log.views_of_new(line_ids, ingested.lines))
    services.notices.put_rows(job_id, "measurements", [row.id for row in ingested.measurements])
    services.notices.put_rows(job_id, "log", line_ids)
    if ingested.measurements or ingested.is_training:
        services.notices.put(jobs=[job_id])
        await publish_jobs(services.database, services.stream, [job_id])
