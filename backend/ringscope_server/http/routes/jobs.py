"""/jobs: submit, list, read, change, cancel, hold, release, retry and clone jobs."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec, NewJob, StoredKind
from ringscope.contracts.words.collectives import Algorithm, Collective
from ringscope.contracts.words.job_states import TERMINAL, JobState
from ringscope_server.attempts import cancelling
from ringscope_server.changes import Changes, announce
from ringscope_server.db.models import Job
from ringscope_server.http.admission import AdmittedDep
from ringscope_server.http.auth import Operator, Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.document import CREATED
from ringscope_server.http.etag import IfMatch, etag, require_match
from ringscope_server.http.idempotency import IdempotencyKey
from ringscope_server.http.lookups import Id
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.imports import adoption
from ringscope_server.instants import Instant
from ringscope_server.jobs import copies, edits, facets, queries, service
from ringscope_server.jobs.facets import JobFacets
from ringscope_server.jobs.filters import MAX_ID, JobFilter
from ringscope_server.jobs.sorting import NEWEST_FIRST, Sort
from ringscope_server.jobs.views import JobPage, JobView, JudgementKind
from ringscope_server.services import Services
from ringscope_server.users import idempotency
from ringscope_server.users.idempotency import fingerprint
from ringscope_server.users.tokens import User

router = APIRouter(prefix="/jobs", tags=["jobs"])

States = Annotated[list[JobState] | None, Query(alias="state", description=f"Any of {', '.join(get_args(JobState))}.")]
Labels = Annotated[
    list[str] | None, Query(alias="label", max_length=20, description="A label as key:value; repeat it for several.")
]


def wanted_jobs(
    state: States = None,
    kind: StoredKind | None = None,
    owner: Annotated[
        str | None, Query(alias="user", max_length=200, description="The user who submitted the job.")
    ] = None,
    label: Labels = None,
    schedule_id: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="The schedule that submitted the job.")
    ] = None,
    collective: Collective | None = None,
    algorithm: Annotated[Algorithm | None, Query(description="One of the job's algorithms.")] = None,
    node: Annotated[str | None, Query(max_length=200, description="A node on which the job had a rank.")] = None,
    q: Annotated[
        str | None, Query(max_length=200, description="A part of the job's name or note, or its number.")
    ] = None,
    finished_after: Annotated[Instant | None, Query(description="The job ended at this time or later.")] = None,
    judgement: Annotated[
        JudgementKind | None, Query(description="The judgement of the bandwidth, which was stored when the job ended.")
    ] = None,
) -> JobFilter:
    """Return the filter in the query."""
    states = tuple(dict.fromkeys(state or ()))
    labels = _labels(label or [])
    return JobFilter(
        states, kind, owner, labels, schedule_id, q, collective, algorithm, node, finished_after, judgement
    )


SHORT_PAGE = 100  # jobs, which are read without a limit of their own

_Change = Callable[[AsyncSession, int, str, datetime], Awaitable[object]]
Wanted = Annotated[JobFilter, Depends(wanted_jobs)]


@router.post("", status_code=201, responses=CREATED, operation_id="create_job")
async def create_job(
    spec: NewJob,
    user: Operator,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> JobView:
    """Submit a job. The cluster starts it as soon as all of its ranks fit."""
    return await _submit(
        services, response, user, idempotency_key, fingerprint("create job", spec), lambda source: spec
    )


@router.get("", operation_id="list_jobs")
async def list_jobs(
    user: Viewer,
    services: ServicesDep,
    admitted: AdmittedDep,
    wanted: Wanted,
    sort: Annotated[
        Sort, Query(description="The sort key; a leading - puts the most or the newest first.")
    ] = NEWEST_FIRST,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> JobPage:
    """List jobs, newest first unless another order is given."""
    before = decode(cursor)
    place: AbstractAsyncContextManager[None] = nullcontext()
    if limit > SHORT_PAGE:
        admitted.end()
        place = services.long_pages.taken(user.token_id)
    async with place, services.database.read() as session:
        items = await queries.page(session, limit, before, wanted, sort)
    return JobPage(items=items, next=next_cursor([job.id for job in items], limit))


@router.get("/facets", operation_id="count_jobs")
async def count_jobs(user: Viewer, services: ServicesDep, wanted: Wanted) -> JobFacets:
    """Count the jobs that match a filter, and that would with another state, kind, collective, algorithm or user."""
    async with services.database.read() as session:
        return await facets.count(session, wanted)


@router.get("/{job_id}", operation_id="get_job")
async def get_job(job_id: Id, user: Viewer, services: ServicesDep, response: Response) -> JobView:
    """Return one job; its ETag is needed to change it."""
    return await _view(services, job_id, response)


@router.patch("/{job_id}", operation_id="edit_job")
async def edit_job(
    job_id: Id,
    edit: edits.JobEdit,
    user: Operator,
    services: ServicesDep,
    response: Response,
    if_match: IfMatch = None,
) -> JobView:
    """Change the name, the labels, the note, or the priority and with it the position in the queue."""

    async def change(session: AsyncSession, job_id: int, user: str, now: datetime) -> None:
        job = await session.get_one(Job, job_id)
        require_match(if_match, job.revision)
        edits.edit(session, job, edit, user, now)

    return await _change(services, response, job_id, user, change)


@router.post("/{job_id}/cancel", operation_id="cancel_job")
async def cancel_job(job_id: Id, user: Operator, services: ServicesDep, response: Response) -> JobView:
    """End a job: a waiting one at once, a started one as soon as its processes are proven gone."""
    return await _change(services, response, job_id, user, cancelling.cancel)


@router.post("/{job_id}/hold", operation_id="hold_job")
async def hold_job(job_id: Id, user: Operator, services: ServicesDep, response: Response) -> JobView:
    """Keep a queued job from starting until it is released."""
    return await _change(services, response, job_id, user, service.hold)


@router.post("/{job_id}/release", operation_id="release_job")
async def release_job(job_id: Id, user: Operator, services: ServicesDep, response: Response) -> JobView:
    """Put a held job into the queue."""
    return await _change(services, response, job_id, user, service.release)


@router.post("/{job_id}/adopt", operation_id="adopt_job")
async def adopt_job(job_id: Id, user: Operator, services: ServicesDep, response: Response) -> JobView:
    """Let an imported job count as a good run of this cluster: as a best value, and as what others are judged by."""
    return await _change(services, response, job_id, user, _of_job(adoption.adopt))


@router.post("/{job_id}/disown", operation_id="disown_job")
async def disown_job(job_id: Id, user: Operator, services: ServicesDep, response: Response) -> JobView:
    """Let an adopted job no longer count as a run of this cluster."""
    return await _change(services, response, job_id, user, _of_job(adoption.disown))


def _of_job(change: Callable[[AsyncSession, Job, str, datetime], Awaitable[None]]) -> _Change:
    """Return the change of a job by its id, which ``_change`` has locked."""

    async def by_id(session: AsyncSession, job_id: int, user: str, now: datetime) -> None:
        await change(session, await session.get_one(Job, job_id), user, now)

    return by_id


@router.post("/{job_id}/retry", status_code=201, responses=CREATED, operation_id="retry_job")
async def retry_job(
    job_id: Id, user: Operator, services: ServicesDep, response: Response, idempotency_key: IdempotencyKey = None
) -> JobView:
    """Submit an ended job again, as a new one; training that was cut short continues from its checkpoint."""

    def again(job: Job | None) -> JobSpec:
        assert job is not None
        if job.state not in TERMINAL:
            raise service.WrongStateError(f"Job {job_id} is {job.state}; only one that has ended can be run again.")
        return copies.retried(job)

    return await _submit(services, response, user, idempotency_key, fingerprint(f"retry job {job_id}"), again, job_id)


@router.post("/{job_id}/clone", status_code=201, responses=CREATED, operation_id="clone_job")
async def clone_job(
    job_id: Id,
    patch: dict[str, Any],
    user: Operator,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> JobView:
    """Submit a job again with changes: the body is a merge patch (RFC 7396) over its specification."""

    def with_changes(job: Job | None) -> JobSpec:
        assert job is not None
        return copies.changed(job, patch)

    body_sha256 = fingerprint(f"clone job {job_id}", patch)
    return await _submit(services, response, user, idempotency_key, body_sha256, with_changes, job_id)


async def _submit(
    services: Services,
    response: Response,
    user: User,
    key: str | None,
    body_sha256: str,
    specify: Callable[[Job | None], JobSpec],
    source_id: int | None = None,
) -> JobView:
    """Queue what ``specify`` makes from the source job, if there is one, unless this request has done so already."""
    try:
        async with services.database.write() as session:
            earlier = await idempotency.earlier(session, user.name, key, body_sha256)
            if earlier is None:
                source = None if source_id is None else await session.get(Job, source_id)
                if source_id is not None and source is None:
                    raise not_found("job", source_id)
                job = await service.submit(
                    session,
                    specify(source),
                    user.name,
                    services.now(),
                    cloned_from=source_id,
                    max_queued=services.settings.max_queued_jobs_per_user,
                    capacity=services.capacity,
                )
                idempotency.remember(session, user.name, key, body_sha256, "job", job.id, services.now())
    except service.InvalidJobError as error:
        raise invalid(error.errors) from error
    except service.TooManyQueuedError as error:
        raise Problem(409, "too_many_queued", str(error)) from error
    except service.WrongStateError as error:
        raise Problem(409, "wrong_state", str(error)) from error
    job_id = job.id if earlier is None else earlier.target_id
    response.headers["Location"] = f"/api/v1/jobs/{job_id}"
    if earlier is not None:
        return await _view(services, job_id, response)
    changes = Changes()
    changes.new(job)
    view = queries.view_of_new(job)
    await announce(services, changes, view)
    response.headers["ETag"] = etag(job.revision)
    return view


async def _change(
    services: Services,
    response: Response,
    job_id: int,
    user: User,
    change: _Change,
) -> JobView:
    """Make a person's change of a job, notify readers, and return the changed job."""
    changes = Changes(jobs={job_id})
    try:
        async with services.database.write() as session:
            job = await service.find(session, job_id)
            if job is None:
                raise not_found("job", job_id)
            was_over = job.state in TERMINAL
            await change(session, job_id, user.name, services.now())
            changes.nodes = await queries.nodes_of_job(session, job_id)
    except service.WrongStateError as error:
        raise Problem(409, "wrong_state", str(error)) from error
    if job.state in TERMINAL and not was_over:
        changes.ended(job)
    await announce(services, changes)
    services.signals.wake_scheduler()
    return await _view(services, job_id, response)


def _labels(pairs: list[str]) -> dict[str, str]:
    found = {}
    for index, pair in enumerate(pairs):
        key, colon, value = pair.partition(":")
        if not key or not colon or '"' in key:
            sentence = f"label: {pair!r} is no label to look for; write it as key:value, without quotes."
            raise invalid([FieldError(pointer=f"/label/{index}", detail=sentence)])
        found[key] = value
    return found


async def _view(services: Services, job_id: int, response: Response) -> JobView:
    async with services.database.read() as session:
        job = await queries.one(session, job_id)
    if job is None:
        raise not_found("job", job_id)
    response.headers["ETag"] = etag(job.revision)
    return job
