"""/jobs/prediction and its kinds, /jobs/{id}/prediction: expected bandwidth and duration of a job."""

from fastapi import APIRouter

from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import NewJob
from ringscope_server.db.specs import read_spec
from ringscope_server.http.asking import AskerDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for
from ringscope_server.http.problems import Problem, invalid
from ringscope_server.jobs.service import InvalidJobError
from ringscope_server.predictions import search, service, training
from ringscope_server.predictions.views import (
    Expectations,
    JobPrediction,
    Prediction,
    SearchForecast,
    SearchPreview,
    TrainingPrediction,
)

router = APIRouter(prefix="/jobs", tags=["prediction"])


@router.post("/prediction", operation_id="predict_job")
async def predict_job(spec: NewJob, user: Viewer, services: ServicesDep, asker: AskerDep) -> Prediction:
    """Predict a benchmark's rows and duration by the cost model, with warnings; nothing is submitted."""
    if spec.benchmark is None:
        sentence = f"kind: only benchmarks are predicted here, not {spec.kind}; give kind benchmark."
        raise invalid([FieldError(pointer="/kind", detail=sentence)])
    return await service.predict(services.database, asker, spec, services.now())


@router.post("/prediction/training", operation_id="predict_training")
async def predict_training(spec: NewJob, user: Viewer, services: ServicesDep, asker: AskerDep) -> TrainingPrediction:
    """Predict training: its gradient, the time of its sum by the cost model, and the speed of a comparable job."""
    if spec.training is None:
        sentence = f"kind: only training is predicted here, not {spec.kind}; give kind training."
        raise invalid([FieldError(pointer="/kind", detail=sentence)])
    return await training.predict(services.database, asker, spec, services.now())


@router.post("/prediction/strategy_search", operation_id="preview_search")
async def preview_search(spec: NewJob, user: Viewer, services: ServicesDep) -> SearchPreview:
    """Name the candidates of a strategy search that would run on the current nodes, and why others would not."""
    if spec.strategy_search is None:
        sentence = f"kind: only strategy searches have candidates, not {spec.kind}; give kind strategy_search."
        raise invalid([FieldError(pointer="/kind", detail=sentence)])
    try:
        return await search.preview(services.database, spec, services.now())
    except InvalidJobError as error:
        raise invalid(error.errors) from error


@router.get("/{job_id}/prediction", operation_id="get_job_prediction")
async def get_job_prediction(
    job_id: Id, user: Viewer, services: ServicesDep, asker: AskerDep, number: AttemptNumber = None
) -> JobPrediction:
    """Return what one attempt's rows can be compared with: the model's prediction, the slowest link, the baseline.

    Before the first attempt, this is the prediction for the current nodes.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        spec = await read_spec(session, job_id)
    if attempt_id is None:
        return await service.predict_job(services.database, asker, spec, services.now())
    return await service.predict_attempt(services.database, asker, attempt_id)


@router.get("/{job_id}/search/forecast", operation_id="get_search_forecast")
async def get_search_forecast(
    job_id: Id, user: Viewer, services: ServicesDep, asker: AskerDep, number: AttemptNumber = None
) -> SearchForecast:
    """Return what the cost model expects of the candidates' sums, to compare with what the search measured.

    Problem 409 for a job of another kind.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        spec = await read_spec(session, job_id)
    if spec.strategy_search is None:
        raise Problem(409, "no_search", f"Job {job_id} is no strategy search; only such jobs have this.")
    return await search.forecast(services.database, asker, attempt_id, spec)


@router.get("/{job_id}/expectations", operation_id="get_expectations", deprecated=True)
async def get_expectations(
    job_id: Id, user: Viewer, services: ServicesDep, asker: AskerDep, number: AttemptNumber = None
) -> Expectations:
    """Return what GET /jobs/{job_id}/prediction does, with the baseline under its earlier name ``usual``."""
    found = await get_job_prediction(job_id, user, services, asker, number)
    return Expectations(model=found.model, limit=found.limit, usual=found.baseline)
