"""The task that stores and deletes once a minute on every server, and each second ends expired streams."""

import asyncio
import logging

from sqlalchemy import delete

from ringscope_server.db.faults import log_failure
from ringscope_server.db.models import Token
from ringscope_server.nodes import history
from ringscope_server.services import Services
from ringscope_server.users import idempotency, last_use, tokens

log = logging.getLogger(__name__)
INTERVAL_SECONDS = 60.0
STREAMS_SECONDS = 1.0


async def run(services: Services) -> None:
    """Run once a minute until cancelled, and a last time then."""
    try:
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            await _try_once(services)
    finally:
        await _try_once(services)


async def end_streams(services: Services) -> None:
    """End each live stream in the second in which its session or token expires, until cancelled."""
    while True:
        await asyncio.sleep(STREAMS_SECONDS)
        services.stream.end_over(services.now())


async def _try_once(services: Services) -> None:
    try:
        await once(services)
    except Exception as error:
        log_failure(log, "Upkeep of tokens failed", error)


async def once(services: Services) -> None:
    """Store when tokens were last used and the nodes' load of the last minute.

    End expired sessions, links, idempotency keys and live streams.
    """
    services.steps.forget_all_but(services.stream.watched_jobs)
    now = services.now()
    times, listening = services.last_use.take(), services.stream.owners
    async with services.database.write() as session:
        await last_use.write(session, times)
        over = Token.kind.in_(("session", "guest", "login", "share")) & (Token.expires_at < now)
        await session.execute(delete(Token).where(over))
        await idempotency.forget_old(session, now)
        await history.store(session, services.readings.minute(), now)
        valid = await tokens.still_valid(session, listening, now)
    services.stream.end(listening - valid)
