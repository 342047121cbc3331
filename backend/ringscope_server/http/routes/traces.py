"""/jobs/{id}/traces, trace and trace.perfetto.json: the transfers of its ranks in one operation."""

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.operation_trace import OperationTrace
from ringscope.cost.traces.operation_perfetto import traced_to_perfetto
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for
from ringscope_server.http.problems import Problem
from ringscope_server.results import traces
from ringscope_server.results.traces import ToldTrace, TraceFilter, TraceList
from ringscope_server.services import Services

router = APIRouter(prefix="/jobs/{job_id}", tags=["results"])

Size = Annotated[int | None, Query(ge=0, lt=2**63, description="The size of the message; default: the largest.")]
Algorithm = Annotated[
    str | None, Query(max_length=100, description="The algorithm as the job names it; default: the first.")
]
InPlace = Annotated[
    bool | None, Query(description="Whether the operation was in place; default: that of the first trace.")
]


def _wanted(size_bytes: Size = None, algorithm: Algorithm = None, in_place: InPlace = None) -> TraceFilter:
    return TraceFilter(size_bytes, algorithm, in_place)


Wanted = Annotated[TraceFilter, Depends(_wanted)]


@router.get("/traces", operation_id="list_traces")
async def list_traces(job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None) -> TraceList:
    """List the traced operations of one attempt; a benchmark traces with ``trace``."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        return TraceList(items=await traces.operations(session, attempt_id))


@router.get("/trace", operation_id="get_trace", response_model=OperationTrace)
async def get_trace(
    job_id: Id, user: Viewer, services: ServicesDep, wanted: Wanted, number: AttemptNumber = None
) -> Response:
    """Return one operation: each transfer of each rank on one clock for all nodes, with the cost model's times."""
    told = await _told(services, job_id, number, wanted)
    # A large one is priced and serialized outside the event loop.
    return Response(await asyncio.to_thread(_written, told), media_type="application/json")


@router.get("/trace.perfetto.json", operation_id="export_trace", response_model=dict[str, Any])
async def export_trace(
    job_id: Id, user: Viewer, services: ServicesDep, wanted: Wanted, number: AttemptNumber = None
) -> Response:
    """Export the same as Chrome trace events, a file that ui.perfetto.dev opens."""
    told = await _told(services, job_id, number, wanted)
    content = await asyncio.to_thread(_perfetto, told, job_id)
    filename = f"ringscope-job-{job_id}-trace.perfetto.json"
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(content, media_type="application/json", headers=headers)


async def _told(services: Services, job_id: int, number: int | None, wanted: TraceFilter) -> ToldTrace:
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        told = await traces.told(session, job_id, attempt_id, wanted)
        if told is None:
            raise await _no_trace(session, job_id, attempt_id)
        return told


async def _no_trace(session: AsyncSession, job_id: int, attempt_id: int | None) -> Problem:
    if await traces.operations(session, attempt_id):
        sentence = f"Job {job_id} has no such trace; /jobs/{job_id}/traces lists those that it has."
    else:
        sentence = f"Job {job_id} has no trace; submit a benchmark with trace true, or `ringscope submit --trace`."
    return Problem(404, "no_trace", sentence)


def _written(told: ToldTrace) -> str:
    return told.joined().model_dump_json()


def _perfetto(told: ToldTrace, job_id: int) -> str:
    return json.dumps(traced_to_perfetto([told.joined()], f"job {job_id}"))
