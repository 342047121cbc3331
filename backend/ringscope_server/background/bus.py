"""Several servers on one PostgreSQL: each passes the others' commits on to its own agents and browsers."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ringscope_server.changes import forget_tokens, start_over
from ringscope_server.db.faults import cause_of
from ringscope_server.live.feed import publish_jobs, publish_nodes, publish_rows, publish_steps
from ringscope_server.live.notices import Notice
from ringscope_server.services import Services

log = logging.getLogger(__name__)

CHANNEL = "ringscope"
RETRY_SECONDS = 1.0
LAST_SECONDS = 2.0


async def run(services: Services) -> None:
    """Send and receive notices until cancelled; do nothing on SQLite, where a server is alone."""
    if services.database.is_sqlite:
        return
    services.notices.open()
    waiting: list[Notice] = []
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_send(services, waiting))
            tasks.create_task(_hear(services))
    finally:
        await _send_last(services, waiting)


async def _send(services: Services, waiting: list[Notice]) -> None:
    """Send notices after their commit. A failed one is sent again: a repeated notice does no harm."""
    while True:
        await services.notices.filled()
        waiting += services.notices.take(services.instance)
        while waiting:
            try:
                await _send_all(services, waiting)
            except Exception as error:
                await _trouble(services, error)


async def _send_last(services: Services, waiting: list[Notice]) -> None:
    """Send the last commits' notices and that it no longer schedules. An unreachable database is not awaited."""
    waiting += services.notices.take(services.instance)
    with suppress(Exception):
        async with asyncio.timeout(LAST_SECONDS):
            await _send_all(services, waiting)


async def _send_all(services: Services, waiting: list[Notice]) -> None:
    if not waiting:
        return
    async with _autocommit(services) as connection:
        while waiting:
            payload = waiting[0].model_dump_json(exclude_defaults=True)
            await connection.execute(select(func.pg_notify(CHANNEL, payload)))
            waiting.pop(0)


async def _hear(services: Services) -> None:
    while True:
        try:
            async with _autocommit(services) as connection:
                try:
                    await _listen(services, connection)
                finally:
                    await connection.invalidate()  # it is broken, or would keep listening in the pool
        except Exception as error:
            await _trouble(services, error)


async def _listen(services: Services, connection: AsyncConnection) -> None:
    driver: Any = (await connection.get_raw_connection()).driver_connection
    await driver.execute(f"LISTEN {CHANNEL}")
    await start_over(services)  # this server did not listen until now
    async for notification in driver.notifies():
        await hear(services, notification.payload)


async def hear(services: Services, payload: str) -> None:
    """Do what this server's own commit of these changes would have done."""
    try:
        notice = Notice.model_validate_json(payload)
    except ValidationError:
        log.warning("A notice of another server cannot be read; are all servers of the same version?")
        return
    if notice.server == services.instance:
        return
    if notice.has_gap:
        await start_over(services)
    if notice.has_ended_tokens:
        await forget_tokens(services)
    services.directory.forget_ids(notice.nodes)
    for node_id in notice.nodes:
        services.signals.assignments_changed(node_id)
    if notice.jobs or notice.nodes or notice.has_work:
        services.signals.wake_scheduler()
    if notice.jobs:
        publish_steps(services.stream, services.steps.take(notice.jobs))
        await publish_jobs(services.database, services.stream, notice.jobs)
    if notice.nodes:
        await publish_nodes(services.database, services.stream, notice.nodes, services.now())
    for rows in notice.rows:
        await publish_rows(services.database, services.stream, services.steps, rows)


@asynccontextmanager
async def _autocommit(services: Services) -> AsyncIterator[AsyncConnection]:
    async with services.database.engine.connect() as connection:
        yield await connection.execution_options(isolation_level="AUTOCOMMIT")


async def _trouble(services: Services, error: Exception) -> None:
    is_database = isinstance(getattr(error, "orig", error), services.database.driver_error)
    log.warning("The other servers cannot be reached (%s).", cause_of(error), exc_info=None if is_database else error)
    await asyncio.sleep(RETRY_SECONDS)
