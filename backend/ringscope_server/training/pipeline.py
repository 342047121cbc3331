"""The newest step of a pipeline from inside, and its bubble."""

from collections import defaultdict
from statistics import mean

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import PIPELINE, ideal_bubble
from ringscope.contracts.training.record import PipelineStep, measured_bubble
from ringscope_server.db.models import RankPipelineStep
from ringscope_server.training.views import PipelineView


async def pipeline(session: AsyncSession, attempt_id: int | None, spec: JobSpec) -> PipelineView:
    """Return the ranks' steps in their order; the bubble is the mean over the replicas whose steps are complete."""
    query = select(RankPipelineStep).where(RankPipelineStep.attempt_id == attempt_id).order_by(RankPipelineStep.rank)
    steps = [PipelineStep.model_validate(row.told) for row in await session.scalars(query)]
    training = spec.training
    if training is None or training.strategy not in PIPELINE:
        return PipelineView(items=steps, bubble=None, ideal_bubble=None)
    replicas = defaultdict(list)
    for told in steps:
        replicas[told.replica].append(told)
    whole = [stages for stages in replicas.values() if len(stages) == training.stages]
    bubbles = [bubble for stages in whole if (bubble := measured_bubble(stages)) is not None]
    return PipelineView(
        items=steps,
        bubble=mean(bubbles) if bubbles else None,
        ideal_bubble=ideal_bubble(training.schedule, training.stages, training.micro_batches),
    )
