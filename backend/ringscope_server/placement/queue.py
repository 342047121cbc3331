"""The queue as the plan needs it. A pass only reads again the jobs that came or changed.

A long queue hardly changes between passes, and reading all of it takes longer than planning.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from pydantic import ValidationError
from sqlalchemy import Text, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import Placement, StoredKind
from ringscope_server.db.models import Attempt, Job, Member, Node
from ringscope_server.placement import continuing
from ringscope_server.placement.snapshot import QueuedJob, Snapshot, WorkPlacement, names_in

log = logging.getLogger(__name__)

SETTLED_FOR = timedelta(seconds=5)  # then estimates may have moved by more than is passed over
_AT_ONCE = 500  # jobs read by one statement
_NO_PLACEMENT = Placement(ranks=1)


@dataclass(frozen=True, slots=True)
class StoredReason:
    """The last stored reason of a waiting job."""

    reason: str | None = None
    sentence: str | None = None
    position: int | None = None
    estimate: datetime | None = None


@dataclass(slots=True)
class Waiting:
    """A queued job. Its mark changes whenever it was edited or began to wait again.

    A spoiled one has an invalid placement; the substitute here must not be used for planning.
    """

    mark: tuple[object, ...]
    job: QueuedJob
    stored: StoredReason
    is_spoiled: bool = False


class Queue:
    """The queued jobs by their ids, as the server that schedules saw them last."""

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}
        self._fence: int | None = None
        self._settled: tuple[Snapshot, datetime] | None = None

    async def read(self, session: AsyncSession, fence: int) -> dict[int, Waiting]:
        """Read all waiting jobs. Under another fence, another server may have stored other reasons meanwhile."""
        if fence != self._fence:
            self.forget()
            self._fence = fence
        self._waiting = await self.look(session)
        return self._waiting

    async def look(self, session: AsyncSession) -> dict[int, Waiting]:
        """Return all waiting jobs; for readers who only look, the stored reasons may be old."""
        known, waiting, unknown = self._waiting, dict[int, Waiting](), dict[int, tuple[object, ...]]()
        # All at once: SQLAlchemy takes its time over each row that it is asked for.
        for job_id, position, revision, queued_at in (await (await session.connection()).execute(_MARKS)).all():
            before, mark = known.get(job_id), (revision, queued_at)
            if before is not None and before.stored.position == position and before.mark == mark:
                waiting[job_id] = before
            else:
                unknown[job_id] = mark
        for waits in await _read(session, unknown):
            waiting[waits.job.id] = waits
        return waiting

    def note(self, started: Iterable[int], stored: Mapping[int, StoredReason]) -> None:
        """Note that these jobs no longer wait, and that these reasons are stored."""
        for job_id in started:
            self._waiting.pop(job_id, None)
        for job_id, words in stored.items():
            if (waits := self._waiting.get(job_id)) is not None:
                waits.stored = words

    def settle(self, snapshot: Snapshot, now: datetime) -> None:
        """Note that a plan for this snapshot changed nothing."""
        self._settled = snapshot, now

    def is_settled(self, snapshot: Snapshot, now: datetime) -> bool:
        """Return whether another plan would change nothing either: the same nodes, gangs and jobs a moment ago.

        Time alone moves estimates and makes retries due.
        """
        if self._settled is None:
            return False
        before, then = self._settled
        return (
            timedelta() <= now - then < SETTLED_FOR
            and (before.nodes, before.running, before.queue) == (snapshot.nodes, snapshot.running, snapshot.queue)
            and not any(job.not_before is not None and then < job.not_before <= now for job in snapshot.queue)
        )

    def forget(self) -> None:
        """Forget what is known to be stored."""
        self._waiting, self._settled = {}, None


# As text: only whether it is the same is asked, and to read a time from it takes longer than all else.
_MARKS = select(Job.id, Job.pending_position, Job.revision, type_coerce(Job.queued_at, Text)).where(
    Job.state == "queued"
)


async def _read(session: AsyncSession, marks: dict[int, tuple[object, ...]]) -> list[Waiting]:
    """Read the new jobs without their whole specifications: a thousand of them would take longer than the plan."""
    found: list[Waiting] = []
    ids = list(marks)
    for start in range(0, len(ids), _AT_ONCE):
        rows = (await session.execute(_ROWS.where(Job.id.in_(ids[start : start + _AT_ONCE])))).all()
        near = await _checkpoint_nodes(session, [(row.id, row.earlier) for row in rows if row.kind in _CONTINUED])
        placements = [
            _without(_placement(row.placement, row.kind, names_in(row.env)), row.excluded_nodes or ()) for row in rows
        ]
        elastic = {row.id: row.min_ranks for row in rows if row.min_ranks is not None}
        after = await continuing.after_last_attempt(session, elastic)
        found += [
            Waiting(
                marks[row.id],
                QueuedJob(
                    id=row.id,
                    placement=_continued(placement, after.get(row.id)) or _NO_PLACEMENT,
                    user=row.user,
                    priority=row.priority,
                    queued_at=row.queued_at,
                    time_limit_seconds=row.time_limit_seconds,
                    queue_timeout_seconds=row.queue_timeout_seconds,
                    not_before=row.not_before,
                    excluded_nodes=frozenset(row.excluded_nodes or ()),
                    near=near.get(row.id, frozenset()),
                    most_ranks=after[row.id].most_ranks if row.id in after else None,
                    continues=row.id in after,
                ),
                StoredReason(row.pending_reason, row.pending_sentence, row.pending_position, row.estimated_start),
                is_spoiled=placement is None,
            )
            for row, placement in zip(rows, placements, strict=True)
        ]
    return found


_CONTINUED = ("training", "strategy_search")  # from what an earlier attempt left on its first node

_ROWS = select(
    Job.id,
    Job.kind,
    Job.spec["placement"].as_string().label("placement"),
    Job.spec["env"].as_string().label("env"),
    Job.spec["placement"]["min_ranks"].as_integer().label("min_ranks"),
    Job.spec["training"]["resume_from"].as_integer().label("earlier"),
    Job.user,
    Job.priority,
    Job.queued_at,
    Job.spec["time_limit_seconds"].as_integer().label("time_limit_seconds"),
    Job.spec["queue_timeout_seconds"].as_integer().label("queue_timeout_seconds"),
    Job.not_before,
    Job.excluded_nodes,
    Job.pending_reason,
    Job.pending_sentence,
    Job.pending_position,
    Job.estimated_start,
).where(Job.state == "queued")


@lru_cache(maxsize=8192)
def _placement(text: str, kind: StoredKind, env: tuple[str, ...]) -> WorkPlacement | None:
    """Parse a placement once for all equal ones; None if it is invalid, which must not block the other jobs."""
    try:
        return WorkPlacement.for_kind(Placement.model_validate_json(text), kind, env)
    except ValidationError as error:
        log.error("The placement %s of a job is not valid any more: %s", text, error)
        return None


def _without(placement: WorkPlacement | None, excluded: Collection[str]) -> WorkPlacement | None:
    """Return the placement of a diagnosis without the nodes that its earlier attempts lost."""
    if placement is None or placement.kind != "diagnosis" or not placement.node_names or not excluded:
        return placement
    names = [name for name in placement.node_names if name not in excluded]
    count = len(names)
    ranks = count * (placement.ranks_per_node or 1)
    changes: dict[str, object] = {"node_names": names, "ranks": ranks, "most_ranks": ranks}
    return placement.model_copy(update=changes | ({"nodes": count} if placement.nodes else {}))


def _continued(placement: WorkPlacement | None, continuation: continuing.Continuation | None) -> WorkPlacement | None:
    """Return the placement of the next attempt: a load average falls over minutes, so that of the last one's ranks
    would keep the job waiting for quiet nodes.
    """
    if placement is None or continuation is None:
        return placement
    return placement.after_running_on(continuation.nodes)


async def _checkpoint_nodes(
    session: AsyncSession, queued: Collection[tuple[int, int | None]]
) -> dict[int, frozenset[str]]:
    """Return, by training job, given with the job that it continues from, the nodes on which either ran before."""
    names: dict[int | None, set[str]] = defaultdict(set)
    wanted: Iterable[int] = {number for pair in queued for number in pair if number is not None}
    if wanted:
        ran = select(Attempt.job_id, Node.name).join(Member, Member.attempt_id == Attempt.id).join(Node)
        for job_id, name in await session.execute(ran.where(Attempt.job_id.in_(wanted))):
            names[job_id].add(name)
    return {job_id: frozenset(names[job_id] | names[source]) for job_id, source in queued}
