"""Everything that an attempt's ranks report on this node, in one object: listener, step rings, spool and board."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Check, Done, Failure, Log, Measurement, Record, Steps
from ringscope_agent.launch.outcome import RankBoard
from ringscope_agent.paths import AttemptPaths
from ringscope_agent.telemetry.listener import Listener
from ringscope_agent.telemetry.refused import stand_in
from ringscope_agent.telemetry.rings import Rings
from ringscope_agent.telemetry.spool import SpoolWriter

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 3.0
GATHER_SECONDS = 0.5
MOST_RECORD_BYTES = 8 << 20  # a server accepts requests of twice this size by default
# The readers of these records expect the steps before them.
_AFTER_STEPS = (Check, Done, Failure, Measurement)


class Intake:
    """Takes records in and keeps what was learned from them.

    Args:     on_records: called when the spool has grown.     on_ranks: called when the board or ``dropped_records``
    may have changed.
    """

    def __init__(
        self,
        assignment: Assignment,
        paths: AttemptPaths,
        on_records: Callable[[], None],
        on_ranks: Callable[[], None],
    ) -> None:
        slots = assignment.gang[assignment.member].slots
        self.board = RankBoard(range(assignment.first_rank, assignment.first_rank + slots))
        # Records that were lost here, by reason.
        self.dropped_records: Counter[str] = Counter()
        self._said_full = False
        self._attempt_id = assignment.attempt_id
        self._socket_path = paths.ranks_socket
        self._spool = SpoolWriter(paths.folder)
        self._rings = Rings(assignment, paths.kit.positions)
        self._gathering: asyncio.Task[None] | None = None
        self._on_records = on_records
        self._on_ranks = on_ranks
        self._listener = Listener(self._take, self._hang_up, self._drop)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that the ranks need."""
        return self._rings.environment

    async def start(self) -> None:
        """Listen for ranks and start reading their steps."""
        await self._listener.start(self._socket_path)
        self._gathering = asyncio.create_task(self._gather_again())

    async def drain(self) -> None:
        """Wait, up to a limit, until everything of ranks that have ended was read."""
        await self._listener.drain(DRAIN_SECONDS)
        self._gather()

    async def close(self) -> None:
        """Read to the end, stop listening and release the spool."""
        await self.drain()
        if self._gathering is not None:
            self._gathering.cancel()
            await asyncio.wait({self._gathering})
        await self._listener.close()
        self._rings.close()
        if lost := self.dropped_records["spool_full"]:
            self._say_full()
            self.say(f"{lost} records were lost, because this node's disk was full.")
        self._spool.close()

    def log(self, line: Log) -> None:
        """Record a line of output from the launcher's pipes."""
        self._spool_up(line.model_dump_json().encode())

    def say(self, text: str) -> None:
        """Record a line of the agent's own in the job's log."""
        self.log(Log(rank=None, stream="agent", time_ns=time.time_ns(), text=text))

    async def _gather_again(self) -> None:
        while True:
            await asyncio.sleep(GATHER_SECONDS)
            self._gather()

    def _gather(self) -> None:
        """Append the steps that ranks have noted since to the spool."""
        for iterations in self._rings.read():
            self._spool_up(iterations.model_dump_json(exclude_none=True).encode())
        if self._rings.dropped_steps > self.dropped_records["ring_lapped"]:
            self.dropped_records["ring_lapped"] = self._rings.dropped_steps
            self._on_ranks()

    def _take(self, line: bytes, record: Record) -> None:
        if isinstance(record, _AFTER_STEPS):
            self._gather()
        if isinstance(record, Measurement) and record.times_us is not None:
            # Its steps have the same content; a million of them exceed the size of a request.
            line = record.model_copy(update={"times_us": None}).model_dump_json().encode()
        self._spool_up(line)
        if not isinstance(record, Steps):
            self.board.fold(record)
            self._on_ranks()

    def _hang_up(self, rank: int, place: int) -> None:
        self._gather()
        self.board.hang_up(rank, place)
        self._on_ranks()

    def _drop(self, sentence: str) -> None:
        logger.warning("Attempt %d: %s", self._attempt_id, sentence)
        self.dropped_records["malformed"] += 1
        self._on_ranks()

    def _spool_up(self, line: bytes) -> None:
        if len(line) > MOST_RECORD_BYTES:
            line = stand_in(line, f"no more than {MOST_RECORD_BYTES} bytes can be sent.", time.time_ns())
            self.dropped_records["refused"] += 1
            self._on_ranks()
        try:
            self._spool.append(line)
        except OSError as error:
            self._lose(error)
            return
        self._on_records()
        if self.dropped_records["spool_full"]:
            self._say_full()

    def _say_full(self) -> None:
        """Log once that records were lost, as soon as there is space for it."""
        if not self._said_full:
            self._said_full = True
            self.say("This node's disk is full, and records are lost; the job goes on.")

    def _lose(self, error: OSError) -> None:
        if not self.dropped_records["spool_full"]:  # a full disk stays full for a while
            logger.error("Attempt %d: records are lost: %s", self._attempt_id, error)
        self.dropped_records["spool_full"] += 1
        self._on_ranks()
