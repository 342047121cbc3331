"""Storage of agents' records in SQL: each exactly once, however often it is sent again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts import record
from ringscope.contracts.diagnosis import record as diagnosis_record
from ringscope.contracts.protocol import RecordBatch
from ringscope.contracts.search import record as search_record
from ringscope.contracts.training import record as training_record
from ringscope.contracts.words.devices import SIMULATED
from ringscope_server.attempts.accepts import accepts
from ringscope_server.db.bulk import insert_rows
from ringscope_server.db.models import Attempt, LogLine, Measurement, Member, Step, Trace
from ringscope_server.db.specs import valid_spec
from ringscope_server.diagnoses import service as diagnoses
from ringscope_server.results.queries import measurement_view
from ringscope_server.results.rows import LOG_COLUMNS, STEP_COLUMNS, log_row, measurement_row, step_rows
from ringscope_server.results.views import MeasurementView
from ringscope_server.telemetry import benchmark_summary, log_states, training_rows
from ringscope_server.training import search as search_summary
from ringscope_server.training import summary as training_summary

# The approximate rows of one transaction: other writers wait for it, and people wait for them.
MAX_ROWS = 2_000


class StepSpan(NamedTuple):
    """Steps of one rank that came together: from the start of the first to the end of the last, by its node's clock."""

    rank: int
    start_ns: int
    end_ns: float
    seconds: float  # seconds in steps


@dataclass
class Ingested:
    """The content of a batch, for the live stream and the counters."""

    last_sequence: int
    measurements: list[MeasurementView] = field(default_factory=list)
    lines: list[tuple[Any, ...]] = field(default_factory=list)  # rows of the log with the columns of LOG_COLUMNS
    checks: list[record.Check] = field(default_factory=list)
    diverged: list[training_record.Diverged] = field(default_factory=list)
    algorithm_changes: list[training_record.AlgorithmChanged] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    steps: list[record.Steps] = field(default_factory=list)
    spans: list[StepSpan] = field(
        default_factory=list
    )  # by the node's clock, without simulations, whose steps are not real
    is_training: bool = False  # whether the batch had records of training
    is_search: bool = False  # whether it had records of a strategy search
    loss: float | None = None  # the loss of rank 0's last training step; None also if it was not a finite number
    rejected: int = 0


# Records that decide how a job ended and cannot be sent afterwards.
_OF_SEARCHES = (
    search_record.SearchPlan,
    search_record.SearchBegin,
    search_record.SearchRun,
    search_record.SearchTarget,
)
_OF_DIAGNOSES = (diagnosis_record.PairMeasured, diagnosis_record.DiagnosisVerdict)
_OUTCOME = (record.Measurement, record.Check, training_record.Epoch, *_OF_SEARCHES, *_OF_DIAGNOSES)
_PRINTED = (record.Log, record.Check)  # is in the log
_OF_SWEEPS = (record.Measurement, record.Trace)  # only benchmarks have these
# No benchmark has these.
_OF_TRAINING = (
    training_record.Collectives,
    training_record.Epoch,
    training_record.Diverged,
    training_record.AlgorithmChanged,
)
# Records for each rank, sent by the agent of its node. Lines of the log come through the first node.
_OF_RANKS = (
    record.Started,
    record.Hello,
    record.Environment,
    record.Steps,
    training_record.Buckets,
    training_record.Collectives,
    training_record.PipelineStep,
    training_record.Epoch,
    training_record.Diverged,
    training_record.AlgorithmChanged,
    *_OF_SEARCHES,
    *_OF_DIAGNOSES,
)


async def ingest(session: AsyncSession, member: Member, attempt: Attempt, node: str, batch: RecordBatch) -> Ingested:
    """Store the new records, in one transaction with the number of the last one.

    A record that decides an outcome is counted as rejected once the attempt has succeeded, or the node has reported
    that it sent everything; so is a record that this kind of job does not have, or that this job does not ask for. For
    a lost attempt it is stored with the attempt; a job that has ended stays as it is.

    Records up to ``member.last_sequence`` were stored before and are skipped. After a gap nothing is stored: the answer
    tells the agent where to continue. A record that is malformed, or of a rank on another node, is counted and skipped,
    because sending it again would not help. Only the first records of a large batch are stored, about MAX_ROWS rows:
    call this again in another transaction until nothing is left.
    """
    known = member.last_sequence
    if batch.first_sequence > known + 1:
        return Ingested(last_sequence=known)
    fresh = batch.records[known + 1 - batch.first_sequence :]
    ingested = Ingested(last_sequence=known)
    if not fresh:
        return ingested
    ranks = range(member.first_rank, member.first_rank + member.slots)
    told = list(_parse(fresh, ranks, ingested))
    unfit: tuple[type[record.Record], ...] = _OUTCOME if _is_sealed(attempt, member) else ()
    unfit += _OF_TRAINING if attempt.job.kind == "benchmark" else _OF_SWEEPS
    spec = valid_spec(attempt.job)  # None: its attempt is being stopped, and earlier measurements are kept
    parsed = [one for one in told if not isinstance(one, unfit) and (spec is None or accepts(spec, one))]
    ingested.rejected += len(told) - len(parsed)
    await _store(session, attempt, node, parsed, ingested)
    member.last_sequence = ingested.last_sequence
    return ingested


def _is_sealed(attempt: Attempt, member: Member) -> bool:
    """Return whether the member's records are complete. A member in quarantine is not: its agent still
    sends its spool.
    """
    return attempt.finished_at is not None and (attempt.reason == "completed" or member.phase == "clean")


def _parse(raw: Iterable[dict[str, Any]], ranks: range, ingested: Ingested) -> Iterable[record.Record]:
    taken = 0
    for fields in raw:
        if taken >= MAX_ROWS:
            return
        ingested.last_sequence += 1
        try:
            parsed = record.RECORD.validate_python(fields)
            told = parsed.steps() if isinstance(parsed, record.Iterations) else [parsed]
            if any(isinstance(one, _OF_RANKS) and one.rank not in ranks for one in told):
                raise ValueError("a rank of another node")
        except ValueError:  # some messages are pydantic's own
            ingested.rejected += 1
            continue
        for one in told:
            rows = len(one.start_ns) if isinstance(one, record.Steps) else 1
            taken += rows
            ingested.counts[one.type] = ingested.counts.get(one.type, 0) + rows
            if isinstance(one, record.Steps) and one.transport != SIMULATED:
                _note_steps(one, ingested)
            yield one


def _note_steps(steps: record.Steps, ingested: Ingested) -> None:
    ends = zip(steps.start_ns, steps.duration_us, strict=True)
    ends_ns = [start_ns + duration_us * 1e3 for start_ns, duration_us in ends]
    if ends_ns:
        ingested.spans.append(StepSpan(steps.rank, steps.start_ns[0], ends_ns[-1], sum(steps.duration_us) * 1e-6))


async def _store(
    session: AsyncSession, attempt: Attempt, node: str, records: list[record.Record], ingested: Ingested
) -> None:
    attempt_id, job_id = attempt.id, attempt.job_id
    owner = {"job_id": job_id, "attempt_id": attempt_id}
    ingested.steps = [r for r in records if isinstance(r, record.Steps)]
    steps = [row for told in ingested.steps for row in step_rows(told, job_id, attempt_id)]
    await insert_rows(session, Step, STEP_COLUMNS, steps)
    printed = await log_states.newest(session, attempt_id, job_id, [r for r in records if isinstance(r, _PRINTED)])
    ingested.lines = [log_row(r, job_id, attempt_id, node) for r in printed]
    await insert_rows(session, LogLine, LOG_COLUMNS, ingested.lines)
    rows = [Measurement(**owner, **measurement_row(r)) for r in records if isinstance(r, record.Measurement)]
    traces = [Trace(**owner, **r.model_dump(exclude={"type"})) for r in records if isinstance(r, record.Trace)]
    session.add_all([*rows, *traces])
    surroundings = [r for r in records if isinstance(r, record.Hello | record.Environment)]
    if surroundings:
        await _keep_environment(session, attempt_id, surroundings)
    await session.flush()
    ingested.checks = [r for r in records if isinstance(r, record.Check)]
    ingested.diverged = [r for r in records if isinstance(r, training_record.Diverged)]
    ingested.algorithm_changes = [r for r in records if isinstance(r, training_record.AlgorithmChanged)]
    ingested.measurements = [measurement_view(row) for row in rows]
    ingested.is_training = await training_rows.store(
        session, attempt_id, job_id, records, is_script=attempt.job.kind == "script"
    )
    if ingested.is_training:
        await session.flush()
        epochs = [r for r in records if isinstance(r, training_record.Epoch)]
        ingested.loss = await training_summary.refresh(session, attempt_id, job_id, epochs, ingested.diverged)
    if found := [r for r in records if isinstance(r, _OF_SEARCHES)]:
        ingested.is_training = ingested.is_search = True
        await search_summary.refresh(session, attempt_id, job_id, found)
    if pairs := [r for r in records if isinstance(r, _OF_DIAGNOSES)]:
        ingested.is_training = True
        await diagnoses.store(session, attempt_id, job_id, pairs)
    ingested.is_training |= bool(ingested.algorithm_changes)
    if rows and not await benchmark_summary.refresh(session, attempt_id, job_id, rows):
        ingested.measurements = []  # no watcher of the job may see rows of an earlier attempt


async def _keep_environment(
    session: AsyncSession, attempt_id: int, surroundings: list[record.Hello | record.Environment]
) -> None:
    """Add the reported environment of ranks and nodes to their attempt's column; the nodes send one after another."""
    stored = (await session.scalars(select(Attempt.environment).where(Attempt.id == attempt_id))).one()
    found = {part: {item["rank"]: item for item in (stored or {}).get(part, ())} for part in ("nodes", "ranks")}
    for told in surroundings:
        part = "nodes" if isinstance(told, record.Environment) else "ranks"
        found[part][told.rank] = told.model_dump(exclude={"type"})
    ordered = {part: [items[rank] for rank in sorted(items)] for part, items in found.items()}
    await session.execute(update(Attempt).where(Attempt.id == attempt_id).values(environment=ordered))
