"""The collectives of a script by size, over the ranks of an attempt."""

from collections.abc import Sequence
from statistics import median

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.training.record import Collectives
from ringscope_server.db.models import RankCollectives
from ringscope_server.training.views import CalledCollectiveList, CalledCollectiveView


async def collectives(session: AsyncSession, attempt_id: int | None) -> CalledCollectiveList:
    """Return the newest reports of all ranks as one table."""
    query = select(RankCollectives).where(RankCollectives.attempt_id == attempt_id).order_by(RankCollectives.rank)
    told = [Collectives.model_validate(row.told) for row in await session.scalars(query)]
    return CalledCollectiveList(items=_rows(told), ranks=len(told))


def _rows(ranks: Sequence[Collectives]) -> list[CalledCollectiveView]:
    """Return one row for each collective and class of sizes, those with most bytes first."""
    found: dict[tuple[str, int], list[tuple[int, int, float | None]]] = {}
    for told in ranks:
        columns = zip(told.name, told.least_bytes, told.calls, told.bytes, told.time_us, strict=True)
        for name, least_bytes, calls, total_bytes, time_us in columns:
            found.setdefault((name, least_bytes), []).append((calls, total_bytes, time_us))
    rows = [_row(name, least_bytes, of_ranks) for (name, least_bytes), of_ranks in found.items()]
    return sorted(rows, key=lambda row: (-row.bytes, -row.calls, row.collective, row.least_bytes))


def _row(name: str, least_bytes: int, of_ranks: Sequence[tuple[int, int, float | None]]) -> CalledCollectiveView:
    calls, total_bytes = max((calls, total_bytes) for calls, total_bytes, _ in of_ranks)
    times_us = [time_us for _, _, time_us in of_ranks if time_us]
    time_us = median(times_us) if times_us else None
    mean_bytes = total_bytes / calls if calls else 0.0
    return CalledCollectiveView(
        collective=name,
        least_bytes=least_bytes,
        mean_bytes=round(mean_bytes),
        ranks=len(of_ranks),
        calls=calls,
        bytes=total_bytes,
        time_us=time_us,
        algbw_gb_per_s=mean_bytes / time_us / 1e3 if time_us and mean_bytes else None,
    )
