"""The present activity of a running job's ranks: read from their newest pulses, rank by rank, and grouped."""

from datetime import UTC, datetime

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.waits import collective_words
from ringscope_server.db.models import Attempt
from ringscope_server.insights import pulses
from ringscope_server.insights.windows import Sample

MOST_RANKS = 64


class Activity(BaseModel):
    """A group of ranks that do the same."""

    doing: str = Field(description="What the ranks do, such as: importing torch; at its steps; in Allreduce of mpi4py.")
    is_loading: bool = Field(
        description="Whether it is in a stage before or between its steps, which load_seconds limits."
    )
    ranks: list[int] = Field(description=f"The ranks that do it, at most the first {MOST_RANKS}.")
    count: int = Field(description="The number of ranks that do it.")
    nodes: list[str] = Field(description="The nodes of these ranks.")
    since: datetime | None = Field(
        description="When the first of them began, by its node's clock; null if it is not known."
    )


class ActivityList(BaseModel):
    """The activities of the running attempt, loading first; empty if no rank has reported yet or no attempt runs."""

    items: list[Activity]


async def of_job(session: AsyncSession, job_id: int) -> list[Activity]:
    """Return the activities of the running attempt, from the newest reports of its nodes."""
    running = Attempt.job_id == job_id, Attempt.finished_at.is_(None)
    attempt_id = await session.scalar(select(Attempt.id).where(*running))
    heard = {} if attempt_id is None else (await pulses.samples(session, [attempt_id])).get(attempt_id, {})
    groups: dict[tuple[bool, str], list[Sample]] = {}
    for _, sample in sorted(heard.items()):
        groups.setdefault((not sample.pulse.stage, _doing(sample)), []).append(sample)
    return [_activity(doing, samples) for (_, doing), samples in sorted(groups.items())]


def _doing(sample: Sample) -> str:
    if sample.pulse.has_finished:
        return "at the end of its program"
    if sample.pulse.collective:
        return f"in {collective_words(sample.pulse.collective)}"
    return sample.pulse.stage or ("at its steps" if sample.has_begun_steps else "in its program")


def _activity(doing: str, samples: list[Sample]) -> Activity:
    ranks = [sample.pulse.rank for sample in samples]
    began_ns = [sample.pulse.stage_since_ns for sample in samples if sample.pulse.stage_since_ns]
    return Activity(
        doing=doing,
        is_loading=bool(samples[0].pulse.stage),
        ranks=ranks[:MOST_RANKS],
        count=len(ranks),
        nodes=sorted({sample.node for sample in samples}),
        since=datetime.fromtimestamp(min(began_ns) / 1e9, UTC) if began_ns else None,
    )
