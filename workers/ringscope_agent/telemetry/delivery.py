"""Delivery of an attempt's data to the server: reports in order, and records in batches."""

import asyncio
import logging
import time
from collections.abc import Callable

from ringscope.contracts.protocol import Report
from ringscope_agent.client import RejectedError, ServerClient, TokenRefusedError
from ringscope_agent.telemetry.refused import stand_in
from ringscope_agent.telemetry.spool import MAX_BATCH_RECORDS, SpoolReader

logger = logging.getLogger(__name__)

SEND_INTERVAL_SECONDS = 0.25
_NOT_FOUND = 404  # the server does not know the attempt
_PRECONDITION_FAILED = 412  # the answer to a clean report: the server lacks records


class Delivery:
    """Sends until the server has accepted everything, however long the server is away.

    Args:
        on_refused: gets how many records the server will never accept.
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
        self._stand_ins: dict[int, bytes] = {}  # replacements of records that the server refused, by their numbers
        self._refused = False
        self.notice_records()

    def report(self, report: Report) -> None:
        """Queue a report behind the earlier ones."""
        self._reports.put_nowait(report)

    def notice_records(self) -> None:
        """Note that the spool has grown."""
        if not self._refused:
            self._all_sent.clear()
            self._new_records.set()

    async def flush_records(self) -> None:
        """Wait until the server holds every record, or has refused it for good."""
        self._hurry.set()
        await self._all_sent.wait()

    async def flush_reports(self) -> None:
        """Wait until the server has accepted every report."""
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
            while not await self._take_report(report):
                report = await self._completed(report)
            self._reports.task_done()

    async def _take_report(self, report: Report) -> bool:
        """Send a report; return False if records must be sent first. A report that is refused for another reason counts
        as sent.
        """
        try:
            await self._client.report(report)
        except RejectedError as error:
            logger.error("The server rejects %s of attempt %d: %s", report.event, self._attempt_id, error)
            return error.status != _PRECONDITION_FAILED
        return True

    async def _completed(self, report: Report) -> Report:
        """Return the report once the server has the records that it lost: a power failure may lose the last ones that
        it accepted.
        """
        self._spool.acknowledge(0)  # the answer to the first batch says where to continue
        self.notice_records()
        await self.flush_records()
        await asyncio.sleep(SEND_INTERVAL_SECONDS)  # a pause, because the server might refuse it again and again
        return report.model_copy(update={"last_sequence": self._spool.acknowledged})

    async def _send_records(self) -> None:
        while not self._refused:
            await self._new_records.wait()
            self._new_records.clear()
            while await self._send_batch():
                pass
            if not self._new_records.is_set():
                self._all_sent.set()

    async def _send_batch(self) -> bool:
        """Send one request and pause; return False if nothing is left to send."""
        first, spooled = self._spool.batch(self._max_records)
        if not spooled:
            return False
        records = [self._stand_ins.get(number, record) for number, record in enumerate(spooled, first)]
        try:
            accepted = await self._client.send_records(self._attempt_id, first, records)
        except RejectedError as error:
            return self._go_on_after(error, first, records)
        self._max_records = min(2 * self._max_records, MAX_BATCH_RECORDS)
        self._spool.acknowledge(accepted)
        if accepted < first or not self._hurry.is_set():
            await self._pause(may_hurry=accepted >= first)
        return True

    def _go_on_after(self, error: RejectedError, first: int, records: list[bytes]) -> bool:
        """Find the record that the server refuses and continue without it; return False if it accepts none."""
        if len(records) > 1 and error.status != _NOT_FOUND:
            self._max_records = len(records) // 2
            return True
        if error.status != _NOT_FOUND and first not in self._stand_ins:
            logger.error("The server rejects record %d of attempt %d: %s", first, self._attempt_id, error)
            self._stand_ins[first] = stand_in(records[0], str(error), time.time_ns())
            self._on_refused(1)
            return True
        lost = self._spool.last_sequence - self._spool.acknowledged
        logger.error("The server rejects %d records of attempt %d: %s", lost, self._attempt_id, error)
        self._on_refused(lost)
        self._refused = True
        self._all_sent.set()
        return False

    async def _pause(self, may_hurry: bool) -> None:
        """Wait while records collect, so that a fast job does not make a request per record."""
        if not may_hurry:
            await asyncio.sleep(SEND_INTERVAL_SECONDS)
            return
        try:
            async with asyncio.timeout(SEND_INTERVAL_SECONDS):
                await self._hurry.wait()
        except TimeoutError:
            return
