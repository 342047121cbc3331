"""Every step of an attempt, in batches: no transaction stays open for long, and little is in memory."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Step
from ringscope_server.results import clocks
from ringscope_server.results.clocks import Seat
from ringscope_server.results.views import StepView

BATCH_ROWS = 2_000
COLUMNS = tuple(StepView.model_fields)
_STORED = tuple(getattr(Step, name) for name in COLUMNS if hasattr(Step, name))


@dataclass(frozen=True)
class StepFilter:
    """A filter for steps; None lets all pass, except for the attempt, without which there are none."""

    attempt_id: int | None
    rank: int | None = None
    algorithm: str | None = None

    def of(self, query: Any) -> Any:
        """Return the query with these conditions."""
        query = query.where(Step.attempt_id == self.attempt_id)
        if self.rank is not None:
            query = query.where(Step.rank == self.rank)
        return query if self.algorithm is None else query.where(Step.algorithm == self.algorithm)


async def seats(database: Database, wanted: StepFilter) -> dict[int, Seat]:
    """Return the node and clock of each rank."""
    async with database.read() as session:
        return await clocks.seats(session, wanted.attempt_id)


async def batches(database: Database, wanted: StepFilter, columns: Sequence[Any]) -> AsyncIterator[Sequence[Any]]:
    """Yield these columns of all current steps, in the order in which they were stored; each rank's are in the order of
    time.
    """
    async with database.read() as session:
        last = await session.scalar(wanted.of(select(func.max(Step.id)))) or 0
    after = 0
    while after < last:
        query = wanted.of(select(Step.id, *columns)).where(Step.id > after, Step.id <= last)
        async with database.read() as session:
            batch = (await session.execute(query.order_by(Step.id).limit(BATCH_ROWS))).all()
        if not batch:
            return
        yield batch
        after = batch[-1].id


async def whole_rows(database: Database, wanted: StepFilter) -> AsyncIterator[list[list[Any]]]:
    """Yield rows with the values of COLUMNS."""
    places = await seats(database, wanted)
    async for batch in batches(database, wanted, _STORED):
        yield [_row(step._mapping, places.get(step.rank)) for step in batch]


def _row(step: Mapping[str, Any], seat: Seat | None) -> list[Any]:
    clock = seat.clock if seat else None
    start_ns = step["started_at_ns"]
    more = {
        "server_time_ns": clock.server_time_ns(start_ns) if clock else None,
        "clock_error_us": clock.error_us(start_ns) if clock else None,
    }
    return [step[name] if name in step else more[name] for name in COLUMNS]
