"""Records from agents into SQL: each exactly once, however often and from wherever it is sent again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope import record
from ringscope.protocol import RecordBatch
from ringscope.spec import JobSpec
from ringscope_server.db.models import Attempt, Job, LogLine, Measurement, Member, Step
from ringscope_server.results.queries import log_line_view, measurement_view
from ringscope_server.results.summary import summarise
from ringscope_server.results.views import LogLine as LogLineView
from ringscope_server.results.views import MeasurementView


@dataclass
class Ingested:
    """What a batch brought: for the live stream and the counters."""

    last_sequence: int
    measurements: list[MeasurementView] = field(default_factory=list)
    log_lines: list[LogLineView] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    rejected: int = 0


async def ingest(session: AsyncSession, member: Member, job_id: int, node: str, batch: RecordBatch) -> Ingested:
    """Store the records that are new, in one transaction with the number of the last one.

    Records up to ``member.last_sequence`` were stored before and are skipped. After a gap nothing is stored: the
    answer tells the agent where to go on. A record that is not well formed is counted and passed over, since sending
    it again could not mend it.
    """
    known = member.last_sequence
    if batch.first_sequence > known + 1:
        return Ingested(last_sequence=known)
    fresh = batch.records[known + 1 - batch.first_sequence :]
    ingested = Ingested(last_sequence=known + len(fresh))
    if not fresh:
        return ingested
    parsed = list(_parse(fresh, ingested))
    await _store(session, member.attempt_id, job_id, node, parsed, ingested)
    member.last_sequence = ingested.last_sequence
    return ingested


def _parse(raw: Iterable[dict[str, Any]], ingested: Ingested) -> Iterable[record.Record]:
    for fields in raw:
        try:
            parsed = record.RECORD.validate_python(fields)
        except ValidationError:
            ingested.rejected += 1
            continue
        rows = len(parsed.start_ns) if isinstance(parsed, record.Steps) else 1
        ingested.counts[parsed.type] = ingested.counts.get(parsed.type, 0) + rows
        yield parsed


async def _store(
    session: AsyncSession,
    attempt_id: int,
    job_id: int,
    node: str,
    records: list[record.Record],
    ingested: Ingested,
) -> None:
    owner = {"job_id": job_id, "attempt_id": attempt_id}
    steps = [owner | row for r in records if isinstance(r, record.Steps) for row in step_rows(r)]
    if steps:
        await session.execute(insert(Step), steps)
    lines = [LogLine(**owner, **_log_row(r, node)) for r in records if isinstance(r, record.Log | record.Check)]
    rows = [Measurement(**owner, **_measurement_row(r)) for r in records if isinstance(r, record.Measurement)]
    session.add_all([*lines, *rows])
    surroundings = [r for r in records if isinstance(r, record.Hello | record.Environment)]
    if surroundings:
        await _keep_environment(session, attempt_id, surroundings)
    await session.flush()
    ingested.log_lines = [log_line_view(line) for line in lines]
    ingested.measurements = [measurement_view(row) for row in rows]
    if rows:
        await _refresh_summary(session, attempt_id, job_id)


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


async def _refresh_summary(session: AsyncSession, attempt_id: int, job_id: int) -> None:
    stored = (await session.scalars(select(Measurement).where(Measurement.attempt_id == attempt_id))).all()
    spec = JobSpec.model_validate((await session.scalars(select(Job.spec).where(Job.id == job_id))).one())
    summary = summarise([as_record(row) for row in stored], spec.benchmark.collective)
    await session.execute(
        update(Job).where(Job.id == job_id).values(rows_done=len(stored), summary=summary.model_dump(mode="json"))
    )


def step_rows(steps: record.Steps) -> Iterable[dict[str, Any]]:
    """One dictionary per step of a record that holds one array per column."""
    losses: Sequence[float | None] = steps.loss or [None] * len(steps.start_ns)
    columns = zip(
        steps.start_ns,
        steps.duration_us,
        steps.compute_us,
        steps.communication_us,
        steps.exposed_us,
        losses,
        strict=True,
    )
    for index, (start_ns, duration, compute, communication, exposed, loss) in enumerate(columns):
        yield {
            "rank": steps.rank,
            "step": steps.first_step + index,
            "op": steps.op,
            "algorithm": steps.algorithm,
            "transport": steps.transport,
            "in_place": steps.in_place,
            "bytes": steps.bytes,
            "started_at_ns": start_ns,
            "duration_us": duration,
            "compute_us": compute,
            "communication_us": communication,
            "exposed_us": exposed,
            "loss": loss,
        }


def as_record(row: Measurement) -> record.Measurement:
    """A stored row as the record that it came from."""
    time_ns = int(row.measured_at.timestamp() * 1e9)
    fields = {name: getattr(row, name) for name in record.Measurement.model_fields if hasattr(row, name)}
    return record.Measurement.model_validate(fields | {"time_ns": time_ns})


def _measurement_row(row: record.Measurement) -> dict[str, Any]:
    measured_at = datetime.fromtimestamp(row.time_ns / 1e9, UTC)
    return row.model_dump(exclude={"type", "time_ns", "times_us"}) | {
        "measured_at": measured_at
    }  # steps have the times


def _log_row(row: record.Log | record.Check, node: str) -> dict[str, Any]:
    if isinstance(row, record.Log):
        return {"node": node} | row.model_dump(include={"rank", "stream", "time_ns", "text"})
    sentence = (
        f"{row.wrong} wrong elements after {row.op} {row.algorithm} of {row.size_bytes} bytes "
        f"({'in place' if row.in_place else 'out of place'}): the first is element {row.first_index}, "
        f"expected {row.want}, got {row.got}."
    )
    return {"node": node, "rank": row.rank, "stream": "stderr", "time_ns": row.time_ns, "text": sentence}
