"""Conversion of records into rows of the tables, and back."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import chain, repeat
from math import isfinite
from typing import Any

from ringscope.contracts import record
from ringscope.contracts.sweep_row import SweepRow
from ringscope.contracts.words.units import plural
from ringscope_server.db.models import Measurement
from ringscope_server.instants import as_ns

STEP_COLUMNS = (
    "job_id", "attempt_id", "rank", "step", "op", "algorithm", "transport", "in_place", "bytes",
    "started_at_ns", "duration_us", "compute_us", "communication_us", "exposed_us", "input_us", "memory_bytes",
    "loss", "samples", "lag",
)  # fmt: skip

LOG_COLUMNS = ("job_id", "attempt_id", "node", "rank", "stream", "time_ns", "text")

_COLUMNS = {*SweepRow.model_fields, "rounds_us"}


def step_rows(steps: record.Steps, job_id: int, attempt_id: int) -> Iterable[tuple[Any, ...]]:
    """Return one tuple per step with the columns of STEP_COLUMNS, from a record that holds one array per column."""
    count = len(steps.start_ns)
    return zip(
        *(repeat(value, count) for value in (job_id, attempt_id, steps.rank)),
        range(steps.first_step, steps.first_step + count),
        *(repeat(value, count) for value in (steps.op, steps.algorithm, steps.transport, steps.in_place, steps.bytes)),
        steps.start_ns,
        steps.duration_us,
        steps.compute_us,
        steps.communication_us,
        steps.exposed_us,
        steps.input_us or repeat(None, count),
        chain(repeat(None, count - 1), [steps.memory_bytes]),
        map(finite, steps.loss) if steps.loss else repeat(None, count),
        steps.samples or repeat(None, count),
        steps.lag or repeat(None, count),
        strict=True,
    )


def finite(value: float | None) -> float | None:
    """Return a value that both databases and JSON can hold: null replaces what is not finite, as where training has
    diverged.
    """
    return value if value is not None and isfinite(value) else None


def measurement_row(row: record.Measurement) -> dict[str, Any]:
    """Return the columns of a stored measurement without its owner; the times of the iterations are in its steps."""
    columns = {name: getattr(row, name) for name in _COLUMNS}  # as JSON leaves some out where they are null
    return columns | {"measured_at": datetime.fromtimestamp(row.time_ns / 1e9, UTC)}


def as_record(row: Measurement) -> record.Measurement:
    """Return a stored row as the record that it came from."""
    columns = {name: getattr(row, name) for name in _COLUMNS}
    return record.Measurement.model_validate(columns | {"time_ns": as_ns(row.measured_at)})


def log_row(row: record.Log | record.Check, job_id: int, attempt_id: int, node: str) -> tuple[Any, ...]:
    """Return a line of the log with the columns of LOG_COLUMNS; the finding of a check is a line as well."""
    if isinstance(row, record.Log):
        return job_id, attempt_id, node, row.rank, row.stream, row.time_ns, row.text
    sentence = (
        f"{plural(row.wrong, 'wrong element')} after {row.op} {row.algorithm} of {row.size_bytes} bytes "
        f"({'in place' if row.in_place else 'out of place'}): the first is element {row.first_index}, "
        f"expected {row.want}, got {row.got}."
    )
    return job_id, attempt_id, node, row.rank, "stderr", row.time_ns, sentence
