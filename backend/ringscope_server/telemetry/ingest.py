"""Records from agents into SQL: each exactly once, however often and from wherever it is sent again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts import record
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import RecordBatch
from ringscope.contracts.units import plural
from ringscope_server.db.bulk import insert_rows
from ringscope_server.db.models import Attempt, Job, LogLine, Measurement, Member, Step, Trace
from ringscope_server.instants import as_ns
from ringscope_server.jobs.states import WAITING
from ringscope_server.predictions import limit as limits
from ringscope_server.predictions import seats
from ringscope_server.results.log import log_line_view
from ringscope_server.results.queries import measurement_view
from ringscope_server.results.summary import measured_busbw_gb_per_s, summarise
from ringscope_server.results.views import LogLine as LogLineView
from ringscope_server.results.views import MeasurementView
from ringscope_server.telemetry import training_rows
from ringscope_server.training import summary as training_summary

# Of one transaction, about: other writers wait for it, and people wait for them.
MAX_ROWS = 2_000
STEP_COLUMNS = (
    "job_id", "attempt_id", "rank", "step", "op", "algorithm", "transport", "in_place", "bytes",
    "started_at_ns", "duration_us", "compute_us", "communication_us", "exposed_us", "loss", "samples", "lag",
)  # fmt: skip


class StepSpan(NamedTuple):
    """Steps of one rank that came together: from the start of the first to the end of the last, by its node's clock."""

    rank: int
    start_ns: int
    end_ns: float
    seconds: float  # in steps


@dataclass
class Ingested:
    """What a batch brought: for the live stream and the counters."""

    last_sequence: int
    measurements: list[MeasurementView] = field(default_factory=list)
    log_lines: list[LogLineView] = field(default_factory=list)
    checks: list[record.Check] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    spans: list[StepSpan] = field(default_factory=list)  # by the node's clock; those of simulations are not real
    is_training: bool = False  # something of training was among it
    loss: float | None = None  # of rank 0's last training step; None also where it was no finite number
    rejected: int = 0


async def ingest(session: AsyncSession, member: Member, job_id: int, node: str, batch: RecordBatch) -> Ingested:
    """Store the records that are new, in one transaction with the number of the last one.

    Records up to ``member.last_sequence`` were stored before and are skipped. After a gap nothing is stored: the
    answer tells the agent where to go on. A record that is not well formed is counted and passed over, since sending
    it again could not mend it. Of a large batch only the first records are stored, about MAX_ROWS rows: call it again
    in another transaction until nothing is left.
    """
    known = member.last_sequence
    if batch.first_sequence > known + 1:
        return Ingested(last_sequence=known)
    fresh = batch.records[known + 1 - batch.first_sequence :]
    ingested = Ingested(last_sequence=known)
    if not fresh:
        return ingested
    parsed = list(_parse(fresh, ingested))
    await _store(session, member.attempt_id, job_id, node, parsed, ingested)
    member.last_sequence = ingested.last_sequence
    return ingested


def _parse(raw: Iterable[dict[str, Any]], ingested: Ingested) -> Iterable[record.Record]:
    taken = 0
    for fields in raw:
        if taken >= MAX_ROWS:
            return
        ingested.last_sequence += 1
        try:
            parsed = record.RECORD.validate_python(fields)
        except ValidationError:
            ingested.rejected += 1
            continue
        rows = len(parsed.start_ns) if isinstance(parsed, record.Steps) else 1
        taken += rows
        ingested.counts[parsed.type] = ingested.counts.get(parsed.type, 0) + rows
        if isinstance(parsed, record.Steps) and parsed.transport != SIMULATED:
            _note_steps(parsed, ingested)
        yield parsed


def _note_steps(steps: record.Steps, ingested: Ingested) -> None:
    ends = zip(steps.start_ns, steps.duration_us, strict=True)
    ends_ns = [start_ns + duration_us * 1e3 for start_ns, duration_us in ends]
    if ends_ns:
        ingested.spans.append(StepSpan(steps.rank, steps.start_ns[0], ends_ns[-1], sum(steps.duration_us) * 1e-6))


async def _store(
    session: AsyncSession,
    attempt_id: int,
    job_id: int,
    node: str,
    records: list[record.Record],
    ingested: Ingested,
) -> None:
    owner = {"job_id": job_id, "attempt_id": attempt_id}
    steps = [row for r in records if isinstance(r, record.Steps) for row in step_rows(r, job_id, attempt_id)]
    await insert_rows(session, Step, STEP_COLUMNS, steps)
    lines = [LogLine(**owner, **_log_row(r, node)) for r in records if isinstance(r, record.Log | record.Check)]
    rows = [Measurement(**owner, **_measurement_row(r)) for r in records if isinstance(r, record.Measurement)]
    traces = [Trace(**owner, **r.model_dump(exclude={"type"})) for r in records if isinstance(r, record.Trace)]
    session.add_all([*lines, *rows, *traces])
    surroundings = [r for r in records if isinstance(r, record.Hello | record.Environment)]
    if surroundings:
        await _keep_environment(session, attempt_id, surroundings)
    await session.flush()
    ingested.checks = [r for r in records if isinstance(r, record.Check)]
    ingested.log_lines = [log_line_view(line) for line in lines]
    ingested.measurements = [measurement_view(row) for row in rows]
    ingested.is_training = await training_rows.store(session, attempt_id, job_id, records)
    if ingested.is_training:
        await session.flush()
        ingested.loss = await training_summary.refresh(session, attempt_id, job_id)
    if rows and not await _refresh_summary(session, attempt_id, job_id):
        ingested.measurements = []  # nobody who watches the job is to see rows of an earlier attempt


async def _keep_environment(
    session: AsyncSession, attempt_id: int, surroundings: list[record.Hello | record.Environment]
) -> None:
    """Add what ranks and nodes said of themselves to their attempt's column; the nodes send one after another."""
    stored = (await session.scalars(select(Attempt.environment).where(Attempt.id == attempt_id))).one()
    known = stored or {"nodes": [], "ranks": []}
    found: dict[str, list[dict[str, Any]]] = {"nodes": list(known["nodes"]), "ranks": list(known["ranks"])}
    for told in surroundings:
        part = "nodes" if isinstance(told, record.Environment) else "ranks"
        found[part].append(told.model_dump(exclude={"type"}))
    ordered = {part: sorted(items, key=lambda item: item["rank"]) for part, items in found.items()}
    await session.execute(update(Attempt).where(Attempt.id == attempt_id).values(environment=ordered))


async def _refresh_summary(session: AsyncSession, attempt_id: int, job_id: int) -> bool:
    """Put what the rows say beside the job. False: it is about another attempt now, or waits for it."""
    stored = (await session.scalars(select(Measurement).where(Measurement.attempt_id == attempt_id))).all()
    spec = JobSpec.model_validate((await session.scalars(select(Job.spec).where(Job.id == job_id))).one())
    limit = limits.of_job(spec, seats.nics_of(await seats.taken(session, attempt_id)))
    summary = summarise([as_record(row) for row in stored], spec.collective, limit.busbw_gb_per_s if limit else None)
    newest = select(func.max(Attempt.id)).where(Attempt.job_id == job_id).scalar_subquery()
    result = await session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state.not_in(WAITING), newest == attempt_id)
        .values(
            rows_done=len(stored),
            summary=summary.model_dump(mode="json"),
            busbw_gb_per_s=measured_busbw_gb_per_s(summary),
        )
        .execution_options(synchronize_session=False)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]  # an UPDATE's result is a CursorResult


def step_rows(steps: record.Steps, job_id: int, attempt_id: int) -> Iterable[tuple[Any, ...]]:
    """One tuple per step, as STEP_COLUMNS names it, of a record that holds one array per column."""
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
        map(training_rows.finite, steps.loss) if steps.loss else repeat(None, count),
        steps.samples or repeat(None, count),
        steps.lag or repeat(None, count),
        strict=True,
    )


def as_record(row: Measurement) -> record.Measurement:
    """A stored row as the record that it came from."""
    fields = {name: getattr(row, name) for name in record.Measurement.model_fields if hasattr(row, name)}
    return record.Measurement.model_validate(fields | {"time_ns": as_ns(row.measured_at)})


def _measurement_row(row: record.Measurement) -> dict[str, Any]:
    measured_at = datetime.fromtimestamp(row.time_ns / 1e9, UTC)
    return row.model_dump(exclude={"type", "time_ns", "times_us"}) | {
        "measured_at": measured_at
    }  # steps have the times


def _log_row(row: record.Log | record.Check, node: str) -> dict[str, Any]:
    if isinstance(row, record.Log):
        return {"node": node} | row.model_dump(include={"rank", "stream", "time_ns", "text"})
    sentence = (
        f"{plural(row.wrong, 'wrong element')} after {row.op} {row.algorithm} of {row.size_bytes} bytes "
        f"({'in place' if row.in_place else 'out of place'}): the first is element {row.first_index}, "
        f"expected {row.want}, got {row.got}."
    )
    return {"node": node, "rank": row.rank, "stream": "stderr", "time_ns": row.time_ns, "text": sentence}
