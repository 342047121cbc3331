"""/nodes, /readings and /cluster: the hardware to run on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.diagnosis.record import BlamedKind
from ringscope.contracts.words.job_states import ACTIVE, TERMINAL
from ringscope.contracts.words.version import __version__
from ringscope_server.attempts.busy_slots import BusySlots, busy_slots
from ringscope_server.changes import Changes, announce, announce_ended_tokens
from ringscope_server.db.models import Node
from ringscope_server.events.queries import of_target
from ringscope_server.events.views import EventPage
from ringscope_server.http.auth import Admin, Operator, Viewer
from ringscope_server.http.cursors import Cursor, Limit, LimitOrAll, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.etag import IfMatch, etag, require_match
from ringscope_server.http.lookups import Id
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.jobs.queries import counts_by_state
from ringscope_server.monitoring.blames import active_blames
from ringscope_server.nodes import queries, service
from ringscope_server.nodes.gpus import NodeGpus
from ringscope_server.nodes.history import NodeHistory, history
from ringscope_server.nodes.ras import NodeRas
from ringscope_server.nodes.readings import ReadingPage
from ringscope_server.nodes.views import Drain, NodeLabels, NodePage, NodeView
from ringscope_server.services import Services

router = APIRouter(tags=["nodes"])


class Blame(BaseModel):
    """A node, link or boundary that a diagnosis of the last 24 hours blames, and no later one of the same nodes."""

    job_id: int
    kind: BlamedKind
    names: list[str] = Field(description="The nodes; of a boundary the racks.")
    sentence: str


class Cluster(BaseModel):
    """The whole cluster in a few numbers, and what diagnoses blame."""

    version: str
    nodes_ready: int
    nodes_total: int
    slots_busy: int
    slots_total: int
    jobs_queued: int
    jobs_running: int
    jobs_finished: int
    blamed: list[Blame] = Field(
        description="What diagnoses blame, newest first; no node that was drained or resumed since."
    )


@router.get("/nodes", operation_id="list_nodes")
async def list_nodes(user: Viewer, services: ServicesDep, limit: LimitOrAll = None, cursor: Cursor = None) -> NodePage:
    """List every node that joined and was not removed, by name."""
    after = decode(cursor)
    async with services.database.read() as session:
        items = await queries.views(session, await queries.page(session, limit, after), services.now())
    return NodePage(items=items, next=next_cursor([node.id for node in items], limit))


@router.get("/nodes/{name}", operation_id="get_node")
async def get_node(name: str, user: Viewer, services: ServicesDep, response: Response) -> NodeView:
    """Return one node."""
    return await _view(services, name, response)


@router.patch("/nodes/{name}", operation_id="update_node")
async def update_node(
    name: str,
    body: NodeLabels,
    user: Operator,
    services: ServicesDep,
    response: Response,
    if_match: IfMatch = None,
) -> NodeView:
    """Set labels of a node, or remove them with null."""
    async with _changing(services, name, if_match) as (session, node):
        service.set_labels(session, node, body.labels, user.name, services.now())
    return await _view(services, name, response)


@router.post("/nodes/{name}/drain", operation_id="drain_node")
async def drain_node(
    name: str, body: Drain, user: Operator, services: ServicesDep, response: Response, if_match: IfMatch = None
) -> NodeView:
    """Give a node no new work; running jobs continue."""
    async with _changing(services, name, if_match) as (session, node):
        service.drain(session, node, body.reason, user.name, services.now())
    return await _view(services, name, response)


@router.post("/nodes/{name}/resume", operation_id="resume_node")
async def resume_node(
    name: str, user: Operator, services: ServicesDep, response: Response, if_match: IfMatch = None
) -> NodeView:
    """Give a node work again, with the slots and GPUs that it has now."""
    async with _changing(services, name, if_match) as (session, node):
        await service.resume(session, node, user.name, services.now())
    return await _view(services, name, response)


@router.post("/nodes/{name}/slots/{slot}/release", operation_id="release_slot")
async def release_slot(name: str, slot: Id, user: Admin, services: ServicesDep, response: Response) -> NodeView:
    """Release a quarantined slot: you have made sure that nothing of its last job is left."""
    async with _changing(services, name, None) as (session, node):
        await service.release_slot(session, node, slot, user.name, services.now())
    return await _view(services, name, response)


@router.delete("/nodes/{name}", status_code=204, operation_id="remove_node")
async def remove_node(name: str, user: Admin, services: ServicesDep, if_match: IfMatch = None) -> None:
    """Remove a lost node from the lists and end its own tokens. Its name stays in the jobs that it ran."""
    async with _changing(services, name, if_match) as (session, node):
        await service.remove(session, node, user.name, services.now())
    services.directory.forget(name)
    await announce_ended_tokens(services)


@router.get("/nodes/{name}/history", operation_id="get_node_history")
async def get_node_history(name: str, user: Viewer, services: ServicesDep) -> NodeHistory:
    """Return the load of a node by the minute over the last 24 hours."""
    async with services.database.read() as session:
        node = await queries.one(session, name)
        if node is None:
            raise not_found("node", name)
        return await history(session, node.id, node.name, services.now())


@router.get("/nodes/{name}/nccl-ras", operation_id="get_node_nccl_ras")
async def get_node_nccl_ras(name: str, user: Viewer, services: ServicesDep) -> NodeRas:
    """Return what NCCL's RAS on a node said last of the jobs that run there, if its agent asks it (`--nccl-ras`)."""
    async with services.database.read() as session:
        node = await queries.one(session, name)
    if node is None:
        raise not_found("node", name)
    return NodeRas(node=node.name, is_asked=bool(node.inventory.get("nccl_ras")), state=services.ras.of(node.id))


@router.get("/nodes/{name}/gpus", operation_id="get_node_gpus")
async def get_node_gpus(name: str, user: Viewer, services: ServicesDep) -> NodeGpus:
    """Return what a node's agent said last of its GPUs: clocks, temperature, memory errors, NVLinks, XIDs."""
    async with services.database.read() as session:
        node = await queries.one(session, name)
    if node is None:
        raise not_found("node", name)
    return services.gpus.of(node.id, node.name)


@router.get("/nodes/{name}/events", operation_id="list_node_events")
async def list_node_events(
    name: str, user: Viewer, services: ServicesDep, limit: Limit = 200, cursor: Cursor = None
) -> EventPage:
    """List the events of a node with actors and reasons, oldest first."""
    after = decode(cursor)
    async with services.database.read() as session:
        if await queries.one(session, name) is None:
            raise not_found("node", name)
        items = await of_target(session, "node", name, limit, after)
    return EventPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/readings", operation_id="list_readings")
async def list_readings(
    user: Viewer, services: ServicesDep, limit: LimitOrAll = None, cursor: Cursor = None
) -> ReadingPage:
    """Return the load of nodes in the last five minutes, every ten seconds, for the agents that call this server.

    GPUs are included if NVML answers the agent. Prometheus has longer histories. If nodes are silent, a
    page may have fewer rows than ``limit``, or none: the last page has no ``next``.
    """
    after = decode(cursor)
    async with services.database.read() as session:
        nodes = await queries.page(session, limit, after)
    items = services.readings.columns([(node.id, node.name) for node in nodes])
    return ReadingPage(items=items, next=next_cursor([node.id for node in nodes], limit))


@router.get("/cluster", operation_id="get_cluster")
async def get_cluster(user: Viewer, services: ServicesDep) -> Cluster:
    """Return the numbers of nodes, slots and jobs, and what diagnoses of the last 24 hours blame."""
    async with services.database.read() as session:
        nodes, taken = await queries.all_nodes(session), await queries.occupancy(session)
        jobs = await counts_by_state(session)
        blames = await active_blames(session, services.now())
    return Cluster(
        version=__version__,
        nodes_ready=sum(node.observed != "lost" and node.desired == "active" for node in nodes),
        nodes_total=len(nodes),
        # Only the nodes of the total count: it is not known what runs on a lost one.
        slots_busy=sum(len(taken.get(node.id, ())) for node in nodes if node.observed != "lost"),
        slots_total=sum(node.slots for node in nodes if node.observed != "lost"),
        jobs_queued=jobs.get("queued", 0) + jobs.get("held", 0),
        jobs_running=sum(jobs.get(state, 0) for state in ACTIVE),
        jobs_finished=sum(jobs.get(state, 0) for state in TERMINAL),
        blamed=[
            Blame(job_id=job_id, kind=part.kind, names=part.names, sentence=part.sentence) for job_id, part in blames
        ],
    )


@router.get("/cluster/slots", operation_id="get_busy_slots")
async def get_busy_slots(
    user: Viewer,
    services: ServicesDep,
    hours: Annotated[int, Query(ge=1, le=168, description="The hours before now.")] = 24,
) -> BusySlots:
    """Return how many slots were busy over the last hours, as means of equal parts of that time."""
    async with services.database.read() as session:
        return await busy_slots(session, services.now(), hours)


@asynccontextmanager
async def _changing(services: Services, name: str, if_match: str | None) -> AsyncIterator[tuple[AsyncSession, Node]]:
    """Make one change of a node by a person, and notify agents, scheduler and browsers once it is committed."""
    try:
        async with services.database.write() as session:
            node = await service.find(session, name, lambda revision: require_match(if_match, revision))
            yield session, node
    except service.UnknownNodeError as error:
        raise not_found("node", name) from error
    except service.NodeStateError as error:
        raise Problem(409, "wrong_state", str(error)) from error
    await announce(services, Changes(nodes={node.id}))
    services.signals.wake_scheduler()


async def _view(services: Services, name: str, response: Response) -> NodeView:
    async with services.database.read() as session:
        node = await queries.one(session, name)
        if node is None:
            raise not_found("node", name)
        (view,) = await queries.views(session, [node], services.now())
    response.headers["ETag"] = etag(view.revision)
    return view
