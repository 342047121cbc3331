"""Everything an attempt's ranks say on this node, in one place: relay, spool, counters and board."""

import logging
import time
from collections.abc import Callable
from pathlib import Path

from ringscope.protocol import Assignment
from ringscope.record import Log, Record
from ringscope_agent.counters import JobCounters
from ringscope_agent.exporter import Exporter
from ringscope_agent.outcome import RankBoard
from ringscope_agent.relay import Relay
from ringscope_agent.spool import Spool

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 3.0


class Intake:
    """Takes records in and keeps what was learned from them.

    Args:
        on_news: called after each record and hang-up, when the board may have changed.
    """

    def __init__(self, assignment: Assignment, folder: Path, exporter: Exporter, on_news: Callable[[], None]) -> None:
        slots = assignment.gang[assignment.member].slots
        self.spool = Spool(folder)
        self.board = RankBoard(range(assignment.first_rank, assignment.first_rank + slots))
        self.counters = JobCounters(
            assignment.job_id,
            assignment.spec.kind,
            assignment.first_rank,
            slots,
            [] if assignment.spec.benchmark.is_simulated else [assignment.spec.benchmark.collective],
        )
        self._attempt_id = assignment.attempt_id
        self._exporter = exporter
        self._on_news = on_news
        self._relay = Relay(self._take, self._hang_up, self._drop)

    async def start(self, socket_path: Path) -> None:
        """Listen for ranks."""
        await self._relay.start(socket_path)

    async def drain(self) -> None:
        """Wait (not for ever) until ranks that are gone have been read to the end."""
        await self._relay.drain(DRAIN_SECONDS)

    async def stop(self) -> None:
        """Stop listening; the spool stays open until ``close``."""
        await self.drain()
        await self._relay.close()

    def close(self) -> None:
        """Release the spool's file."""
        self.spool.close()

    def log(self, line: Log) -> None:
        """A line of output, from the launcher's pipes."""
        self._spool_up(line.model_dump_json().encode())

    def say(self, text: str) -> None:
        """A line of the agent's own in the job's log."""
        self.log(Log(rank=None, stream="agent", time_ns=time.time_ns(), text=text))

    def _take(self, line: bytes, record: Record) -> None:
        self._exporter.fold(self.counters, record)
        self.board.fold(record)
        self._spool_up(line)

    def _hang_up(self, rank: int) -> None:
        self._exporter.hang_up(self.counters, rank)
        self.board.hang_up(rank)
        self._on_news()

    def _drop(self, sentence: str) -> None:
        logger.warning("Attempt %d: %s", self._attempt_id, sentence)
        self._exporter.count_dropped("malformed")

    def _spool_up(self, line: bytes) -> None:
        try:
            self.spool.append(line)
        except OSError as error:
            logger.error("Attempt %d: a record is lost: %s", self._attempt_id, error)
            self._exporter.count_dropped("spool_full")
        self._on_news()
