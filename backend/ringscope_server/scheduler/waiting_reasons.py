"""The reasons of waiting jobs, written only if they are new."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.placement.plan import Wait
from ringscope_server.placement.queue import StoredReason, Waiting

# A gang over its time limit ends any moment, so an estimate based on it moves with the clock: not each second.
ESTIMATE_TOLERANCE = timedelta(seconds=5)
_PLACES_PER_CHANGE = 100  # positions up to the hundredth are exact, those behind to 1 %


@dataclass(frozen=True, slots=True)
class NewReason:
    """The new reason of a job.

    Quiet news are not sent to browsers: positions in the queue, and far back the job at the head. They change for many
    jobs whenever one starts.
    """

    job_id: int
    reason: str
    sentence: str
    position: int
    estimate: datetime | None
    is_quiet: bool

    @property
    def stored(self) -> StoredReason:
        """The reason of the job once this is stored."""
        return StoredReason(self.reason, self.sentence, self.position, self.estimate)


def new_reasons(waits: Iterable[Wait], queue: Mapping[int, Waiting]) -> Iterator[NewReason]:
    """Return the jobs whose reasons differ from the stored ones."""
    for wait in waits:
        before = queue[wait.job_id].stored
        sentence = wait.sentence
        if wait.reason == before.reason == "backoff" and before.sentence:
            sentence = before.sentence  # the retry itself has stated what it waits for, in more detail
        has_words = sentence == before.sentence and not _moved(before.estimate, wait.estimated_start)
        if has_words and _is_place(before.position, wait.position):
            continue
        is_far_back = before.reason == wait.reason == "behind" and wait.estimated_start is before.estimate is None
        yield NewReason(
            wait.job_id, wait.reason, sentence, wait.position, wait.estimated_start, is_quiet=has_words or is_far_back
        )


async def write(session: AsyncSession, items: Sequence[NewReason]) -> None:
    """Write the reasons to the jobs that still wait."""
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


def _is_place(told: int | None, position: int) -> bool:
    """Return whether the stored position is still accurate enough: one start moves thousands of jobs."""
    return told is not None and abs(told - position) <= told // _PLACES_PER_CHANGE


def _moved(before: datetime | None, after: datetime | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > ESTIMATE_TOLERANCE
