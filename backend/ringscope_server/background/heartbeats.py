"""The task that writes heartbeats every second and notes that this process listens."""

import asyncio
import logging

from ringscope_server.db.faults import log_failure
from ringscope_server.services import Services

log = logging.getLogger(__name__)
WRITE_SECONDS = 1.0


async def run(services: Services) -> None:
    """Run until cancelled. The scheduler's passes write heartbeats too, but not every server schedules."""
    while True:
        await asyncio.sleep(WRITE_SECONDS)
        services.heartbeats.listening.look(services.now())
        try:
            await services.heartbeats.flush(services.database)
            services.background_tasks.done("heartbeats")
        except Exception as error:
            log_failure(log, "Heartbeats could not be written", error)
