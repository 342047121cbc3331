"""The newest rates of each measured pair of nodes, as arrays: there may be a hundred thousand pairs.

If the newest job that measured a pair measured its rails, the pair counts with the slowest of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Select, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, Job, LinkMeasurement, Node
from ringscope_server.nodes.labels import RACK, overridden
from ringscope_server.results.links.sendrecv import newest_of, sendrecv_links
from ringscope_server.results.links.views import LinkView

_PAIR = LinkMeasurement.first_node_id, LinkMeasurement.second_node_id
_IDS, _RATES = 3, 4  # columns of the two arrays
_NODE_BITS = 31  # size of a node's id


class KnownNode(NamedTuple):
    """The name and the rack of a node; the rack is "" if it has none."""

    name: str
    rack: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The links that are asked for; by default all.

    Args:
        until: leave out what was measured later.
        job_id: only what this job measured as a diagnosis, also between nodes that were removed.
        of_node: only links with this node.
        between: only links between two of these nodes.
        racks: only links between two nodes of these racks; "" for nodes without one.
    """

    until: datetime | None = None
    job_id: int | None = None
    of_node: str | None = None
    between: frozenset[str] | None = None
    racks: frozenset[str] | None = None

    def has_node(self, node: KnownNode) -> bool:
        """Return whether links with this node may be wanted."""
        return (self.between is None or node.name in self.between) and (self.racks is None or node.rack in self.racks)

    def has_pair(self, names: Sequence[str]) -> bool:
        """Return whether a link between two nodes, both of which are wanted, is wanted."""
        return self.of_node is None or self.of_node in names


@dataclass(frozen=True)
class NewestLinks:
    """The newest measurement of each pair, in no order.

    Args:
        nodes: the wanted nodes by id.
        ids: an array of one row for each pair: the id of the measurement, and those of both nodes. The id of a
            sendrecv is -1 minus its position in ``sendrecvs``.
        rates: an array of one row for each pair: the ends of the interval from the first to the second node, and those
            of the way back, in bytes per second.
        sendrecvs: the links that were measured by a sendrecv.
        rails: the ids of the measurements of all rails of a pair, by the id of the slowest one; empty for pairs whose
            nodes were measured as wholes.
    """

    nodes: Mapping[int, KnownNode]
    ids: npt.NDArray[np.int64]
    rates: npt.NDArray[np.float64]
    sendrecvs: Sequence[LinkView]
    rails: Mapping[int, Sequence[int]] = field(default_factory=dict)

    @cached_property
    def middles(self) -> npt.NDArray[np.float64]:
        """The rate of each pair in both directions in 1e9 bytes per second."""
        return (self.rates[:, 0::2] + self.rates[:, 1::2]) / 2e9

    def chosen(self, rows: npt.NDArray[Any]) -> "NewestLinks":
        """Return these rows only, given by their positions or by a mask."""
        return replace(self, ids=self.ids[rows], rates=self.rates[rows])


async def newest_links(session: AsyncSession, wanted: Wanted) -> NewestLinks:
    """Return the newest measurement of each wanted pair; simulations do not count.

    Jobs that measured in another mode, such as several operations at once, are left out, because they would
    misrepresent the link.
    """
    nodes = {number: node for number, node in (await _nodes(session, wanted)).items() if wanted.has_node(node)}
    found = await _of_diagnoses(session, wanted, nodes)
    if wanted.job_id is not None:
        return found
    numbers = {node.name: number for number, node in nodes.items()}
    measured = newest_of(await sendrecv_links(session, wanted.until))
    links = [link for link in measured.values() if wanted.has_pair(link.nodes) and set(link.nodes) <= set(numbers)]
    return await _merged(session, replace(found, sendrecvs=links), numbers)


async def measured_rates(session: AsyncSession) -> dict[frozenset[str], float]:
    """Return the bandwidth of each measured pair in GB/s, for the placement by the fastest links."""
    found = await newest_links(session, Wanted())
    slower = found.middles.min(axis=1).tolist()
    names = {number: node.name for number, node in found.nodes.items()}
    pairs = found.ids[:, 1:].tolist()
    return {frozenset((names[first], names[second])): rate for (first, second), rate in zip(pairs, slower, strict=True)}


async def _nodes(session: AsyncSession, wanted: Wanted) -> dict[int, KnownNode]:
    query = select(Node.id, Node.name, Node.labels, Node.label_overrides)
    if wanted.job_id is None:
        query = query.where(Node.removed_at.is_(None))
    return {
        number: KnownNode(name, overridden(labels, overrides).get(RACK, ""))
        for number, name, labels, overrides in await session.execute(query)
    }


async def _of_diagnoses(session: AsyncSession, wanted: Wanted, nodes: Mapping[int, KnownNode]) -> NewestLinks:
    """Return what diagnoses measured, without pairs that loaded a boundary."""
    ids, rates, jobs = await _read(session, _newest(wanted, nodes), nodes)
    is_rail = jobs > 0
    if not is_rail.any():
        return NewestLinks(nodes, ids, rates, ())
    of_rails = _newest(wanted, nodes, sorted(set(jobs[is_rail].tolist())))
    rail_ids, rail_rates, rail_jobs = await _read(session, of_rails, nodes)
    # A job that measured this pair last may have measured another one before the job that counts for it.
    keys, order = _keys(ids[is_rail]), np.argsort(_keys(ids[is_rail]))
    rail_keys = _keys(rail_ids)
    places = order[np.searchsorted(keys, rail_keys, sorter=order).clip(max=len(keys) - 1)]
    counts = (keys[places] == rail_keys) & (jobs[is_rail][places] == rail_jobs)
    slower = (rail_rates[:, 0::2] + rail_rates[:, 1::2]).min(axis=1)
    rows = np.lexsort((slower, rail_keys))
    rows = rows[counts[rows]]  # The slowest rail of a pair comes first.
    starts = np.flatnonzero(np.diff(rail_keys[rows], prepend=-1))
    numbers = rail_ids[rows, 0].tolist()
    return NewestLinks(
        nodes,
        np.concatenate([ids[~is_rail], rail_ids[rows[starts]]]),
        np.concatenate([rates[~is_rail], rail_rates[rows[starts]]]),
        (),
        {numbers[start]: numbers[start:end] for start, end in pairwise([*starts.tolist(), len(numbers)])},
    )


def _keys(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return a number for each pair of nodes."""
    return (ids[:, 1] << _NODE_BITS) | ids[:, 2]


async def _read(
    session: AsyncSession, chosen: Select[int], nodes: Mapping[int, KnownNode]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the arrays of these measurements between known nodes; the third has the job of a rail, or 0."""
    there, back = LinkMeasurement.there, LinkMeasurement.back
    ends = [way[end].as_float() for way in (there, back) for end in ("low", "high")]
    job = case((LinkMeasurement.rail.is_(None), 0), else_=LinkMeasurement.job_id)
    query = select(LinkMeasurement.id, *_PAIR, *ends, job).where(LinkMeasurement.id.in_(chosen))
    # The connection takes a third less than the session, which looks for objects of the ORM in each row.
    rows = (await (await session.connection()).execute(query)).all()
    columns = _IDS + _RATES + 1
    numbers = np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * columns)
    table = numbers.reshape(len(rows), columns)
    ids = table[:, :_IDS].astype(np.int64)
    is_known = np.isin(ids[:, 1:], np.fromiter(nodes, np.int64, len(nodes))).all(axis=1)
    return ids[is_known], table[is_known, _IDS:-1], table[is_known, -1].astype(np.int64)


def _newest(wanted: Wanted, nodes: Mapping[int, KnownNode], jobs_of_rails: Sequence[int] = ()) -> Select[int]:
    """Select the newest measurement of each pair, or of each rail of each pair that these jobs measured."""
    query = select(func.max(LinkMeasurement.id))
    if jobs_of_rails:
        attempts = select(Attempt.id).where(Attempt.job_id.in_(jobs_of_rails))
        query = query.group_by(LinkMeasurement.job_id, *_PAIR, LinkMeasurement.rail)
        query = query.where(LinkMeasurement.attempt_id.in_(attempts), LinkMeasurement.rail.is_not(None))
    else:
        query = query.group_by(*_PAIR)
    query = query.where(LinkMeasurement.ending == "measured", LinkMeasurement.is_loaded.is_(False))
    if wanted.job_id is not None:
        query = query.where(LinkMeasurement.job_id == wanted.job_id)
    else:
        # a preflight's messages are too small to say what the link carries
        query = query.where(LinkMeasurement.job_id.in_(select(Job.id).where(Job.kind == "diagnosis")))
    if wanted.until is not None:
        query = query.where(LinkMeasurement.measured_at <= wanted.until)
    if wanted.of_node is not None:
        ends = [number for number, node in nodes.items() if node.name == wanted.of_node]
        query = query.where(or_(*(column.in_(ends) for column in _PAIR)))
    if wanted.between is not None or wanted.racks is not None:
        query = query.where(*(column.in_(list(nodes)) for column in _PAIR))
    return query


async def _merged(session: AsyncSession, found: NewestLinks, numbers: Mapping[str, int]) -> NewestLinks:
    """Add the sendrecvs; of a pair that both measured the newer one counts, of equally old ones the diagnosis."""
    if not found.sendrecvs:
        return found
    pairs = [tuple(sorted(numbers[name] for name in link.nodes)) for link in found.sendrecvs]
    place = {pair: row for row, pair in enumerate(map(tuple, found.ids[:, 1:].tolist()))}
    contested = [int(found.ids[place[pair], 0]) for pair in pairs if pair in place]
    query = select(LinkMeasurement.id, LinkMeasurement.measured_at).where(LinkMeasurement.id.in_(contested))
    measured_at = {row.id: row.measured_at for row in await session.execute(query)}
    gone, added = [], []
    for position, (pair, link) in enumerate(zip(pairs, found.sendrecvs, strict=True)):
        if pair in place:
            if measured_at[int(found.ids[place[pair], 0])] >= link.measured_at:
                continue
            gone.append(place[pair])
        added.append((-1 - position, *pair, *[link.busbw_gb_per_s * 1e9] * _RATES))
    table = np.array(added, np.float64).reshape(len(added), _IDS + _RATES)
    ids, rates = np.delete(found.ids, gone, axis=0), np.delete(found.rates, gone, axis=0)
    return replace(
        found,
        ids=np.concatenate([ids, table[:, :_IDS].astype(np.int64)]),
        rates=np.concatenate([rates, table[:, _IDS:]]),
    )
