"""/jobs/{id}/latencies, lateness: statistics of the single iterations of a job."""

from typing import Annotated

from fastapi import APIRouter, Query

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for, require_sweep
from ringscope_server.results import latencies, lateness
from ringscope_server.results.lateness import StepsOfRow
from ringscope_server.results.views import LatencyCurve, Lateness

router = APIRouter(prefix="/jobs/{job_id}", tags=["results"])

MAX_BYTES = 1 << 40  # times a job's aggregate this is still an integer of both databases
Size = Annotated[int, Query(ge=0, le=MAX_BYTES, description="A size_bytes of the sweep's rows.")]
SizeOrAll = Annotated[
    int | None, Query(ge=0, le=MAX_BYTES, description="A size_bytes of the sweep's rows; default: all.")
]
Columns = Annotated[
    int, Query(ge=1, le=400, description="The most columns; a column of several steps keeps the largest value.")
]


@router.get("/latencies", operation_id="get_latencies")
async def get_latencies(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    algorithm: str,
    size_bytes: Size,
    in_place: bool = False,
    number: AttemptNumber = None,
) -> LatencyCurve:
    """Return the durations of one row's iterations: a curve over their share, by the slowest rank of each iteration."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        spec = await require_sweep(session, job_id)
        return await latencies.latencies(session, attempt_id, spec, algorithm, size_bytes, in_place)


@router.get("/lateness", operation_id="get_lateness")
async def get_lateness(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    algorithm: str | None = None,
    size_bytes: SizeOrAll = None,
    in_place: bool | None = None,
    columns: Columns = 120,
    number: AttemptNumber = None,
) -> Lateness:
    """Return how late each rank comes to the iterations of one attempt, and the time after the last arrival."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        spec = await require_sweep(session, job_id)
        step_bytes = None if size_bytes is None else size_bytes * spec.aggregate
        return await lateness.lateness(session, StepsOfRow(attempt_id, algorithm, in_place, step_bytes), columns)
