"""The prediction of training: its gradient and the gradient's sum by the cost model, its speed by a comparable job."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import digest
from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import OWN_FIELDS, PIPELINE, TrainingSpec, ideal_bubble, libraries
from ringscope.contracts.training import size as training_size
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Job
from ringscope_server.jobs.disturbed import IS_DISTURBED
from ringscope_server.jobs.views import TrainingSummary
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.overload.process_pool import Runs
from ringscope_server.placement.capacity import job_errors
from ringscope_server.predictions import gang as gangs
from ringscope_server.predictions.gradient_sum import gradient_sum
from ringscope_server.predictions.searched import AS_FAST, Speed, searched_speed
from ringscope_server.predictions.views import BaselineTraining, PlannedNode, TrainingPrediction
from ringscope_server.predictions.warnings import refusals
from ringscope_server.results.tuning import known_times
from ringscope_server.training.scaling import MAX_JOBS, SAME


async def predict(database: Database, worker: Runs, spec: JobSpec, now: datetime) -> TrainingPrediction:
    """Predict a training job that is not submitted yet, on the current nodes."""
    training = spec.training
    assert training is not None
    async with database.read() as session:
        gang = await gangs.planned(session, spec, now)
        slots = [ranks for _, ranks in gang] or [spec.placement.ranks]
        known = await known_times(session, spec, slots)
        known = known.on(gangs.machine_of(gang))
        trained, searched = await _baseline(session, spec, training), await searched_speed(session, spec, training)
        earlier = _newest(training, trained, searched)
        errors = job_errors(spec, await all_nodes(session))
    return TrainingPrediction(
        parameters=training_size.parameter_count(training),
        gradient_bytes=training_size.gradient_bytes(training),
        steps_total=training_size.steps_total(training),
        ideal_bubble=_bubble(training),
        gradient_sum=await worker.run(gradient_sum, spec.ranks, training, slots, known),
        baseline=earlier,
        usual=earlier,
        nodes=[PlannedNode(node=node.name, ranks=ranks) for node, ranks in gang],
        warnings=[
            *refusals(errors),
            *(
                f"Node {node.name} had no {library} when its agent started, and {training.strategy} needs it: "
                f"pip install 'ringscope[{extra}]' there."
                for node, _ in gang
                for library, extra in libraries(training.strategy).items()
                if library not in node.versions
            ),
        ],
    )


def _bubble(training: TrainingSpec) -> float | None:
    if training.strategy not in PIPELINE:
        return None
    return ideal_bubble(training.schedule, training.stages, training.micro_batches)


async def _baseline(session: AsyncSession, spec: JobSpec, training: TrainingSpec) -> Speed | None:
    """Return the speed of the newest comparable succeeded job of training on as many ranks; of a disturbed one only if
    there is no other.
    """
    names = (*SAME, *AS_FAST, *OWN_FIELDS)
    asked = training.model_dump(mode="json")
    usual = TrainingSpec().model_dump(mode="json")
    query = (
        select(Job.id, Job.spec, Job.summary, IS_DISTURBED)
        .where(
            Job.state == "succeeded",
            Job.kind == "training",
            Job.ranks == spec.ranks,
            Job.env_sha256.is_not_distinct_from(digest(spec.env)),
        )
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    disturbed = None
    for job_id, stored, summary, is_disturbed in await session.execute(query):
        # A job of an earlier version lacks the fields that came after it.
        if any(stored["training"].get(name, usual[name]) != asked[name] for name in names):
            continue
        if rate := TrainingSummary.model_validate(summary).samples_per_second if summary else None:
            if not is_disturbed:
                return Speed(job_id, rate)
            disturbed = disturbed or Speed(job_id, rate)
    return disturbed


def _newest(training: TrainingSpec, *found: Speed | None) -> BaselineTraining | None:
    """Return the speed of the newest of these jobs, with the time of all steps at it."""
    speed = max(filter(None, found), default=None)
    if speed is None:
        return None
    job_id, rate = speed
    steps = training_size.steps_total(training)
    seconds = None if steps is None else steps * training.global_batch_size / rate
    return BaselineTraining(job_id=job_id, samples_per_second=rate, steps_seconds=seconds)
