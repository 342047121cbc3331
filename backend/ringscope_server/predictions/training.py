"""What training should take: its gradient and the sum of it by the cost model, its speed by an earlier job alike."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.choice import prediction as library
from ringscope.contracts import training_size
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import TrainingSpec, libraries
from ringscope.contracts.tuning import Table
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Job
from ringscope_server.jobs.views import TrainingSummary
from ringscope_server.precedence.worker import Runs
from ringscope_server.predictions import seats
from ringscope_server.predictions.views import GradientSum, PlannedNode, TrainingPrediction, UsualTraining
from ringscope_server.results.tuning import known_times
from ringscope_server.training.scaling import MAX_JOBS, SAME

# What two jobs on as many ranks must have in common, beside the samples, to be as fast.
_AS_FAST = ("strategy", "all_reduce", "transport", "global_batch_size", "accumulation_steps", "compression")
_SERVERS = ("servers", "consistency", "staleness")


async def predict(database: Database, worker: Runs, spec: JobSpec, now: datetime) -> TrainingPrediction:
    """For a training job that is not submitted yet, on the nodes that there are now."""
    training = spec.training
    assert training is not None
    async with database.read() as session:
        gang = await seats.planned(session, spec, now)
        slots = [ranks for _, ranks in gang] or [spec.placement.ranks]
        known = await known_times(session, spec, slots)
        known = known.on(seats.machine_of(gang))
        usual = await _usual(session, spec, training)
    return TrainingPrediction(
        parameters=training_size.parameter_count(training),
        gradient_bytes=training_size.gradient_bytes(training),
        steps_total=training_size.steps_total(training),
        gradient_sum=await worker.run(lambda: _gradient_sum(spec.ranks, training, slots, known)),
        usual=usual,
        nodes=[PlannedNode(node=node.name, ranks=ranks) for node, ranks in gang],
        warnings=[
            f"Node {node.name} had no {library} when its agent started, and {training.strategy} needs it: "
            f"pip install 'ringscope[{extra}]' there."
            for node, _ in gang
            for library, extra in libraries(training.strategy).items()
            if library not in node.versions
        ],
    )


def _gradient_sum(ranks: int, training: TrainingSpec, slots: Sequence[int], known: Table) -> GradientSum | None:
    """Of one step, piece by piece; None where the model does not know what sums there."""
    if ranks == 1 or not training.is_mirrored or training.compression != "none":
        return None
    whole = training_size.gradient_bytes(training)
    pieces, rest_bytes = divmod(whole, training.bucket_bytes)
    counted = [(training.bucket_bytes, pieces), (rest_bytes, 1 if rest_bytes else 0)]
    found = [(_all_reduce(training, size_bytes, slots, known), count) for size_bytes, count in counted if count]
    if any(not told.rows for told, _ in found):
        return None
    (largest, _), *_ = found
    row = largest.rows[0]
    return GradientSum(
        algorithm=row.chosen_algorithm or row.algorithm,
        time_us=sum(told.rows[0].time_us * count for told, count in found),
        pieces=sum(count for _, count in found),
        source=largest.model,
    )


def _all_reduce(training: TrainingSpec, size_bytes: int, slots: Sequence[int], known: Table) -> library.Prediction:
    sweep = BenchmarkSpec(
        algorithms=[training.all_reduce],
        transport=training.transport,
        device=training.device,
        min_bytes=size_bytes,
        max_bytes=size_bytes,
    )
    return library.predict(sweep, slots, known)


async def _usual(session: AsyncSession, spec: JobSpec, training: TrainingSpec) -> UsualTraining | None:
    """What the newest succeeded job alike reached on as many ranks."""
    names = (*SAME, *_AS_FAST, *_SERVERS)
    asked = training.model_dump(mode="json")
    query = (
        select(Job.id, Job.spec, Job.summary)
        .where(Job.state == "succeeded", Job.kind == "training", Job.ranks == spec.ranks)
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    for job_id, stored, summary in await session.execute(query):
        if any(stored["training"].get(name) != asked[name] for name in names):
            continue
        if rate := TrainingSummary.model_validate(summary).samples_per_second if summary else None:
            steps = training_size.steps_total(training)
            seconds = None if steps is None else steps * training.global_batch_size / rate
            return UsualTraining(job_id=job_id, samples_per_second=rate, steps_seconds=seconds)
    return None
