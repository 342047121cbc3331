"""Lines that are redrawn: only the newest of their states is in the log."""

from collections.abc import Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.record import Check, Log
from ringscope_server.db.models import LogLine

# A state follows the previous one within about a second. A longer search would read the whole of a long log.
NEWEST_LINES = 50_000


async def newest(
    session: AsyncSession, attempt_id: int, job_id: int, printed: Sequence[Log | Check]
) -> list[Log | Check]:
    """Return the lines to store, and delete the stored ones that they replace."""
    kept: dict[int, Log | Check] = dict(enumerate(printed))
    places: dict[tuple[int | None, str, int], int] = {}  # index among the lines to store
    replaced: set[tuple[int | None, str, int]] = set()  # among the stored ones
    for place, line in enumerate(printed):
        if not isinstance(line, Log):
            continue
        if line.replaces_ns is not None:
            earlier = line.rank, line.stream, line.replaces_ns
            if earlier in places:
                del kept[places.pop(earlier)]
            else:
                replaced.add(earlier)
        places[line.rank, line.stream, line.time_ns] = place
    if replaced:
        await _delete(session, attempt_id, job_id, replaced)
    return list(kept.values())


async def _delete(
    session: AsyncSession, attempt_id: int, job_id: int, replaced: set[tuple[int | None, str, int]]
) -> None:
    last = await session.scalar(select(func.max(LogLine.id)).where(LogLine.job_id == job_id)) or 0
    times = {time_ns for _, _, time_ns in replaced}
    of_attempt = LogLine.job_id == job_id, LogLine.attempt_id == attempt_id, LogLine.id > last - NEWEST_LINES
    query = select(LogLine.id, LogLine.rank, LogLine.stream, LogLine.time_ns)
    found = await session.execute(query.where(*of_attempt, LogLine.time_ns.in_(times)))
    ids = [row.id for row in found if (row.rank, row.stream, row.time_ns) in replaced]
    await session.execute(delete(LogLine).where(LogLine.id.in_(ids)).execution_options(synchronize_session=False))
