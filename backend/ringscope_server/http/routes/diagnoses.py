"""/jobs/{id}/diagnosis: the pairs that a diagnosis measured, its verdict, and its baselines."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query, Response

from ringscope_server.db.engine import Database
from ringscope_server.db.specs import read_spec
from ringscope_server.diagnoses.pairs import pair_parts
from ringscope_server.diagnoses.service import baselines_view, diagnosis_view
from ringscope_server.diagnoses.views import DiagnosisBaselines, DiagnosisView
from ringscope_server.http.auth import Viewer
from ringscope_server.http.cursors import Cursor, LimitOrAll, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for
from ringscope_server.http.problems import Problem
from ringscope_server.http.streamed import streamed

router = APIRouter(prefix="/jobs/{job_id}", tags=["diagnoses"])


@router.get("/diagnosis", operation_id="get_diagnosis", response_model=DiagnosisView)
async def get_diagnosis(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    number: AttemptNumber = None,
    without_measured: Annotated[
        bool,
        Query(
            description="Leave out the pairs that were measured, so that those are left that hung or died and were not "
            "measured later. Of many nodes, `GET /links/racks?job=N` has the measured ones in a few numbers."
        ),
    ] = False,
    limit: LimitOrAll = None,
    cursor: Cursor = None,
) -> DiagnosisView | Response:
    """Return the pairs that a diagnosis has measured in one attempt, and its verdict; also while it runs.

    Each page of pairs has the verdict. Without ``limit`` the answer is sent while it is read: of 512 nodes it has tens
    of megabytes. A job with placement.preflight has the pairs that it measured before its program. Problem 409 for
    other jobs.
    """
    after = decode(cursor)
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        found = await diagnosis_view(session, attempt_id, await read_spec(session, job_id))
        if found is not None and limit is not None:
            parts = pair_parts(session, attempt_id, without_measured, limit, after)
            pairs = [pair async for part in parts for pair in part]
            found.pairs, found.next = [pair for _, pair in pairs], next_cursor([each for each, _ in pairs], limit)
    if found is None:
        raise _no_diagnosis(job_id)
    if limit is not None:
        return found
    pieces = _pieces(services.database, found, attempt_id, without_measured, after)
    return await streamed(pieces, media_type="application/json", headers={})


async def _pieces(
    database: Database, found: DiagnosisView, attempt_id: int | None, without_measured: bool, after: int | None
) -> AsyncIterator[str]:
    """Yield the JSON of the diagnosis with all pairs."""
    begun = found.model_dump_json(exclude={"pairs", "next"}).removesuffix("}") + ',"pairs":['
    async with database.read() as session:
        async for part in pair_parts(session, attempt_id, without_measured, None, after):
            yield begun + ",".join(pair.model_dump_json() for _, pair in part)
            begun = ","
    yield ("" if begun == "," else begun) + '],"next":null}'


@router.get("/diagnosis/baselines", operation_id="get_diagnosis_baselines")
async def get_diagnosis_baselines(
    job_id: Id, user: Viewer, services: ServicesDep, number: AttemptNumber = None
) -> DiagnosisBaselines:
    """Return what earlier jobs measured of each direction between the nodes of a diagnosis, as intervals.

    Directions with too few earlier measurements are left out. Problem 409 for other jobs.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        found = await baselines_view(session, attempt_id, await read_spec(session, job_id))
    if found is None:
        raise _no_diagnosis(job_id)
    return found


def _no_diagnosis(job_id: int) -> Problem:
    sentence = f"Job {job_id} is no diagnosis and has no placement.preflight; only such jobs have this."
    return Problem(409, "no_diagnosis", sentence)
