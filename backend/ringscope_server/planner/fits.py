"""The cost model's parameters from the rows of a job, as `ringscope fit --job N` finds them."""

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.collectives import total_elements
from ringscope.contracts.contest import Contest, crowd
from ringscope.contracts.job import JobSpec
from ringscope.cost.effort import message_count
from ringscope.cost.fit import fit
from ringscope.cost.fit_document import FitDocument, document
from ringscope.cost.measured_rows import MeasuredRow, Nodes
from ringscope.cost.samples import Sample, Samples, doubts, of_job
from ringscope_server.db.models import Attempt, Measurement, Member
from ringscope_server.planner.views import JobFit

MAX_ROWS = 2_000
# Each call is priced again and again until parameters and critical paths agree; with two kinds of links from three
# first guesses. So these are about 10 s of one processor.
MAX_MESSAGES = 60_000
_GUESSES = 5
_KNOWN_FITS = 64


async def load(session: AsyncSession, job_id: int, spec: JobSpec, attempt_id: int | None) -> Samples:
    """The rows of an attempt that a fit can use, and how its ranks lay; ValueError where there are none."""
    query = select(Measurement).where(Measurement.attempt_id == attempt_id).order_by(Measurement.id)
    found = (await session.scalars(query.limit(MAX_ROWS + 1))).all()
    if len(found) > MAX_ROWS:
        raise ValueError(f"job {job_id} has more than {MAX_ROWS:,} rows; run `ringscope fit --job {job_id}` instead.")
    nodes = await session.scalar(select(func.count()).select_from(Member).where(Member.attempt_id == attempt_id))
    rows = [Sample(row.collective, row.algorithm, row.ranks, row.size_bytes, row.count, row.p50_us) for row in found]
    transports = {row.transport for row in found if row.transport != row.algorithm}
    return of_job(spec, nodes or 1, rows, transports)


async def caveats(session: AsyncSession, attempt_id: int | None) -> list[str]:
    """What to know before a fit to an attempt's rows is believed."""
    told = select(Attempt.reason, Attempt.disturbed_by, Attempt.tally).where(Attempt.id == attempt_id)
    for reason, disturbed_by, fields in await session.execute(told):
        tally = Contest.model_validate(fields or {})
        return doubts(reason, crowd(tally.ranks, tally.cores), disturbed_by, tally.wrong)
    return []


def fitted(job_id: int, samples: Samples, known: Sequence[str] = ()) -> JobFit:
    """Parameters and residuals, with the caveats that are known; ValueError with a sentence where the rows do not tell,
    or are too many.
    """
    nodes = samples.nodes
    if nodes is None:
        raise ValueError(
            f"the ranks of job {job_id} lay unevenly on its nodes; "
            f"run `ringscope fit --job {job_id} --ranks-per-node N`."
        )
    _check_effort(job_id, samples.rows, nodes)
    found = _fitted(samples.rows, nodes, samples.transport)
    return JobFit(
        **dict(found) | {"caveats": list(known)},
        job_id=job_id,
        ranks=max(row.ranks for row in samples.rows),
        row_count=len(found.residuals),
        left_out=list(samples.left_out),
    )


def _check_effort(job_id: int, rows: Sequence[MeasuredRow], nodes: Nodes) -> None:
    calls = {(row.collective, row.algorithm, row.ranks, row.count) for row in rows}
    total = sum(
        message_count(algorithm, ranks, total_elements(collective, count, ranks), 1, collective, nodes.channels)
        for collective, algorithm, ranks, count in calls
    ) * (_GUESSES if nodes.ranks_per_node > 1 else 1)
    if total > MAX_MESSAGES:
        raise ValueError(
            f"the {len(rows):,} rows of job {job_id} would take the server too long to fit; "
            f"run `ringscope fit --job {job_id}` instead."
        )


@lru_cache(maxsize=_KNOWN_FITS)
def _fitted(rows: tuple[MeasuredRow, ...], nodes: Nodes, transport: str) -> FitDocument:
    return document(fit(rows, 4, nodes), transport)
