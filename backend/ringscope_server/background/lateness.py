"""The task that tells pages when the server's own work is late, and when it no longer is."""

import asyncio

from ringscope_server.live.feed import publish_lateness
from ringscope_server.services import Services

LOOK_SECONDS = 1.0


async def run(services: Services) -> None:
    """Look every second, until cancelled."""
    was_late = False
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        late = services.background_tasks.late()
        if late is not None or was_late:
            publish_lateness(services.stream, None if late is None else late.sentence)
        was_late = late is not None
