"""The expected bandwidth of a running benchmark, from comparable earlier jobs' results for the same rows.

A sweep goes through sizes that differ in bandwidth by orders of magnitude, so that one number for the whole job would
be wrong most of the time. So the expected value is for the rows of the last minute together, which is what a rate over
a minute of the ranks' counters shows.
"""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from ringscope_server.db.models import Attempt, Measurement
from ringscope_server.results.baseline import SHAPE_COLUMNS, Baseline, Shape, baseline

WINDOW = timedelta(minutes=1)
AT_ONCE = 25  # new attempts looked up in one transaction, which PostgreSQL ends after 10 s; the next pass goes on


@dataclass
class _Job:
    """One attempt: the baseline of its rows, and its own rows of the last minute."""

    baseline: Baseline
    recent: deque[tuple[datetime, Shape, float]] = field(default_factory=deque)  # with the measured GB/s


class ExpectedBandwidth:
    """Expected bus bandwidths in bytes per second, and the measured ones as shares of them, by job."""

    def __init__(self) -> None:
        self.bandwidths: dict[int, float] = {}
        self.shares: dict[int, float] = {}
        self._attempts: dict[int, _Job] = {}
        self._last_row: int | None = None  # what was measured before this server looked is not of the last minute

    async def refresh(self, session: AsyncSession, jobs: Collection[int], now: datetime) -> None:
        """Read the new rows of these jobs, which hold slots."""
        if self._last_row is None:
            self._last_row = await session.scalar(select(func.max(Measurement.id))) or 0
        found = (await session.execute(_attempts(jobs))).all() if jobs else ()
        attempts: dict[int, int] = dict(found)
        self._attempts = {number: known for number, known in self._attempts.items() if number in attempts}
        for number in sorted(attempts.keys() - self._attempts.keys())[:AT_ONCE]:
            self._attempts[number] = _Job(await baseline(session, await _loaded(session, number)))
        for row_id, attempt_id, gb_per_s, *shape in await session.execute(_rows(self._attempts, self._last_row)):
            self._last_row = max(self._last_row, row_id)
            self._attempts[attempt_id].recent.append((now, Shape(*shape), gb_per_s))
        self.bandwidths, self.shares = {}, {}
        for number, job in self._attempts.items():
            while job.recent and job.recent[0][0] <= now - WINDOW:
                job.recent.popleft()
            if (value := expected((shape for _, shape, _ in job.recent), job.baseline)) is None:
                continue
            self.bandwidths[attempts[number]] = value
            if (reached := measured((shape.size_bytes, rate) for _, shape, rate in job.recent)) is not None:
                self.shares[attempts[number]] = reached / value


def expected(rows: Iterable[Shape], known: Baseline) -> float | None:
    """Return all their bytes over all their time; None without rows, or if one of them has no baseline."""
    size_bytes, seconds = 0, 0.0
    for row in rows:
        if not (best := known.get(row)) or not best.median_gb_per_s:  # one rank alone has no bus
            return None
        size_bytes += row.size_bytes
        seconds += row.size_bytes / (best.median_gb_per_s * 1e9)
    return size_bytes / seconds if seconds else None


def measured(rows: Iterable[tuple[int, float]]) -> float | None:
    """Return all bytes over all time of rows of bytes and GB/s; None without rows, or if one of them has no rate."""
    size_bytes, seconds = 0, 0.0
    for size, gb_per_s in rows:
        if gb_per_s <= 0:
            return None
        size_bytes += size
        seconds += size / (gb_per_s * 1e9)
    return size_bytes / seconds if seconds else None


async def _loaded(session: AsyncSession, attempt_id: int) -> Attempt:
    query = select(Attempt).where(Attempt.id == attempt_id)
    return (await session.scalars(query.options(joinedload(Attempt.job), selectinload(Attempt.members)))).one()


def _attempts(jobs: Collection[int]) -> Any:
    return select(Attempt.id, Attempt.job_id).where(Attempt.job_id.in_(jobs), Attempt.finished_at.is_(None))


def _rows(attempts: Collection[int], after: int) -> Any:
    query = select(Measurement.id, Measurement.attempt_id, Measurement.busbw_gb_per_s, *SHAPE_COLUMNS)
    return query.where(Measurement.attempt_id.in_(attempts), Measurement.id > after).order_by(Measurement.id)
