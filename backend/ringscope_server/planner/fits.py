"""The cost model's parameters from the rows of a job, as `ringscope fit --job N` finds them."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.machine import shared_cores
from ringscope.cost.fitting.samples import Sample, Samples, doubts, of_job
from ringscope.judging.comparison import SweepComparison
from ringscope_server.db.models import Attempt, Measurement, Member

MAX_ROWS = 2_000


async def load(session: AsyncSession, job_id: int, spec: JobSpec, attempt_id: int | None) -> Samples:
    """Return the rows of an attempt that a fit can use, and the placement of its ranks. Raises ValueError if there are
    none.
    """
    query = select(Measurement).where(Measurement.attempt_id == attempt_id).order_by(Measurement.id)
    found = (await session.scalars(query.limit(MAX_ROWS + 1))).all()
    if len(found) > MAX_ROWS:
        raise ValueError(f"job {job_id} has more than {MAX_ROWS:,} rows; run `ringscope fit --job {job_id}` instead.")
    nodes = await session.scalar(select(func.count()).select_from(Member).where(Member.attempt_id == attempt_id))
    rows = [Sample(row.collective, row.algorithm, row.ranks, row.size_bytes, row.count, row.p50_us) for row in found]
    transports = {row.transport for row in found if row.transport != row.algorithm}
    return of_job(spec, nodes or 1, rows, transports)


async def caveats(session: AsyncSession, attempt_id: int | None) -> list[str]:
    """Return the caveats of a fit to an attempt's rows."""
    told = select(Attempt.reason, Attempt.disturbed_by, Attempt.tally).where(Attempt.id == attempt_id)
    for reason, disturbed_by, fields in await session.execute(told):
        tally = SweepComparison.model_validate(fields or {})
        return doubts(reason, shared_cores(tally.ranks, tally.cores), disturbed_by, tally.wrong)
    return []
