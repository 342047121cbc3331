"""The scheduler's loop: lost nodes, deadlines, and the application of the plan."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any

from ringscope_server.background.refresh import refresh
from ringscope_server.changes import Changes, announce, announce_ended_tokens, announce_gap
from ringscope_server.db.faults import log_failure
from ringscope_server.db.lease import LeaseTakenError
from ringscope_server.nodes import health, lifetimes
from ringscope_server.placement import usage
from ringscope_server.placement.snapshot import Policy
from ringscope_server.scheduler import deadlines, starts
from ringscope_server.scheduler.clock_steps import move_along
from ringscope_server.scheduler.dispatch import carry_out, decide
from ringscope_server.scheduler.growth import grow
from ringscope_server.schedules.firing import fire_due
from ringscope_server.services import Services

log = logging.getLogger(__name__)


async def run(services: Services) -> None:
    """Run pass after pass until the server stops; a failed pass is logged and the next one tries again."""
    interval = services.settings.scheduler_interval_seconds
    try:
        while not services.signals.is_closing:
            began = time.monotonic()
            with services.admission.background_task():
                await try_pass(services)
            ended = time.monotonic()
            await services.signals.wait_for_work(interval)
            rest = rest_seconds(ended - began, interval)
            await asyncio.sleep(max(0.0, ended + rest - time.monotonic()))
    finally:
        await _to_its_end(services.lease.release())
        services.notices.wake()


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Complete the work even if the caller is cancelled: half a hand-over would leave the lease until it expires."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def try_pass(services: Services) -> None:
    """Run one pass, or only read the tables while another server schedules; errors are logged."""
    try:
        try:
            await one_pass(services)
        except LeaseTakenError:
            services.follow_clock()  # stored times use the clock of the scheduling server
            await refresh(services)
        services.background_tasks.done("pass")
    except Exception as error:
        log_failure(log, "A scheduling pass failed", error)


def rest_seconds(pass_seconds: float, interval_seconds: float) -> float:
    """Return how long to leave the server to others: every submit wakes the scheduler, and a long queue
    takes a while.
    """
    return min(interval_seconds, 3 * pass_seconds)


async def one_pass(services: Services) -> None:
    """Do everything once. A transaction contains only SQL, and its changes are published once it is committed.

    Raises LeaseTakenError if another server schedules.
    """
    step = services.clock.step()
    now = services.now() + step
    changes, policy = Changes(), Policy.of(services.settings)
    await services.heartbeats.flush(services.database)
    listening, settings = services.heartbeats.listening, services.settings
    if step:
        listening.begin(now)
    listening.look(now)
    start = starts.StartLimit(
        settings.start_deadline_seconds,
        settings.start_deadline_seconds_per_node,
        listening,
        services.readings.load_average,
    )
    async with services.heartbeats.held_back(), services.database.write(first=True) as session:
        is_new_holder = await services.lease.take(session)
        if step or is_new_holder:
            await move_along(session, step, now)
        judged = await health.judge(session, listening, now)
        leaving = await lifetimes.enforce(session, now)
        changes.nodes.update(node.id for node in (*judged, *leaving))
        await deadlines.enforce(session, start, changes, now)
        await fire_due(session, changes, now, services.settings.max_queued_jobs_per_user)
        await usage.charge_finished(session, now, policy.fair_share_half_life_hours)
    services.follow_clock()  # before any other task runs
    if is_new_holder:
        await announce_gap(services)
    for node in judged:
        services.directory.forget(node.name)  # its next poll looks it up, and brings it back if it was lost
    if any(node.removed_at for node in leaving):
        await announce_ended_tokens(services)
    await announce(services, changes)
    decided = await decide(services.database, services.queue, services.lease.fence, policy, now)
    await _grow(services, policy)
    for part in decided.parts():
        changes = Changes()
        async with services.database.write(first=True) as session:
            await services.lease.keep(session)
            await carry_out(session, part, changes, services.now())
        services.queue.note(part.started, part.stored)
        await announce(services, changes)
    await refresh(services)


async def _grow(services: Services, policy: Policy) -> None:
    """Let elastic jobs grow that have just ended an epoch."""
    now, changes = services.now(), Changes()
    async with services.database.read() as session:
        found = await services.growths.find(session, policy, now)
    if not found:
        return
    async with services.database.write(first=True) as session:
        await services.lease.keep(session)
        await grow(session, found, changes, now)
    await announce(services, changes)
