"""/agents: the requests of node agents. See ringscope.contracts.protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
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
from ringscope_server import record_intake
from ringscope_server.attempts import disturbance, gangs
from ringscope_server.attempts.assignments import assignments_of, ordered_anew, orders_of
from ringscope_server.changes import Changes, announce, announce_ended_tokens
from ringscope_server.http.auth import Agent, Joiner
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.nodes import joining, lifetimes, registry
from ringscope_server.nodes.heartbeats import Clock
from ringscope_server.services import Services
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
    """Register a node, also one that registered before. 426: its agent is too old for this server."""
    await _require_own(services, agent, registration.name)
    received_ns = services.now_ns()
    async with services.database.write() as session:
        registered = await registry.register(session, registration, services.now())
    node = registered.node
    if registered.refusal:
        services.directory.forget(node.name)
        await announce(services, Changes(nodes=registered.gangs))
        services.signals.wake_scheduler()
        raise _too_old(registered.refusal)
    services.directory.remember(node.name, node.id, node.epoch)
    services.readings.begin_anew(node.id)
    await announce(services, Changes(nodes=registered.gangs))
    services.signals.wake_scheduler()
    return Registered(received_ns=received_ns, sent_ns=services.now_ns(), node_id=node.id, epoch=node.epoch)


@router.post("/{name}/poll", operation_id="poll_agent")
async def poll(name: NodeName, body: Poll, agent: Agent, services: ServicesDep) -> Directives:
    """Receive a node's heartbeat; answer as soon as its assignments differ from those that it has seen."""
    received_ns = services.now_ns()
    known = services.directory.find(name, body.epoch)
    node_id = known if known is not None else await _ask(services, name, body.epoch)
    load_average = body.reading.load_average if body.reading else None
    services.heartbeats.note(node_id, body.epoch, services.now(), Clock.told_by(body), load_average)
    services.readings.note(node_id, body.reading)
    services.ras.note(node_id, body.nccl_ras)
    services.gpus.note(node_id, body.gpus)
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
        node_id, *_ = await _speaker(session, name, body.epoch)
        with _refusals(name):
            attempt, member = await record_intake.member_on(session, body.attempt_id, node_id)
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
            changes.nodes |= {each.node_id for each in attempt.members}
    services.heartbeats.note(node_id, body.epoch, services.now())
    await announce(services, changes)


@router.post("/{name}/records", operation_id="ingest_records")
async def records(name: NodeName, body: RecordBatch, services: ServicesDep) -> RecordsAccepted:
    """Store records of an attempt on a node; they are committed when the answer arrives."""
    with _refusals(name):
        return RecordsAccepted(last_sequence=await record_intake.receive(services, name, body))


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
            node_id, *_ = await _speaker(session, name, body.epoch)
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
        node_id, is_lost, refusal = await _speaker(session, name, epoch)
    if refusal:
        raise _too_old(refusal)
    services.directory.remember(name, node_id, epoch)
    if is_lost:
        async with services.database.write() as session:
            await registry.take_back(session, node_id, services.now())
        await announce(services, Changes(nodes={node_id}))
        services.signals.wake_scheduler()
    return node_id


def _too_old(sentence: str) -> Problem:
    return Problem(426, "agent_too_old", sentence)


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Raise the Problem for what an agent may not ask for: with an epoch that ended, or of an attempt elsewhere."""
    try:
        yield
    except registry.StaleEpochError as error:
        sentence = f"Node {name} is registered anew or not at all; register again."
        raise Problem(409, "stale_epoch", sentence) from error
    except record_intake.NotOnNodeError as error:
        raise not_found("attempt on this node with id", error.attempt_id) from error


async def _speaker(session: AsyncSession, name: str, epoch: int) -> registry.Speaker:
    with _refusals(name):
        return await registry.speaker(session, name, epoch)
