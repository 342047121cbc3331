"""Making and applying the plan: gangs are started, and waiting jobs get their reasons.

Reading and planning hold no transaction open, because that would block all writers. The plan stays valid in between:
only the scheduler gives slots away, and a job that is no longer queued is not started.
"""

import asyncio
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.tuning import Table
from ringscope_server.attempts import gangs
from ringscope_server.changes import Changes
from ringscope_server.db.engine import Database
from ringscope_server.db.specs import valid_specs_of
from ringscope_server.jobs import queries
from ringscope_server.placement.plan import Plan, Preemption, Start, plan
from ringscope_server.placement.queue import Queue, StoredReason, Waiting
from ringscope_server.placement.snapshot import Policy, QueuedJob, Snapshot
from ringscope_server.placement.tables import take_snapshot
from ringscope_server.results.links.newest import measured_rates
from ringscope_server.results.tuning import table_of_gang
from ringscope_server.scheduler import deadlines
from ringscope_server.scheduler.waiting_reasons import NewReason, new_reasons, write

# The most of each kind in one transaction: others want to write, and PostgreSQL ends one that lasts for 10 s.
MOVES_AT_ONCE = 25  # jobs that start, end or expire; each takes some 20 ms
NEWS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan, and the new reasons of waiting jobs."""

    plan: Plan
    news: tuple[NewReason, ...]
    overdue: tuple[QueuedJob, ...] = ()  # jobs over their queue timeouts
    spoiled: tuple[int, ...] = ()  # jobs whose specifications are not valid any more
    tables: Mapping[int, Table] = field(default_factory=dict)  # by job, for those that start and choose by them

    @property
    def is_empty(self) -> bool:
        """Return whether no job starts, ends or gets a new reason."""
        return not (self.plan.starts or self.plan.preemptions or self.news or self.overdue or self.spoiled)

    def parts(self) -> Iterator["Decision"]:
        """Yield decisions that are small enough for a transaction each; none for an empty one."""
        moves = max(map(len, (self.overdue, self.spoiled, self.plan.starts, self.plan.preemptions)))
        for number in range(max(ceil(moves / MOVES_AT_ONCE), ceil(len(self.news) / NEWS_AT_ONCE))):
            cut = slice(number * MOVES_AT_ONCE, (number + 1) * MOVES_AT_ONCE)
            moved = Plan(starts=self.plan.starts[cut], waits=(), preemptions=self.plan.preemptions[cut])
            told = self.news[number * NEWS_AT_ONCE : (number + 1) * NEWS_AT_ONCE]
            yield Decision(moved, told, self.overdue[cut], self.spoiled[cut], self.tables)

    @property
    def started(self) -> list[int]:
        """The jobs that start."""
        return [start.job_id for start in self.plan.starts]

    @property
    def stored(self) -> dict[int, StoredReason]:
        """The reasons of jobs once this is applied."""
        return {item.job_id: item.stored for item in self.news}


_NOTHING = Decision(Plan(starts=(), waits=()), news=())


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disable the garbage collection meanwhile.

    The objects of a pass over a long queue are free when it ends. To scan them, and with them all that is known of the
    queue, took a fifth to a third of the pass.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def decide(database: Database, queue: Queue, fence: int, policy: Policy, now: datetime) -> Decision:
    """Decide what should happen now, like ``_decide``."""
    with _uncollected():
        return await _decide(database, queue, fence, policy, now)


async def _decide(database: Database, queue: Queue, fence: int, policy: Policy, now: datetime) -> Decision:
    """Decide what should happen now. It runs in a thread, because a long queue takes a while and requests must be
    answered.

    If no job is queued, as most of the time, the cluster is not read; and if nothing has changed since a plan that
    changed nothing, no plan is made.
    """
    async with database.read() as session:
        waiting = await queue.read(session, fence)
        if not waiting:
            return _NOTHING
        in_time, overdue, spoiled = _sorted_out(waiting.values(), now)
        snapshot = await take_snapshot(session, in_time, policy, now)
    if not overdue and not spoiled and queue.is_settled(snapshot, now):
        return _NOTHING
    if any(job.placement.arrangement == "fastest" for job in in_time):
        async with database.read() as session:
            snapshot = replace(snapshot, rates=await measured_rates(session))
    made, told = await asyncio.to_thread(_planned, snapshot, waiting, policy, now)
    tables, unstartable = await _tables(database, made.starts)
    if unstartable:
        made = replace(made, starts=tuple(start for start in made.starts if start.job_id not in unstartable))
    decided = Decision(made, told, tuple(overdue), (*spoiled, *unstartable), tables)
    if decided.is_empty:
        queue.settle(snapshot, now)
    return decided


def _sorted_out(waiting: Iterable[Waiting], now: datetime) -> tuple[list[QueuedJob], list[QueuedJob], list[int]]:
    """Return the jobs to plan with, those over their queue timeouts, and those with invalid specifications."""
    in_time: list[QueuedJob] = []
    overdue: list[QueuedJob] = []
    spoiled: list[int] = []
    for waits in waiting:
        job = waits.job
        if waits.is_spoiled:
            spoiled.append(job.id)
        elif job.queue_timeout_seconds is not None and job.is_overdue(now):
            overdue.append(job)
        else:
            in_time.append(job)
    return in_time, overdue, spoiled


def _planned(
    snapshot: Snapshot, waiting: Mapping[int, Waiting], policy: Policy, now: datetime
) -> tuple[Plan, tuple[NewReason, ...]]:
    made = plan(snapshot, policy, now)
    return made, tuple(new_reasons(made.waits, waiting))


async def _tables(database: Database, starts: Sequence[Start]) -> tuple[dict[int, Table], set[int]]:
    """Return the tables by job, and the jobs that cannot start because their specifications are not valid any more."""
    found: dict[int, Table] = {}
    spoiled: set[int] = set()
    for first in range(0, len(starts), MOVES_AT_ONCE):
        async with database.read() as session:
            some = starts[first : first + MOVES_AT_ONCE]
            specs = await valid_specs_of(session, [start.job_id for start in some])
            for start in some:
                spec, slots = specs[start.job_id], [len(share.slots) for share in start.shares]
                if spec is None:
                    spoiled.add(start.job_id)
                elif (table := await table_of_gang(session, spec.with_ranks(sum(slots)), slots)) is not None:
                    found[start.job_id] = table
    return found, spoiled


async def carry_out(session: AsyncSession, decided: Decision, changes: Changes, now: datetime) -> None:
    """Start the jobs that can start and store the reasons of the others; first fail those over their queue timeouts."""
    await deadlines.expire(session, decided.overdue, changes, now)
    await deadlines.give_up(session, decided.spoiled, changes, now)
    await _start(session, decided, changes, now)
    await _preempt(session, decided.plan.preemptions, changes, now)
    await write(session, decided.news)
    changes.jobs.update(item.job_id for item in decided.news if not item.is_quiet)


async def _start(session: AsyncSession, decided: Decision, changes: Changes, now: datetime) -> None:
    for start in decided.plan.starts:
        table = decided.tables.get(start.job_id)
        if await gangs.start(session, start.job_id, start.shares, now, table, start.reason):
            changes.jobs.add(start.job_id)
            changes.nodes.update(share.node_id for share in start.shares)


async def _preempt(session: AsyncSession, preemptions: Sequence[Preemption], changes: Changes, now: datetime) -> None:
    for preemption in preemptions:
        sentence = f"Ended so that job {preemption.for_job_id}, which has a higher priority, can start."
        if await gangs.stop(session, preemption.job_id, "preempted", sentence, now):
            changes.jobs.add(preemption.job_id)
            changes.nodes.update(await queries.nodes_of_job(session, preemption.job_id))
