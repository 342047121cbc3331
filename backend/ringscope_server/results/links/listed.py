"""The list of links: the newest measurement of each pair of nodes, and all measurements of one pair."""

from collections.abc import AsyncIterator
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, LinkMeasurement, Node
from ringscope_server.results.links.newest import NewestLinks, Wanted, newest_links
from ringscope_server.results.links.sendrecv import sendrecv_links
from ringscope_server.results.links.views import LinkRail, LinkView, LinkWay

_NODE_BITS = 31  # size of a node's id
_NODE_MASK = (1 << _NODE_BITS) - 1
_UNSTABLE_SPREAD = 0.2  # single messages that differ so much say little about the link
_ROWS_AT_ONCE = 500  # they take some 10 ms, for which other requests wait

_MEASURED = (
    LinkMeasurement.id,
    LinkMeasurement.first_node_id,
    LinkMeasurement.second_node_id,
    LinkMeasurement.rail,
    LinkMeasurement.there,
    LinkMeasurement.back,
    LinkMeasurement.size_bytes,
    LinkMeasurement.job_id,
    LinkMeasurement.measured_at,
    LinkMeasurement.latency_us,
    LinkMeasurement.both_ways,
    Attempt.disturbed_by,
)
Listed = tuple[int, LinkView]  # with a number for the cursor


async def links(
    session: AsyncSession,
    wanted: Wanted,
    limit: int | None = None,
    after: int | None = None,
    slowest_nodes: int | None = None,
) -> list[Listed]:
    """Return wanted pairs of nodes by name, as ``link_parts`` does."""
    parts = link_parts(session, wanted, limit, after, slowest_nodes)
    return [link async for part in parts for link in part]


async def link_parts(
    session: AsyncSession,
    wanted: Wanted,
    limit: int | None = None,
    after: int | None = None,
    slowest_nodes: int | None = None,
) -> AsyncIterator[list[Listed]]:
    """Yield every pair of nodes that was measured, by name, some hundreds at a time; simulations do not count.

    A disturbed job, or one whose ranks shared cores, is marked and counts only until another one has measured the pair.

    Args:
        limit: the number of pairs; None for all.
        after: start behind the pair with this number; None starts at the first.
        slowest_nodes: of more nodes only links between so many, those with the slowest links.
    """
    found = await newest_links(session, wanted)
    if slowest_nodes is not None:
        found = _of_slowest(found, slowest_nodes)
    found = await _in_order(session, found, limit, after)
    for start in range(0, len(found.ids), _ROWS_AT_ONCE):
        yield await _read(session, found.chosen(np.arange(start, min(start + _ROWS_AT_ONCE, len(found.ids)))))


async def rails_of(session: AsyncSession, first: Node, second: Node) -> list[int]:
    """Return the rails of a pair of nodes that were measured at any time."""
    low, high = sorted((first.id, second.id))
    query = (
        select(LinkMeasurement.rail)
        .distinct()
        .where(
            LinkMeasurement.first_node_id == low,
            LinkMeasurement.second_node_id == high,
            LinkMeasurement.rail.is_not(None),
        )
    )
    return sorted(rail for rail in await session.scalars(query) if rail is not None)


async def link_history(
    session: AsyncSession, first: Node, second: Node, limit: int, rail: int | None = None
) -> list[LinkView]:
    """Return the newest measurements of one pair of nodes as wholes, or of one rail of them, newest first."""
    low, high = sorted((first, second), key=lambda node: node.id)
    query = (
        select(*_MEASURED)
        .join(Attempt, Attempt.id == LinkMeasurement.attempt_id)
        .where(
            LinkMeasurement.first_node_id == low.id,
            LinkMeasurement.second_node_id == high.id,
            LinkMeasurement.rail.is_(None) if rail is None else LinkMeasurement.rail == rail,
            LinkMeasurement.ending == "measured",
            LinkMeasurement.is_loaded.is_(False),
        )
        .order_by(LinkMeasurement.id.desc())
        .limit(limit)
    )
    found = [_link(row, low.name, high.name) for row in await session.execute(query)]
    names = sorted((first.name, second.name))
    if rail is None:
        found += [link for link in await sendrecv_links(session) if link.nodes == names]
    return sorted(found, key=lambda link: (link.measured_at, link.job_id), reverse=True)[:limit]


def _of_slowest(found: NewestLinks, most: int) -> NewestLinks:
    """Return the links between so many nodes; they are the ends of the slowest links."""
    slowest: dict[int, None] = {}
    for row in np.argsort(found.middles.min(axis=1), kind="stable").tolist():
        slowest |= dict.fromkeys(found.ids[row, 1:].tolist())
        if len(slowest) >= most:
            break
    is_between = np.isin(found.ids[:, 1:], list(slowest)[:most]).all(axis=1)
    return found.chosen(np.flatnonzero(is_between))


async def _in_order(session: AsyncSession, found: NewestLinks, limit: int | None, after: int | None) -> NewestLinks:
    """Return the rows by the names of their nodes, the two nodes of a row as well."""
    # A cursor may name a node that was removed since.
    names = {row.id: row.name for row in await session.execute(select(Node.id, Node.name))}
    in_order = sorted(names, key=names.__getitem__)
    place_of = np.full(max(names, default=0) + 1, -1, np.int64)
    place_of[in_order] = np.arange(len(in_order))
    places = np.sort(place_of[found.ids[:, 1:]], axis=1)
    keys = places[:, 0] * len(names) + places[:, 1]
    rows = np.argsort(keys)
    if after is not None:
        first, second = (
            place_of[number] if number in names else -1 for number in (after >> _NODE_BITS, after & _NODE_MASK)
        )
        rows = rows[keys[rows] > first * len(names) + second]
    return found.chosen(rows[:limit])


async def _read(session: AsyncSession, found: NewestLinks) -> list[Listed]:
    """Return these rows as links."""
    ids = found.ids[found.ids[:, 0] > 0, 0].tolist()
    with_rails = chain.from_iterable(found.rails.get(number, (number,)) for number in ids)
    query = (
        select(*_MEASURED)
        .join(Attempt, Attempt.id == LinkMeasurement.attempt_id)
        .where(LinkMeasurement.id.in_(list(with_rails)))
    )
    measured = {row.id: row for row in await session.execute(query)}
    listed: list[Listed] = []
    for number, first, second in found.ids.tolist():
        names = found.nodes[first].name, found.nodes[second].name
        link = found.sendrecvs[-1 - number] if number < 0 else _link(measured[number], *names)
        if number in found.rails:
            rails = [_rail(_link(measured[each], *names)) for each in found.rails[number]]
            link.rails = sorted(rails, key=lambda each: each.rail)
        low, high = (first, second) if names[0] < names[1] else (second, first)
        listed.append((low << _NODE_BITS | high, link))
    return listed


def _link(row: Any, first: str, second: str) -> LinkView:
    ways = [_way(first, second, row.there), _way(second, first, row.back)]
    slower = min(ways, key=lambda way: way.low_gb_per_s + way.high_gb_per_s)
    return LinkView(
        nodes=sorted((first, second)),
        busbw_gb_per_s=(slower.low_gb_per_s + slower.high_gb_per_s) / 2,
        rail=row.rail,
        size_bytes=row.size_bytes,
        iterations=min(way.messages for way in ways),
        is_unstable=max(rate["spread"] for rate in (row.there, row.back)) > _UNSTABLE_SPREAD,
        algorithm="diagnosis",
        transport="mpi",
        job_id=row.job_id,
        measured_at=row.measured_at,
        ways=ways,
        latency_us=row.latency_us,
        both_ways=row.both_ways,
        disturbed_by=row.disturbed_by,
    )


def _rail(link: LinkView) -> LinkRail:
    """Return a link that was measured on a rail as this rail."""
    assert link.rail is not None
    return LinkRail(rail=link.rail, busbw_gb_per_s=link.busbw_gb_per_s, ways=link.ways, latency_us=link.latency_us)


def _way(source: str, destination: str, rate: dict[str, Any]) -> LinkWay:
    """Return a direction; the rate was checked when it was stored."""
    return LinkWay(
        source=source,
        destination=destination,
        low_gb_per_s=rate["low"] / 1e9,
        high_gb_per_s=rate["high"] / 1e9,
        messages=rate["messages"],
    )
