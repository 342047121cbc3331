"""The times of ranks on the server's clock, as far as their nodes' clock offsets are known."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from ringscope.contracts.protocol import CLOCK_DRIFT
from ringscope_server.db.models import Member
from ringscope_server.instants import as_ns
from ringscope_server.results.arrivals import Start


@dataclass(frozen=True)
class NodeClock:
    """The offset of a node's clock (node minus server) at a time of the server's clock."""

    offset_seconds: float
    error_seconds: float
    known_at_ns: int

    def server_time_ns(self, node_time_ns: int) -> int:
        """Convert a time of the node's clock to the server's."""
        return node_time_ns - round(self.offset_seconds * 1e9)

    def error_us(self, node_time_ns: int) -> float:
        """Return the largest possible error of ``server_time_ns``; clocks drift apart before and after they were
        compared.
        """
        apart_seconds = abs(self.server_time_ns(node_time_ns) - self.known_at_ns) / 1e9
        return (self.error_seconds + CLOCK_DRIFT * apart_seconds) * 1e6


@dataclass(frozen=True)
class Seat:
    """A rank's node and that node's clock; None if the clock is not known."""

    node: str
    clock: NodeClock | None

    def start(self, rank: int, node_time_ns: int) -> Start:
        """Return the start of a step on this node, to compare with others."""
        if self.clock is None:
            return Start(rank, self.node, node_time_ns, None)
        return Start(rank, self.node, self.clock.server_time_ns(node_time_ns), self.clock.error_us(node_time_ns))


async def seats(session: AsyncSession, attempt_id: int | None) -> dict[int, Seat]:
    """Return the node and clock of each rank of an attempt."""
    query = select(Member).where(Member.attempt_id == attempt_id).options(joinedload(Member.node))
    return {
        member.first_rank + local_rank: seat
        for member in await session.scalars(query)
        for seat in (Seat(member.node.name, _clock(member)),)
        for local_rank in range(member.slots)
    }


def _clock(member: Member) -> NodeClock | None:
    known_at = member.ended_at or member.running_at
    if member.clock_offset_seconds is None or member.clock_error_seconds is None or known_at is None:
        return None
    return NodeClock(member.clock_offset_seconds, member.clock_error_seconds, as_ns(known_at))
