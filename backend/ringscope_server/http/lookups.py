"""The job and the attempt that a path and its query name."""

from typing import Annotated

from fastapi import Path, Query
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope_server.db.specs import read_spec
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.jobs.filters import MAX_ID
from ringscope_server.jobs.queries import exists
from ringscope_server.results import queries

Id = Annotated[int, Path(ge=0, le=MAX_ID)]  # and of other whole numbers in a path
AttemptNumber = Annotated[int | None, Query(alias="attempt", ge=1, le=MAX_ID, description="Default: the newest.")]


async def attempt_asked_for(session: AsyncSession, job_id: int, number: int | None) -> int | None:
    """Return the id of the attempt; None if none is requested and the job has none yet. Raises Problem 404."""
    await require_job(session, job_id)
    attempt_id = await queries.attempt_of(session, job_id, number)
    if attempt_id is None and number is not None:
        raise not_found(f"attempt of job {job_id} with number", number)
    return attempt_id


async def require_sweep(session: AsyncSession, job_id: int) -> BenchmarkSpec:
    """Return the specification of the benchmark. Raises Problem 409 for a job of another kind."""
    spec = await read_spec(session, job_id)
    if spec.benchmark is None:
        raise Problem(409, "no_benchmark", f"Job {job_id} is of kind {spec.kind}; only benchmarks have this.")
    return spec.benchmark


async def require_job(session: AsyncSession, job_id: int) -> None:
    """Raises Problem 404 if there is no such job."""
    if not await exists(session, job_id):
        raise not_found("job", job_id)
