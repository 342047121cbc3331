"""/links: the bandwidth between nodes, and between racks."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import AwareDatetime

from ringscope_server.db.engine import Database
from ringscope_server.http.auth import Viewer
from ringscope_server.http.cursors import Cursor, Limit, LimitOrAll, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import not_found
from ringscope_server.http.streamed import streamed
from ringscope_server.jobs.filters import MAX_ID
from ringscope_server.nodes import queries
from ringscope_server.results.links.listed import link_history, link_parts, links, rails_of
from ringscope_server.results.links.newest import Wanted
from ringscope_server.results.links.racks import rack_links
from ringscope_server.results.links.views import LinkHistory, LinkPage, RackLinkPage

router = APIRouter(tags=["nodes"], prefix="/links")

MAX_NAMES = 1024
Until = Annotated[AwareDatetime | None, Query(description="Leave out what was measured after this time.")]
OfJob = Annotated[
    int | None, Query(alias="job", ge=1, le=MAX_ID, description="Only what this job measured as a diagnosis.")
]


def wanted_links(
    until: Until = None,
    job_id: OfJob = None,
    of_node: Annotated[str | None, Query(alias="node", description="Only links with this node.")] = None,
    between: Annotated[
        list[str] | None,
        Query(max_length=MAX_NAMES, description="Only links between these nodes; repeat it for each node."),
    ] = None,
    racks: Annotated[
        list[str] | None,
        Query(
            alias="rack",
            max_length=MAX_NAMES,
            description="Only links between nodes of these racks; repeat it for each rack. An empty name means nodes "
            "without a rack.",
        ),
    ] = None,
) -> Wanted:
    """Return which links are asked for."""
    return Wanted(until, job_id, of_node, _set(between), _set(racks))


WantedDep = Annotated[Wanted, Depends(wanted_links)]


@router.get("", operation_id="list_links", response_model=LinkPage)
async def list_links(
    user: Viewer,
    services: ServicesDep,
    wanted: WantedDep,
    limit: LimitOrAll = None,
    cursor: Cursor = None,
    slowest_nodes: Annotated[
        int | None,
        Query(ge=2, le=4096, description="Only links between so many nodes, which have the slowest links."),
    ] = None,
) -> LinkPage | Response:
    """List the bandwidth between pairs of nodes, by the newest diagnosis or sendrecv of one rank on each.

    With ``until`` it lists what was known at that time. Without ``limit`` the answer is sent while it is read.
    """
    after = decode(cursor)
    if limit is None:
        pieces = _pieces(services.database, wanted, after, slowest_nodes)
        return await streamed(pieces, media_type="application/json", headers={})
    async with services.database.read() as session:
        found = await links(session, wanted, limit, after, slowest_nodes)
    return LinkPage(items=[link for _, link in found], next=next_cursor([number for number, _ in found], limit))


async def _pieces(
    database: Database, wanted: Wanted, after: int | None, slowest_nodes: int | None
) -> AsyncIterator[str]:
    """Yield the JSON of a ``LinkPage`` with all links."""
    begun = '{"items":['
    async with database.read() as session:
        async for part in link_parts(session, wanted, None, after, slowest_nodes):
            yield begun + ",".join(link.model_dump_json() for _, link in part)
            begun = ","
    yield ("" if begun == "," else begun) + '],"next":null}'


@router.get("/racks", operation_id="list_rack_links")
async def list_rack_links(user: Viewer, services: ServicesDep, wanted: WantedDep) -> RackLinkPage:
    """List the links between each two racks and within each rack in a few numbers: of many nodes the list is short."""
    async with services.database.read() as session:
        return RackLinkPage(items=await rack_links(session, wanted))


@router.get("/{first}/{second}", operation_id="list_link_history")
async def list_link_history(
    first: str,
    second: str,
    user: Viewer,
    services: ServicesDep,
    rail: Annotated[
        int | None, Query(ge=0, lt=2**31, description="Only this rail; by default only the nodes as wholes.")
    ] = None,
    limit: Limit = 200,
) -> LinkHistory:
    """List the newest measurements of the link between two nodes, newest first, by diagnoses and sendrecvs."""
    async with services.database.read() as session:
        nodes = []
        for name in (first, second):
            if (node := await queries.one(session, name)) is None:
                raise not_found("node", name)
            nodes.append(node)
        items = await link_history(session, nodes[0], nodes[1], limit, rail)
        rails = await rails_of(session, nodes[0], nodes[1])
    return LinkHistory(items=items, rails=rails)


def _set(names: list[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)
