"""What one attempt owes the server: reports in their order, and records in batches."""

import asyncio
import logging
from collections.abc import Callable

from ringscope.contracts.protocol import Report
from ringscope_agent.client import RejectedError, ServerClient, TokenRefusedError, TooLargeError
from ringscope_agent.telemetry.spool import MAX_BATCH_RECORDS, SpoolReader

logger = logging.getLogger(__name__)

SEND_INTERVAL_SECONDS = 0.25


class Delivery:
    """Sends until the server has taken everything, however long the server is away.

    Args:
        on_refused: told how many records the server will never take.
    """

    def __init__(
        self, client: ServerClient, attempt_id: int, spool: SpoolReader, on_refused: Callable[[int], None]
    ) -> None:
        self._client = client
        self._attempt_id = attempt_id
        self._spool = spool
        self._on_refused = on_refused
        self._reports: asyncio.Queue[Report] = asyncio.Queue()
        self._new_records = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._hurry = asyncio.Event()
        self._max_records = MAX_BATCH_RECORDS
        self._refused = False
        self.notice_records()

    def report(self, report: Report) -> None:
        """Queue a report behind the earlier ones."""
        self._reports.put_nowait(report)

    def notice_records(self) -> None:
        """The spool has grown."""
        if not self._refused:
            self._all_sent.clear()
            self._new_records.set()

    async def flush_records(self) -> None:
        """Until the server holds every record (or refused them for good)."""
        self._hurry.set()
        await self._all_sent.wait()

    async def flush_reports(self) -> None:
        """Until the server took every report."""
        await self._reports.join()

    async def run(self) -> None:
        """Deliver until cancelled; ends early only when the server refuses the agent's token."""
        tasks = [asyncio.create_task(self._send_reports()), asyncio.create_task(self._send_records())]
        try:
            await asyncio.gather(*tasks)
        except TokenRefusedError:
            logger.debug("Delivery of attempt %d ends: the token is refused.", self._attempt_id)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send_reports(self) -> None:
        while True:
            report = await self._reports.get()
            try:
                await self._client.report(report)
            except RejectedError as error:
                logger.error("The server rejects %s of attempt %d: %s", report.event, self._attempt_id, error)
            self._reports.task_done()

    async def _send_records(self) -> None:
        while not self._refused:
            await self._new_records.wait()
            self._new_records.clear()
            while await self._send_batch():
                pass
            if not self._new_records.is_set():
                self._all_sent.set()

    async def _send_batch(self) -> bool:
        """One request and the pause after it; False when there is nothing left to send."""
        first, records = self._spool.batch(self._max_records)
        if not records:
            return False
        try:
            accepted = await self._client.send_records(self._attempt_id, first, records)
        except RejectedError as error:
            if isinstance(error, TooLargeError) and len(records) > 1:
                self._max_records = len(records) // 2
                return True
            lost = self._spool.last_sequence - self._spool.acknowledged
            logger.error("The server rejects %d records of attempt %d: %s", lost, self._attempt_id, error)
            self._on_refused(lost)
            self._refused = True
            self._all_sent.set()
            return False
        self._spool.acknowledge(accepted)
        if accepted < first or not self._hurry.is_set():
            await self._pause(may_hurry=accepted >= first)
        return True

    async def _pause(self, may_hurry: bool) -> None:
        """Collect records for a while, so that a fast job does not make a request per record."""
        if not may_hurry:
            await asyncio.sleep(SEND_INTERVAL_SECONDS)
            return
        try:
            await asyncio.wait_for(self._hurry.wait(), SEND_INTERVAL_SECONDS)
        except TimeoutError:
            return
