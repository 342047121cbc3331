"""The check that the job exists whose checkpoint another job is to start from."""

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Job
from ringscope_server.jobs.filters import MAX_ID


async def resume_errors(session: AsyncSession, spec: JobSpec) -> list[FieldError]:
    """Return what is wrong with ``training.resume_from``; only a node knows whether it still has the checkpoint."""
    number = spec.training.resume_from if spec.training else None
    if number is None:
        return []
    job = await session.get(Job, number) if number <= MAX_ID else None
    if job is not None and job.kind == "training":
        return []
    found = "there is no such job" if job is None else f"job {number} is of kind {job.kind}"
    sentence = f"training.resume_from: {found}; name a training job, or leave it out."
    return [FieldError(pointer="/training/resume_from", detail=sentence)]
