"""/plan, /jobs/{id}/fit and /trace: results of the cost model. Nothing is measured, stored or submitted."""

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter

from ringscope.contracts.findings import FieldError
from ringscope_server.db.specs import read_spec
from ringscope_server.http.asking import Asker, AskerDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for
from ringscope_server.http.problems import Problem, invalid
from ringscope_server.planner import examples, fits, fitting, prices
from ringscope_server.planner.examples import Example, ExampleQuestion
from ringscope_server.planner.questions import PlanQuestion, SensitivityQuestion
from ringscope_server.planner.views import JobFit, PriceTable, SensitivityList

router = APIRouter(tags=["planning"])

Q = TypeVar("Q")
T = TypeVar("T")
_POINTERS = {"algorithm": "/algorithms", "values": "/values", "servers": "/servers"}


@router.post("/plan", operation_id="plan_prices")
async def plan_prices(question: PlanQuestion, user: Viewer, asker: AskerDep) -> PriceTable:
    """Price a collective with each algorithm, for sizes and numbers of ranks, like `ringscope plan`."""
    return await _worked_out(asker, prices.table, question)


@router.post("/plan/sensitivity", operation_id="plan_sensitivity")
async def plan_sensitivity(question: SensitivityQuestion, user: Viewer, asker: AskerDep) -> SensitivityList:
    """Return how each algorithm's time changes with each figure of the links."""
    return await _worked_out(asker, prices.sensitivity, question)


@router.get("/jobs/{job_id}/fit", operation_id="get_fit")
async def get_fit(
    job_id: Id, user: Viewer, services: ServicesDep, asker: AskerDep, number: AttemptNumber = None
) -> JobFit:
    """Fit α, β and γ of the cost model to the job's rows, with the residuals, like `ringscope fit --job`."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        spec = await read_spec(session, job_id)
        try:
            samples = await fits.load(session, job_id, spec, attempt_id)
            caveats = await fits.caveats(session, attempt_id)
        except ValueError as error:
            raise _no_fit(job_id, error) from error
    try:
        return await asker.run(fitting.fitted, job_id, samples, caveats)
    except ValueError as error:
        raise _no_fit(job_id, error) from error


@router.post("/trace", operation_id="trace_example")
async def trace_example(question: ExampleQuestion, user: Viewer, asker: AskerDep) -> Example:
    """Trace a collective on given numbers, step by step, like `ringscope trace`. Times are the cost model's."""
    return await _worked_out(asker, examples.example, question)


@router.post("/trace/perfetto", operation_id="trace_perfetto")
async def trace_perfetto(question: ExampleQuestion, user: Viewer, asker: AskerDep) -> dict[str, Any]:
    """Return the same as Chrome trace events, which ui.perfetto.dev opens."""
    return await _worked_out(asker, examples.perfetto, question)


async def _worked_out(asker: Asker, answer: Callable[[Q], T], question: Q) -> T:
    try:
        return await asker.run(answer, question)
    except ValueError as error:
        field = str(error).partition(":")[0]
        raise invalid([FieldError(pointer=_POINTERS.get(field, ""), detail=str(error))]) from error


def _no_fit(job_id: int, error: ValueError) -> Problem:
    return Problem(409, "no_fit", f"Job {job_id} gives no parameters: {error}")
