"""The records of one attempt as seen by the agent: read from the spool and folded into the exporter's counters."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import RECORD, Hello, Started
from ringscope.contracts.words.collectives import elements
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope_agent.metrics.counters import JobCounters
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.shim.messages import Status
from ringscope_agent.telemetry.spool import SpoolReader

# These kinds change no counter.
_KINDS = ("log", "measurement", "buckets", "collectives", "epoch", "trace")
_UNCOUNTED = tuple(f'{{"type":"{kind}"'.encode() for kind in _KINDS)


class Records:
    """Reads the spool from its beginning, so that counters go on after a restart of the agent.

    Args:
        folder: where the shim writes the spool. Raises OSError when it cannot be used.
    """

    def __init__(self, assignment: Assignment, folder: Path, exporter: Exporter) -> None:
        slots = assignment.gang[assignment.member].slots
        self.spool = SpoolReader(folder)
        self.pids: dict[int, int] = {}  # keyed by the started ranks
        self._counters = JobCounters(
            assignment.job_id,
            assignment.spec.kind,
            assignment.first_rank,
            slots,
            [] if assignment.spec.is_simulated else [assignment.spec.collective],
            assignment.ranks,
            _sizes_bytes(assignment),
        )
        self._exporter = exporter
        self._dropped: dict[str, int] = {}

    async def read(self) -> None:
        """Take in everything that was written since."""
        while lines := self.spool.read_new():
            for line in lines:
                self._fold(line)
            await asyncio.sleep(0)  # after a restart there may be much to read, and the server waits for the agent

    def note(self, status: Status) -> None:
        """Take in what only the shim knows: lost ranks and lost records."""
        for rank in status.lost_ranks:
            self._exporter.hang_up(self._counters, rank)
        for reason, count in status.dropped_records.items():
            self._exporter.count_dropped(reason, count - self._dropped.get(reason, 0))
        self._dropped = status.dropped_records

    def show(self) -> None:
        """Let the job's series appear on /metrics."""
        self._exporter.add(self._counters)

    def hide(self) -> None:
        """Let the job's series vanish."""
        self._exporter.remove(self._counters)

    def hang_up(self) -> None:
        """Note that no rank of this node is left."""
        for rank in self._counters.ranks:
            self._exporter.hang_up(self._counters, rank)

    def close(self) -> None:
        """Release the spool's file."""
        self.spool.close()

    def _fold(self, line: bytes) -> None:
        if line.startswith(_UNCOUNTED):
            return
        try:
            record = RECORD.validate_json(line)
        except ValidationError:  # written by a shim of another version
            return
        if isinstance(record, Started | Hello):
            self.pids[record.rank] = record.pid
        self._exporter.fold(self._counters, record)


def _sizes_bytes(assignment: Assignment) -> Iterator[int]:
    """Return the bytes of a step for each size of a benchmark, as its ranks report them; other jobs' sizes are not
    known.
    """
    sweep = assignment.spec.benchmark
    if sweep is None or assignment.spec.is_simulated:
        return
    item = ITEMSIZE_BYTES[sweep.dtype]
    for size_bytes in sweep.sizes():
        _, total = elements(sweep.collective, size_bytes, item, assignment.ranks)
        yield total * item * sweep.aggregate
