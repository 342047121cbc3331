"""/nodes and /cluster: what there is to run on."""

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy import select

from ringscope import __version__
from ringscope_server.db.models import Node
from ringscope_server.http.auth import Viewer
from ringscope_server.http.problems import not_found
from ringscope_server.http.services import ServicesDep
from ringscope_server.jobs.queries import counts_by_state
from ringscope_server.jobs.states import ACTIVE, TERMINAL
from ringscope_server.nodes.queries import all_nodes, occupancy, view
from ringscope_server.nodes.views import NodePage, NodeView

router = APIRouter(tags=["nodes"])


class Cluster(BaseModel):
    """The whole cluster in a few numbers."""

    version: str
    nodes_ready: int
    nodes_total: int
    slots_busy: int
    slots_total: int
    jobs_queued: int
    jobs_running: int
    jobs_finished: int


@router.get("/nodes", operation_id="list_nodes")
async def list_nodes(user: Viewer, services: ServicesDep) -> NodePage:
    """Every node that ever joined, by name."""
    async with services.database.read() as session:
        nodes, taken = await all_nodes(session), await occupancy(session)
    return NodePage(items=[view(node, taken, services.now()) for node in nodes])


@router.get("/nodes/{name}", operation_id="get_node")
async def get_node(name: str, user: Viewer, services: ServicesDep) -> NodeView:
    """One node."""
    async with services.database.read() as session:
        node = await session.scalar(select(Node).where(Node.name == name))
        taken = await occupancy(session)
    if node is None:
        raise not_found("node", name)
    return view(node, taken, services.now())


@router.get("/cluster", operation_id="get_cluster")
async def get_cluster(user: Viewer, services: ServicesDep) -> Cluster:
    """Nodes, slots and jobs, counted."""
    async with services.database.read() as session:
        nodes, taken = await all_nodes(session), await occupancy(session)
        jobs = await counts_by_state(session)
    return Cluster(
        version=__version__,
        nodes_ready=sum(node.observed == "ready" for node in nodes),
        nodes_total=len(nodes),
        slots_busy=sum(len(slots) for slots in taken.values()),
        slots_total=sum(node.slots for node in nodes if node.observed != "lost"),
        jobs_queued=jobs.get("queued", 0) + jobs.get("held", 0),
        jobs_running=sum(jobs.get(state, 0) for state in ACTIVE),
        jobs_finished=sum(jobs.get(state, 0) for state in TERMINAL),
    )
