"""/jobs/{id}/…: the curve, epochs and buckets of training, the collectives of scripts, the insides of some strategies,
and strategy searches.
"""

from typing import Annotated

from fastapi import APIRouter, Query

from ringscope_server.db.specs import read_spec
from ringscope_server.http.auth import Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for, require_job
from ringscope_server.http.problems import Problem
from ringscope_server.training import buckets, collectives, curve, epochs, pipeline, search, tensor
from ringscope_server.training.views import (
    BucketList,
    CalledCollectiveList,
    EpochPage,
    PipelineView,
    SearchView,
    TensorCost,
    TrainingCurve,
)

router = APIRouter(prefix="/jobs/{job_id}", tags=["training"])

Points = Annotated[int, Query(ge=1, le=5_000, description="The most points; a point of several steps is their mean.")]


@router.get("/training", operation_id="get_training_curve")
async def get_training_curve(job_id: Id, user: Viewer, services: ServicesDep, points: Points = 500) -> TrainingCurve:
    """Return loss, throughput and the split of a step, over all attempts; also while it runs."""
    async with services.database.read() as session:
        await require_job(session, job_id)
        return await curve.curve(session, job_id, points)


Newest = Annotated[
    bool, Query(description="Return the last rows instead of the first ones; then there is no next page.")
]


@router.get("/epochs", operation_id="list_epochs")
async def list_epochs(
    job_id: Id, user: Viewer, services: ServicesDep, limit: Limit = 200, cursor: Cursor = None, newest: Newest = False
) -> EpochPage:
    """List validation and times of each epoch, over all attempts, oldest first; the later of two reports counts."""
    after = decode(cursor)
    async with services.database.read() as session:
        await require_job(session, job_id)
        if newest:
            return EpochPage(items=await epochs.newest_epochs(session, job_id, limit), next=None)
        items = await epochs.epochs(session, job_id, limit, after)
    return EpochPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/buckets", operation_id="list_buckets")
async def list_buckets(job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None) -> BucketList:
    """List the newest step of each rank in one attempt: when each piece of the gradient was ready and summed."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        return BucketList(items=await buckets.buckets(session, attempt_id))


@router.get("/collectives", operation_id="list_collectives")
async def list_collectives(
    job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None
) -> CalledCollectiveList:
    """List the collectives that a script called in one attempt, by size; they are newest at its end, else 10 s old."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        return await collectives.collectives(session, attempt_id)


@router.get("/pipeline", operation_id="get_pipeline")
async def get_pipeline(job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None) -> PipelineView:
    """Return the newest reported step of each rank of a pipeline in one attempt: what it did when, and the bubble."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        return await pipeline.pipeline(session, attempt_id, await read_spec(session, job_id))


@router.get("/tensor", operation_id="get_tensor_cost")
async def get_tensor_cost(job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None) -> TensorCost:
    """Return what the sums of strategy tensor cost in one attempt, and whether dividing the layers pays for them.

    Problem 409 for a job of another strategy.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        found = await tensor.tensor_cost(session, attempt_id, await read_spec(session, job_id))
    if found is None:
        raise Problem(409, "no_tensor", f"Job {job_id} does not train with strategy tensor; only such jobs have this.")
    return found


@router.get("/search", operation_id="get_search")
async def get_search(job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None) -> SearchView:
    """Return how the candidates of a strategy search stand in one attempt, which continues those before it.

    Problem 409 for a job of another kind.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        found = await search.search_view(session, attempt_id, await read_spec(session, job_id))
    if found is None:
        raise Problem(409, "no_search", f"Job {job_id} is no strategy search; only such jobs have this.")
    return found
