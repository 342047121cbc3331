"""The specifications of stored jobs as models: the one place where they are parsed, once for as long as they stay."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Job
from ringscope_server.db.parsed import Parsed

_KNOWN_JOBS = 1_000
_specs: Parsed[JobSpec] = Parsed(_KNOWN_JOBS)


def spec_of(job: Job) -> JobSpec:
    """What was asked for. Nobody may change it, as others are given the same one."""
    return _specs.get(job.id, job.spec, JobSpec.model_validate)


async def specs_of(session: AsyncSession, job_ids: Collection[int]) -> dict[int, JobSpec]:
    """Of those jobs that there are, without reading the rest of them."""
    rows = await session.execute(select(Job.id, Job.spec).where(Job.id.in_(job_ids)))
    return {job_id: _specs.get(job_id, spec, JobSpec.model_validate) for job_id, spec in rows}


async def read_spec(session: AsyncSession, job_id: int) -> JobSpec:
    """Of one job, without reading the rest of it. Raises KeyError where there is none."""
    return (await specs_of(session, [job_id]))[job_id]
