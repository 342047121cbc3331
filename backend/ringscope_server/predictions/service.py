"""The expected duration and bandwidth of a benchmark."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from ringscope.choice import prediction as library
from ringscope.contracts.job import JobSpec
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.collectives import AUTO
from ringscope.contracts.words.machine import Machine, shared_cores
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Attempt
from ringscope_server.db.specs import spec_of
from ringscope_server.jobs.views import AlgorithmBest
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.overload.process_pool import Runs
from ringscope_server.placement.capacity import job_errors
from ringscope_server.predictions import gang as gangs
from ringscope_server.predictions import limit
from ringscope_server.predictions.views import (
    BaselineRow,
    JobPrediction,
    Model,
    PlannedNode,
    PredictedKnee,
    PredictedRow,
    Prediction,
)
from ringscope_server.predictions.warnings import refusals, warnings
from ringscope_server.results.baseline import Baseline, History, Shape, history
from ringscope_server.results.tuning import known_times


async def predict(database: Database, worker: Runs, spec: JobSpec, now: datetime) -> Prediction:
    """Predict a benchmark that is not submitted yet, on the current nodes."""
    async with database.read() as session:
        gang = await gangs.planned(session, spec, now)
        slots = [ranks for _, ranks in gang] or [spec.placement.ranks]
        known = Table() if spec.is_simulated else await known_times(session, spec, slots)
        known = known.on(gangs.machine_of(gang))
        errors = job_errors(spec, await all_nodes(session))
    found = await worker.run(library.predict, spec.sweep, slots, known)
    return Prediction(
        model=_model(found),
        limit=limit.of_job(spec, gangs.nics_of(gang), gangs.has_gpus(gang)),
        operations_seconds=found.operations_seconds,
        buffer_bytes=found.buffer_bytes,
        nodes=[PlannedNode(node=node.name, ranks=ranks) for node, ranks in gang],
        warnings=[*refusals(errors), *warnings(spec, found, [] if spec.is_simulated else gangs.ranks_of_nodes(gang))],
    )


async def predict_job(database: Database, worker: Runs, spec: JobSpec, now: datetime) -> JobPrediction:
    """Return the prediction for a job without an attempt, as in the form; empty if this cluster does not run it."""
    if spec.benchmark is None or spec.imported is not None:
        return JobPrediction(model=None, limit=None, baseline=[])
    found = await predict(database, worker, spec, now)
    return JobPrediction(model=None if spec.is_simulated else found.model, limit=found.limit, baseline=[])


async def predict_attempt(database: Database, worker: Runs, attempt_id: int) -> JobPrediction:
    """Return the prediction for an attempt by what was known before it; empty if it is not of a benchmark."""
    async with database.read() as session:
        query = select(Attempt).where(Attempt.id == attempt_id)
        loaded = query.options(joinedload(Attempt.job), selectinload(Attempt.members))
        attempt = (await session.scalars(loaded)).one()
        spec = spec_of(attempt.job)
        if spec.benchmark is None:
            return JobPrediction(model=None, limit=None, baseline=[])
        gang = await gangs.taken(session, attempt_id)
        slots = [ranks for _, ranks in gang]
        earlier = await history(session, attempt)
        known = Table() if spec.is_simulated else await known_times(session, spec, slots, before=attempt_id)
        machine = gangs.machine_of(gang)
        known, is_crowded = known.on(machine), _is_crowded(attempt, spec, slots, machine)
    found = None if spec.is_simulated else await worker.run(library.predict, spec.sweep, slots, known)
    return JobPrediction(
        model=found and _model(found),
        limit=limit.of_job(spec, gangs.nics_of(gang), gangs.has_gpus(gang)),
        baseline=_baseline(spec, earlier.expected, is_crowded),
        best_row_runs=_best_row_runs(attempt, spec, earlier, is_crowded),
    )


def _model(found: library.Prediction) -> Model:
    return Model(
        rows=[PredictedRow.model_validate(row) for row in found.rows],
        knees=[PredictedKnee.model_validate(knee) for knee in found.knees],
        source=found.model,
        median_error=found.median_error,
        unfitted=list(found.unfitted),
        unpredicted=list(found.unpredicted),
    )


def _is_crowded(attempt: Attempt, spec: JobSpec, slots: Sequence[int], machine: Machine | None) -> bool:
    """Return whether its ranks outnumber their cores, by its rows or, before the first row, by rank 0's node."""
    if ranks := attempt.job.summary.get("ranks"):
        return bool(shared_cores(ranks, attempt.job.summary.get("cores")))
    return not spec.is_simulated and library.is_crowded(spec.sweep, slots, machine)


def _is_like(spec: JobSpec, shape: Shape, is_crowded: bool) -> bool:
    return shape.dtype == spec.sweep.dtype and shape.op in (spec.sweep.op, "none") and shape.is_crowded == is_crowded


def _best_row_runs(attempt: Attempt, spec: JobSpec, earlier: History, is_crowded: bool) -> int | None:
    """Return how many earlier runs measured the job's best row."""
    summary = attempt.job.summary
    if not summary.get("best") or summary["best"][0]["algorithm"] == AUTO:
        return None
    best = AlgorithmBest.model_validate(summary["best"][0])
    place = best.algorithm, best.transport, best.in_place, best.size_bytes
    found = (
        runs
        for shape, runs in earlier.runs_of.items()
        if (shape.algorithm, shape.transport, shape.in_place, shape.size_bytes) == place
        and _is_like(spec, shape, is_crowded)
    )
    return max(found, default=0)


def _baseline(spec: JobSpec, known: Baseline, is_crowded: bool) -> list[BaselineRow]:
    """Return the baseline of rows with the same dtype and op, over the job's transport or the fastest allowed one."""
    best: dict[tuple[str, bool, int], BaselineRow] = {}
    for shape, expected in known.items():
        if not _is_like(spec, shape, is_crowded):
            continue
        if not library.may_go_over(spec.sweep, shape.algorithm, shape.transport):
            continue
        place = shape.algorithm, shape.in_place, shape.size_bytes
        if place not in best or best[place].median_gb_per_s < expected.median_gb_per_s:
            best[place] = BaselineRow(
                algorithm=shape.algorithm, in_place=shape.in_place, size_bytes=shape.size_bytes, **expected._asdict()
            )
    return [best[place] for place in sorted(best)]
