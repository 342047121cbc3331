"""The loop that looks at running jobs once a second: problems become insights, and hanging jobs are ended.

Every server writes the pulses that it has received and reads the insights; the scheduling server judges.
"""

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.collectives import ROOTED
from ringscope_server.attempts import gangs
from ringscope_server.changes import Changes, announce
from ringscope_server.db.faults import log_failure
from ringscope_server.db.lease import LeaseTakenError
from ringscope_server.db.models import Attempt, Insight
from ringscope_server.db.specs import valid_spec
from ringscope_server.insights import pulses, rows, store
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.state import ActiveInsight
from ringscope_server.insights.watch import Judgement, News, Watch
from ringscope_server.insights.windows import Sample
from ringscope_server.jobs.transitions import locked
from ringscope_server.live.feed import publish_insights
from ringscope_server.results import clocks
from ringscope_server.results.baseline import baseline
from ringscope_server.results.traces import clock_of
from ringscope_server.services import Services

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 1.0  # from look to look
# If a look takes more than half of that, the pause after it is as long, up to this limit: a hang must be reported in
# time.
MOST_REST_SECONDS = 2.0


async def run(services: Services) -> None:
    """Look repeatedly until cancelled; a failed look is logged and the next one tries again."""
    loop, took_seconds = Insights(services), 0.0
    while True:
        await asyncio.sleep(rest_seconds(took_seconds))
        began = time.monotonic()
        try:
            with services.admission.background_task():
                await loop.look()
            services.background_tasks.done("insights")
        except Exception as error:
            log_failure(log, "A look for insights failed", error)
        took_seconds = time.monotonic() - began


def rest_seconds(took_seconds: float) -> float:
    """Return the pause after a look that took so long."""
    return min(max(INTERVAL_SECONDS - took_seconds, took_seconds), MOST_REST_SECONDS)


@dataclass
class _Watched:
    """An attempt that is watched, and the last rows that were read."""

    watch: Watch
    cursor: rows.Cursor


class Insights:
    """The knowledge of one server from look to look."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._watched: dict[int, _Watched] = {}
        self._newest: int | None = None
        self._first_own = 0  # attempts after this one were watched here from their beginning

    async def look(self) -> None:
        """Look once. A transaction contains only SQL."""
        services = self._services
        await services.pulses.flush(services.database)
        if services.lease.is_held:
            try:
                await self._judge()
            except LeaseTakenError:
                self._forget()
        else:
            self._forget()
        await self._refresh()

    def _forget(self) -> None:
        """Forget what is known here, which gets old while another server judges."""
        self._watched.clear()
        self._newest = None

    async def _judge(self) -> None:
        services, now = self._services, self._services.now()
        async with services.database.read() as session:
            if self._newest is None:
                self._newest = self._first_own = await rows.newest_attempt(session)
            found = await rows.attempts(session, self._newest, self._watched.keys())
            active = await store.active(session)
            ids = [attempt.id for attempt in found]
            heard, ends = await pulses.samples(session, ids), await rows.ends(session, ids)
            news = [
                await self._news(session, attempt, heard.get(attempt.id, {}), ends[attempt.id], now)
                for attempt in found
            ]
        for attempt, its_news in zip(found, news, strict=True):
            if its_news.traces:
                # With many ranks this takes a while, and requests are answered meanwhile.
                await asyncio.to_thread(self._watched[attempt.id].watch.hops.note, its_news.traces, its_news.clocks)
            keys = {store.key_of_row(insight) for insight in active if insight.attempt_id == attempt.id}
            judgement = self._watched[attempt.id].watch.look(its_news, keys)
            await self._conclude(attempt, judgement.without(keys), now)
        self._newest = max([self._newest, *(attempt.id for attempt in found)])
        await self._close_orphans(active, {attempt.id for attempt in found}, now)

    async def _news(
        self, session: AsyncSession, attempt: Attempt, heard: dict[int, Sample], end: rows.Cursor, now: datetime
    ) -> News:
        watched = self._watched.get(attempt.id) or await self._start(session, attempt, end)
        cursor, watched.cursor = watched.cursor, end
        news = News(now.timestamp(), attempt.finished_at is None and attempt.job.state == "running", heard)
        if end.step_id > cursor.step_id:
            seats = await clocks.seats(session, attempt.id)
            news.steps = await rows.steps(session, attempt.id, cursor.step_id, end.step_id, seats)
        if end.measurement_id > cursor.measurement_id:
            news.rows = await rows.measurements(session, attempt.id, cursor.measurement_id, end.measurement_id)
        if end.trace_id > cursor.trace_id:
            seats = await clocks.seats(session, attempt.id)
            news.traces = await rows.traces(session, attempt.id, cursor.trace_id, end.trace_id)
            news.clocks = {told.rank: clock_of(told, seats) for told in news.traces}
        return news

    async def _start(self, session: AsyncSession, attempt: Attempt, end: rows.Cursor) -> _Watched:
        """Start watching an attempt; if another server has watched it until now, only new rows count."""
        spec = valid_spec(attempt.job)
        if spec is None:
            watch = Watch(attempt.job.ranks, Limits(math.inf, math.inf), {})
        else:
            root = spec.sweep.root if spec.collective in ROOTED else None
            watch = Watch(attempt.job.ranks, Limits.of(spec), await baseline(session, attempt), root)
        watched = _Watched(watch, rows.Cursor() if attempt.id > self._first_own else end)
        self._watched[attempt.id] = watched
        return watched

    async def _conclude(self, attempt: Attempt, judgement: Judgement, now: datetime) -> None:
        """Store and publish the conclusions; close all insights of an attempt that is over."""
        services, is_over = self._services, attempt.finished_at is not None
        if not (judgement.opened or judgement.over or is_over):
            return
        changes = Changes()
        async with services.database.write(first=True) as session:
            await services.lease.keep(session)
            await locked(session, attempt.job_id)
            changed = await store.open_new(session, attempt.job_id, attempt.id, judgement.opened, now)
            changed += await store.close(session, attempt.id, None if is_over else judgement.over, now)
            if is_over:
                await pulses.forget(session, attempt.id)
            elif judgement.hang is not None:
                message, node = judgement.hang.message, judgement.hang.node
                reason, rank = "rank_exit" if judgement.hang.is_own_doing else "hang_detected", judgement.hang.rank
                await gangs.stop(session, attempt.job_id, reason, message, now, bad_node=node, bad_rank=rank)
                changes.attempt(attempt)
        if changed:
            changes.jobs.add(attempt.job_id)
        if is_over:
            del self._watched[attempt.id]
        await announce(services, changes)

    async def _close_orphans(self, active: Sequence[Insight], looked_at: set[int], now: datetime) -> None:
        """Close the insights of attempts that ended while no server judged."""
        orphans = [insight for insight in active if insight.attempt_id not in looked_at]
        if not orphans:
            return
        async with self._services.database.write(first=True) as session:
            await self._services.lease.keep(session)
            for attempt_id in {insight.attempt_id for insight in orphans}:
                await store.close(session, attempt_id, None, now)
                await pulses.forget(session, attempt_id)
        await announce(self._services, Changes(jobs={insight.job_id for insight in orphans}))

    async def _refresh(self) -> None:
        """Update the active insights for /metrics, and the live stream if they changed."""
        services = self._services
        async with services.database.read() as session:
            active = await store.active(session)
        before = {insight.id for insight in services.insights.active}
        services.insights.active = tuple(
            ActiveInsight(row.id, row.job_id, row.kind, row.rank, row.node) for row in active
        )
        changed = before ^ {row.id for row in active}
        if changed:
            await publish_insights(services.database, services.stream, sorted(changed))
