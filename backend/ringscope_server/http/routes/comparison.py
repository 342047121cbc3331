"""/comparison: benchmarks compared with each other."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec
from ringscope_server.db.specs import specs_of
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.jobs.filters import MAX_ID
from ringscope_server.results import comparison, regressions
from ringscope_server.results.comparison import Comparison, Standings
from ringscope_server.results.regressions import Regressions

router = APIRouter(prefix="/comparison", tags=["results"])

MAX_JOBS = 6
MAX_FIGURES = 100
JobId = Annotated[int, Query(ge=1, le=MAX_ID)]
Jobs = Annotated[
    list[JobId], Query(alias="job", min_length=1, max_length=MAX_JOBS, description="A job; repeat it for each job.")
]
ManyJobs = Annotated[
    list[JobId], Query(alias="job", min_length=1, max_length=MAX_FIGURES, description="A job; repeat it for each job.")
]
Base = Annotated[
    int | None, Query(ge=1, le=MAX_ID, description="The base job, which is one of the jobs; default: the first.")
]


@router.get("", operation_id="compare_jobs", response_model=Comparison)
async def compare_jobs(user: Viewer, services: ServicesDep, jobs: Jobs, base: Base = None) -> Response:
    """Compare the rows of benchmarks with those of a base job: ratios, noise, and what cannot be compared."""
    async with services.database.read() as session:
        measured = await comparison.measured(session, *await _asked(session, jobs, base))
    # Long sweeps take long to serialize, so this runs outside the event loop.
    content = await asyncio.to_thread(lambda: measured.compared().model_dump_json())
    return Response(content, media_type="application/json")


@router.get("/standings", operation_id="compare_jobs_in_one_figure")
async def compare_in_one_figure(user: Viewer, services: ServicesDep, jobs: ManyJobs, base: Base = None) -> Standings:
    """Compare benchmarks with a base job in one figure: the ratio of the times at the size nearest to 1 MiB, and its
    error.
    """
    async with services.database.read() as session:
        return await comparison.standings(session, *await _asked(session, jobs, base))


@router.get("/regressions", operation_id="list_regressions")
async def list_regressions(user: Viewer, services: ServicesDep) -> Regressions:
    """List what became slower: undisturbed benchmarks of the last 24 hours beside the same ones of the day before."""
    async with services.database.read() as session:
        return await regressions.regressions(session, services.now())


async def _asked(session: AsyncSession, jobs: list[int], base: int | None) -> tuple[list[tuple[int, JobSpec]], int]:
    """Return each job once with its specification, and the base job."""
    wanted = list(dict.fromkeys(jobs))
    base_id = wanted[0] if base is None else base
    if base_id not in wanted:
        sentence = f"base: job {base_id} is not among the compared jobs; add it as job, or leave base out."
        raise invalid([FieldError(pointer="/base", detail=sentence)])
    specs = await specs_of(session, wanted)
    for job_id in wanted:
        if job_id not in specs:
            raise not_found("job", job_id)
        if specs[job_id].benchmark is None:
            raise Problem(409, "no_benchmark", f"Job {job_id} is of kind {specs[job_id].kind}; leave it out.")
    return [(job_id, specs[job_id]) for job_id in wanted], base_id
