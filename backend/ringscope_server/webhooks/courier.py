"""The courier: takes due messages out of the outbox and sends them, some at a time, on every server."""

import asyncio
import logging
from collections import Counter
from datetime import datetime, timedelta

from ringscope_server.db.faults import log_failure
from ringscope_server.services import Services
from ringscope_server.urls import networks
from ringscope_server.webhooks import deliveries
from ringscope_server.webhooks.deliveries import Claimed
from ringscope_server.webhooks.sender import post, signed_headers

INTERVAL_SECONDS = 1.0
AT_ONCE = 16
PRUNE_EVERY = timedelta(hours=1)

log = logging.getLogger(__name__)


async def run(services: Services) -> None:
    """Deliver until cancelled; what is being sent then becomes due again."""
    courier = Courier(services)
    try:
        while True:
            try:
                await courier.prune_now_and_then()
                await courier.start_due()
            except Exception as error:
                log_failure(log, "Webhooks could not be looked at", error)
            await courier.pause()
    finally:
        await courier.stop()


class Courier:
    """The deliveries that this server is sending."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._allowed = networks(services.settings.webhook_private_addresses)
        self._sending: dict[asyncio.Task[None], int] = {}  # the webhook of each
        self._pruned_at: datetime | None = None

    async def start_due(self) -> None:
        """Claim and start due deliveries, up to the limit."""
        now = self._services.now()
        while room := AT_ONCE - len(self._sending):
            underway = Counter(self._sending.values())
            async with self._services.database.read() as session:
                if not await deliveries.any_due(session, now, underway):
                    return
            async with self._services.database.write() as session:
                claimed = await deliveries.claim(session, now, room, underway)
            if not claimed:
                return
            for one in claimed:
                task = asyncio.create_task(self._deliver(one))
                self._sending[task] = one.webhook_id
                task.add_done_callback(self._sending.pop)

    async def settled(self) -> None:
        """Return when nothing is being sent."""
        while self._sending:
            await asyncio.wait(self._sending)

    async def pause(self) -> None:
        """Return after a while, or when another delivery may start."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=INTERVAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(INTERVAL_SECONDS)

    async def stop(self) -> None:
        """Abandon what is being sent."""
        for task in self._sending:
            task.cancel()
        await self.settled()

    async def prune_now_and_then(self) -> None:
        """Delete old deliveries, once an hour."""
        now = self._services.now()
        if self._pruned_at is None or now - self._pruned_at >= PRUNE_EVERY:
            self._pruned_at = now
            async with self._services.database.write() as session:
                await deliveries.prune(session, now)

    async def _deliver(self, claimed: Claimed) -> None:
        try:
            headers = signed_headers(claimed.secret, claimed.message_id, claimed.body, self._services.now())
            answer = await post(claimed.url, headers, claimed.body, self._allowed, self._services.resolve)
            async with self._services.database.write() as session:
                await deliveries.settle(session, claimed, answer, self._services.now())
        except Exception as error:
            log_failure(log, f"Delivery {claimed.id} could not be carried out", error)
