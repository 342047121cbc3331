"""/jobs/{id}/diagnosis: the pairs that a diagnosis measured, its verdict, and its baselines."""

from typing import Annotated

from fastapi import APIRouter, Query

from ringscope_server.db.specs import read_spec
from ringscope_server.diagnoses.service import baselines_view, diagnosis_view
from ringscope_server.diagnoses.views import DiagnosisBaselines, DiagnosisView
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for
from ringscope_server.http.problems import Problem

router = APIRouter(prefix="/jobs/{job_id}", tags=["diagnoses"])


@router.get("/diagnosis", operation_id="get_diagnosis")
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
) -> DiagnosisView:
    """Return the pairs that a diagnosis has measured in one attempt, and its verdict; also while it runs.

    A job with placement.preflight has those that it measured before its program. Problem 409 for other jobs.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        found = await diagnosis_view(session, attempt_id, await read_spec(session, job_id), without_measured)
    if found is None:
        raise _no_diagnosis(job_id)
    return found


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
