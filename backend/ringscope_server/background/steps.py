"""The task that sends pages the newest steps: at once after a while of silence, and then twice a second at most."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ringscope_server.live.feed import publish_steps
from ringscope_server.services import Services

log = logging.getLogger(__name__)
PERIOD_SECONDS = 0.5

Pause = Callable[[float], Awaitable[None]]


async def run(services: Services, pause: Pause = asyncio.sleep) -> None:
    """Run until cancelled, whatever fails; tests pass another pause."""
    while True:
        await services.steps.filled()
        try:
            publish_steps(services.stream, services.steps.take())
        except Exception:
            log.exception("Steps could not be told to pages")
        await pause(PERIOD_SECONDS)
