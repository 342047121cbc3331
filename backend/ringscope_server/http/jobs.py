"""/jobs: submit, list, look at, cancel."""

from typing import Annotated, get_args

from fastapi import APIRouter, Header, Query, Response

from ringscope.spec import JobKind, JobSpec
from ringscope_server.http.auth import Operator, Viewer
from ringscope_server.http.pages import Cursor, Limit, decode, next_cursor
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.http.services import ServicesDep
from ringscope_server.jobs import queries, service
from ringscope_server.jobs.states import JobState
from ringscope_server.jobs.views import JobPage, JobView
from ringscope_server.scheduler.loop import Changes, announce
from ringscope_server.services import Services

router = APIRouter(prefix="/jobs", tags=["jobs"])

IdempotencyKey = Annotated[
    str | None,
    Header(max_length=200, description="Sending the same key and body again gives the first job again."),
]
States = Annotated[list[JobState] | None, Query(alias="state", description=f"Any of {', '.join(get_args(JobState))}.")]


@router.post("", status_code=201, operation_id="create_job")
async def create_job(
    spec: JobSpec,
    user: Operator,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> JobView:
    """Submit a job. The cluster starts it as soon as all of its ranks fit."""
    try:
        async with services.database.write() as session:
            job, is_new = await service.submit(session, spec, user.name, idempotency_key, services.now())
    except service.InvalidJobError as error:
        raise invalid(error.errors) from error
    except service.KeyReusedError as error:
        sentence = "This Idempotency-Key was used for another job; send a new key with a new job."
        raise Problem(409, "idempotency_key_reused", sentence) from error
    if is_new:
        services.monitoring.submitted[job.kind] += 1
        await announce(services, Changes(jobs={job.id}))
        services.signals.wake_scheduler()
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return await _view(services, job.id)


@router.get("", operation_id="list_jobs")
async def list_jobs(
    user: Viewer,
    services: ServicesDep,
    state: States = None,
    kind: JobKind | None = None,
    q: Annotated[str | None, Query(max_length=200, description="Part of the name.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> JobPage:
    """Jobs, newest first."""
    before = decode(cursor)
    async with services.database.read() as session:
        items = await queries.page(session, limit, before, state or (), kind, q)
    return JobPage(items=items, next=next_cursor([job.id for job in items], limit))


@router.get("/{job_id}", operation_id="get_job")
async def get_job(job_id: int, user: Viewer, services: ServicesDep) -> JobView:
    """One job."""
    return await _view(services, job_id)


@router.post("/{job_id}/cancel", operation_id="cancel_job")
async def cancel_job(job_id: int, user: Operator, services: ServicesDep) -> JobView:
    """End a job: a waiting one at once, a started one as soon as its processes are proven gone."""
    try:
        async with services.database.write() as session:
            job = await service.cancel(session, job_id, user.name, services.now())
            if job is None:
                raise not_found("job", job_id)
    except service.JobOverError as error:
        raise Problem(409, "job_is_over", f"Job {job_id} has already ended; there is nothing to cancel.") from error
    async with services.database.read() as session:
        nodes = await queries.nodes_of_job(session, job_id)
    changes = Changes(jobs={job_id}, nodes=nodes)
    if job.state == "cancelled":
        changes.ended(job)
    await announce(services, changes)
    return await _view(services, job_id)


async def _view(services: Services, job_id: int) -> JobView:
    async with services.database.read() as session:
        job = await queries.one(session, job_id)
    if job is None:
        raise not_found("job", job_id)
    return job
