"""Pulses: gathered in memory and written together once a second; only the newest pulse of each node counts.

Agents may send them to any server, and one server judges them, so they pass through the table.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts import protocol
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Attempt, Member, Node, Pulse
from ringscope_server.insights.windows import Sample

_Key = tuple[int, int]


class Pulses:
    """The pulses that are not in the table yet, by attempt and node."""

    def __init__(self) -> None:
        self._waiting: dict[_Key, tuple[datetime, protocol.Pulse]] = {}

    def note(self, node_id: int, pulse: protocol.Pulse, now: datetime) -> None:
        """Take in a node's pulse on the progress of its ranks."""
        self._waiting[pulse.attempt_id, node_id] = now, pulse

    def move(self, step: timedelta) -> None:
        """Add the step by which the clock was set to the times of the waiting pulses."""
        if step:
            self._waiting = {key: (heard_at + step, pulse) for key, (heard_at, pulse) in self._waiting.items()}

    async def flush(self, database: Database) -> None:
        """Write the waiting pulses, except for attempts that are over and ranks that are not the node's own."""
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        async with database.write(first=True) as session:
            members = await session.execute(
                select(Member.attempt_id, Member.node_id, Member.first_rank, Member.slots)
                .join(Attempt)
                .where(Attempt.id.in_({attempt_id for attempt_id, _ in waiting}), Attempt.finished_at.is_(None))
            )
            ranks_of = {
                (attempt_id, node_id): range(first, first + slots) for attempt_id, node_id, first, slots in members
            }
            keys = sorted(waiting.keys() & ranks_of.keys())
            if keys:
                await session.execute(delete(Pulse).where(tuple_(Pulse.attempt_id, Pulse.node_id).in_(keys)))
                await session.execute(insert(Pulse), [_row(key, *waiting[key], ranks_of[key]) for key in keys])


async def samples(session: AsyncSession, attempt_ids: Collection[int]) -> dict[int, dict[int, Sample]]:
    """Return the newest pulse of each rank of these attempts, by attempt and rank."""
    found: dict[int, dict[int, Sample]] = {}
    if not attempt_ids:
        return found
    query = select(Pulse, Node.name).join(Node, Node.id == Pulse.node_id).where(Pulse.attempt_id.in_(attempt_ids))
    for pulse, node in await session.execute(query):
        of_attempt = found.setdefault(pulse.attempt_id, {})
        for fields in pulse.ranks:
            rank = protocol.RankPulse.model_validate(fields)
            of_attempt[rank.rank] = Sample(node, pulse.time_us, pulse.heard_at.timestamp(), rank)
    return found


async def forget(session: AsyncSession, attempt_id: int) -> None:
    """Delete the pulses of an attempt that is over."""
    await session.execute(delete(Pulse).where(Pulse.attempt_id == attempt_id))


def _row(key: _Key, heard_at: datetime, pulse: protocol.Pulse, own: range) -> dict[str, object]:
    ranks = [told.model_dump(mode="json") for told in pulse.ranks if told.rank in own]
    return {"attempt_id": key[0], "node_id": key[1], "heard_at": heard_at, "time_us": pulse.time_us, "ranks": ranks}
