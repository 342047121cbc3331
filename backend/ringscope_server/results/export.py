"""A job's steps as a file, piece by piece."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal

from ringscope.contracts.columns import LAST_NS
from ringscope.contracts.metrics.labels import op_label
from ringscope.contracts.words.devices import SIMULATED
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Step
from ringscope_server.results import openmetrics, row_files, step_rows
from ringscope_server.results.clocks import Seat
from ringscope_server.results.openmetrics import ExportedJob
from ringscope_server.results.step_blocks import known_bus_factor
from ringscope_server.results.step_rows import StepFilter
from ringscope_server.results.step_spool import StepSpool

Format = Literal["csv", "ndjson", "openmetrics"]
MEDIA_TYPES: dict[Format, str] = {
    "csv": row_files.MEDIA_TYPES["csv"],
    "ndjson": row_files.MEDIA_TYPES["ndjson"],
    "openmetrics": openmetrics.MEDIA_TYPE,
}
_SPOOLED = (
    Step.rank,
    Step.op,
    Step.started_at_ns,
    Step.duration_us,
    Step.compute_us,
    Step.communication_us,
    Step.bytes,
    Step.transport,
)


async def exported(
    database: Database, format: Format, wanted: StepFilter, job_id: int, ranks: int
) -> AsyncIterator[str]:
    """Yield the pieces of the file; ``ranks`` is the size of the job."""
    if format == "openmetrics":
        async for piece in _exposition(database, wanted, job_id, ranks):
            yield piece
        return
    begun = row_files.header(format, step_rows.COLUMNS)
    async for rows in step_rows.whole_rows(database, wanted):
        yield begun + row_files.lines(format, step_rows.COLUMNS, rows)
        begun = ""
    if begun:
        yield begun


async def _exposition(database: Database, wanted: StepFilter, job_id: int, ranks: int) -> AsyncIterator[str]:
    """Yield the exposition without the steps of a simulation: no data moved, and a dashboard could not show the
    difference.
    """
    seats = await step_rows.seats(database, wanted)
    with StepSpool() as spool:
        async for batch in step_rows.batches(database, wanted, _SPOOLED):
            spool.add([_spooled(spool, seats, ranks, step) for step in batch if step.transport != SIMULATED])
        nodes = {rank: seat.node for rank, seat in seats.items()}
        for piece in openmetrics.text(ExportedJob(job_id, nodes), spool):
            yield piece
            await asyncio.sleep(0)  # a fast reader must not block all others


def _spooled(spool: StepSpool, seats: dict[int, Seat], ranks: int, step: Any) -> tuple[Any, ...]:
    """Convert a row of the table into one of the spool."""
    seat, start_ns = seats.get(step.rank), step.started_at_ns
    if seat is not None and seat.clock is not None:
        start_ns = seat.clock.server_time_ns(start_ns)
    return (
        step.rank,
        spool.number_of(op_label(step.op)),
        min(max(0, start_ns), LAST_NS) + round(step.duration_us * 1e3),  # a node's clock may be off by centuries
        step.duration_us,
        step.compute_us,
        step.communication_us,
        step.bytes,
        step.bytes * known_bus_factor(step.op, ranks),
    )
