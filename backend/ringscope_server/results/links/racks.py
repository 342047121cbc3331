"""The links between each two racks, and within each rack, in a few numbers."""

from collections import Counter
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import LinkMeasurement
from ringscope_server.results.links.newest import NewestLinks, Wanted, newest_links
from ringscope_server.results.links.views import RackLinkView

_IDS_AT_ONCE = 1000


async def rack_links(session: AsyncSession, wanted: Wanted) -> list[RackLinkView]:
    """Return the wanted links between each two racks and within each rack, by the names of the racks."""
    found = await newest_links(session, wanted)
    if not len(found.ids):
        return []
    sizes = Counter(node.rack for node in found.nodes.values())
    racks = sorted(sizes)
    rack_of = np.zeros(max(found.nodes) + 1, np.int64)
    for number, node in found.nodes.items():
        rack_of[number] = racks.index(node.rack)
    ends = np.sort(rack_of[found.ids[:, 1:]], axis=1)
    keys = ends[:, 0] * len(racks) + ends[:, 1]
    in_order = np.argsort(keys, kind="stable")
    parts = np.split(in_order, np.flatnonzero(np.diff(keys[in_order])) + 1)
    links = [found.chosen(part) for part in parts]
    measured_at = await _measured_at(session, [int(part.ids[:, 0].max()) for part in links])
    return [
        _view(part, [racks[number] for number in ends[rows[0]]], sizes, measured_at)
        for rows, part in zip(parts, links, strict=True)
    ]


async def _measured_at(session: AsyncSession, measured: list[int]) -> dict[int, datetime]:
    """Return the time of each measurement; those of sendrecvs, which have negative numbers, are left out."""
    found: dict[int, datetime] = {}
    for start in range(0, len(measured), _IDS_AT_ONCE):
        query = select(LinkMeasurement.id, LinkMeasurement.measured_at)
        rows = await session.execute(query.where(LinkMeasurement.id.in_(measured[start : start + _IDS_AT_ONCE])))
        found |= {row.id: row.measured_at for row in rows}
    return found


def _view(links: NewestLinks, racks: list[str], sizes: Counter[str], measured_at: dict[int, datetime]) -> RackLinkView:
    first, second = (sizes[rack] for rack in racks)
    row, way = divmod(int(links.middles.argmin()), 2)
    names = [links.nodes[number].name for number in links.ids[row, 1:].tolist()]
    low, high = (links.rates[row, 2 * way : 2 * way + 2] / 1e9).tolist()
    numbers = links.ids[:, 0]
    # Measurements are numbered in the order in which they are stored, so the last one is the newest.
    times = [links.sendrecvs[-1 - number].measured_at for number in numbers[numbers < 0].tolist()]
    if (last := int(numbers.max())) > 0:
        times.append(measured_at[last])
    return RackLinkView(
        racks=[rack or None for rack in racks],
        pairs=first * (first - 1) // 2 if racks[0] == racks[1] else first * second,
        measured=len(numbers),
        slowest_nodes=names if way == 0 else names[::-1],
        slowest_gb_per_s=float(links.middles[row, way]),
        slowest_low_gb_per_s=low,
        slowest_high_gb_per_s=high,
        median_gb_per_s=float(np.median(links.middles)),
        newest_at=max(times),
    )
