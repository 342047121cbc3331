"""The load of nodes by the minute over the last day, in a table: it survives restarts of the server."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import cast

from pydantic import BaseModel, Field
from sqlalchemy import Table, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import NodeMinute
from ringscope_server.nodes.readings import MinuteMeans

KEPT = timedelta(hours=24)
_TABLE = cast(Table, NodeMinute.__table__)


class NodeHistory(BaseModel):
    """A node's load in columns: one value for each minute that it reported in, oldest first; null if it is unknown."""

    node: str
    since: datetime = Field(description="The beginning of the 24 hours before now.")
    until: datetime
    minute: list[datetime]
    load_average: list[float | None] = Field(description="The number of processes that ran or waited for a core.")
    memory_used_bytes: list[int | None]
    network_bytes_per_second: list[float | None] = Field(
        description="Bytes per second that its network cards sent and received."
    )
    gpu_utilization_ratio: list[float | None] = Field(description="The mean over the GPUs.")


async def store(session: AsyncSession, means: Mapping[int, MinuteMeans], now: datetime) -> None:
    """Store the means of the minute before ``now``, and delete those that are older than a day."""
    await session.execute(delete(NodeMinute).where(NodeMinute.minute < now - KEPT))
    if not means:
        return
    minute = now.replace(second=0, microsecond=0)
    rows = [{"node_id": node_id, "minute": minute} | told.model_dump() for node_id, told in sorted(means.items())]
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    # A node that changed its server in this minute has a row already.
    await session.execute(dialect.insert(_TABLE).on_conflict_do_nothing(), rows)


async def history(session: AsyncSession, node_id: int, name: str, now: datetime) -> NodeHistory:
    """Return what is stored of one node."""
    query = select(NodeMinute).where(NodeMinute.node_id == node_id, NodeMinute.minute >= now - KEPT)
    rows = (await session.scalars(query.order_by(NodeMinute.minute))).all()
    names = ("minute", *MinuteMeans.model_fields)
    columns = {column: [getattr(row, column) for row in rows] for column in names}
    return NodeHistory(node=name, since=now - KEPT, until=now, **columns)
