"""What waiting jobs are told, written only where it is new."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.placement.plan import Wait

# A gang over its time limit ends any moment, so an estimate that rests on it moves with the clock: not each second.
ESTIMATE_TOLERANCE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Told:
    """What a job was told last."""

    reason: str | None
    sentence: str | None
    position: int | None
    estimate: datetime | None


@dataclass(frozen=True, slots=True)
class News:
    """What a job is to be told now.

    Quiet news are not for the browsers: places in the queue, and far back in it the job that is at its head. They
    change for a thousand jobs whenever one starts.
    """

    job_id: int
    reason: str
    sentence: str
    position: int
    estimate: datetime | None
    is_quiet: bool


async def told_jobs(session: AsyncSession) -> dict[int, Told]:
    """Every queued job by its id."""
    rows = await session.execute(
        select(Job.id, Job.pending_reason, Job.pending_sentence, Job.pending_position, Job.estimated_start).where(
            Job.state == "queued"
        )
    )
    return {job_id: Told(reason, sentence, position, estimate) for job_id, reason, sentence, position, estimate in rows}


def news(waits: Iterable[Wait], told: Mapping[int, Told]) -> Iterator[News]:
    """Those jobs that must be told something else than before."""
    for wait in waits:
        before = told.get(wait.job_id, _NOTHING)
        sentence = wait.sentence
        if wait.reason == before.reason == "backoff" and before.sentence:
            sentence = before.sentence  # the retry itself has said what it waits for, and knows more of it
        has_words = sentence == before.sentence and not _moved(before.estimate, wait.estimated_start)
        if has_words and before.position == wait.position:
            continue
        is_far_back = before.reason == wait.reason == "behind" and wait.estimated_start is before.estimate is None
        yield News(
            wait.job_id, wait.reason, sentence, wait.position, wait.estimated_start, is_quiet=has_words or is_far_back
        )


async def tell(session: AsyncSession, items: Sequence[News]) -> None:
    """Write it to the jobs that still wait."""
    if items:
        rows = [
            {
                "job_id": item.job_id,
                "why": item.reason,
                "sentence": item.sentence,
                "position": item.position,
                "estimate": item.estimate,
            }
            for item in items
        ]
        await (await session.connection()).execute(_TELL, rows)


_NOTHING = Told(None, None, None, None)
_TELL = (
    update(Job)
    .where(Job.id == bindparam("job_id"), Job.state == "queued")
    .values(
        pending_reason=bindparam("why"),
        pending_sentence=bindparam("sentence"),
        pending_position=bindparam("position"),
        estimated_start=bindparam("estimate"),
    )
)


def _moved(before: datetime | None, after: datetime | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > ESTIMATE_TOLERANCE
