"""What the ranks of one attempt on this node did so far, folded from their records (pure: no I/O, no clock).

The counters exist, as zeros, before the ranks do: ``rate()`` cannot see what a counter held at its first scrape.
Steps of a simulation are not counted: nothing moved, and no dashboard could tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ringscope.record import Check, Done, Hello, Log, Measurement, Record, Steps
from ringscope.spec import SIMULATED

COLLECTIVE_BUCKETS_SECONDS = (
    1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
STEP_BUCKETS_SECONDS = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip
OPS = frozenset({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "send", "recv"})


class Histogram:
    """Counts per bucket (not cumulative, the last one is +Inf) and the sum, in seconds."""

    def __init__(self, bounds_seconds: Sequence[float]) -> None:
        self.bounds_seconds = np.asarray(bounds_seconds)
        self.counts = np.zeros(len(bounds_seconds) + 1, dtype=np.int64)
        self.sum_seconds = 0.0

    def observe(self, values_seconds: np.ndarray) -> None:
        """Add observations; a value equal to a bound belongs to that bucket, as Prometheus has it."""
        places = np.searchsorted(self.bounds_seconds, values_seconds, side="left")
        self.counts += np.bincount(places, minlength=len(self.counts))
        self.sum_seconds += float(values_seconds.sum())


@dataclass
class OpCounters:
    """One rank's collectives of one kind."""

    collectives: int = 0
    seconds: float = 0.0
    bytes: int = 0
    bus_bytes: float = 0.0
    wrong: int = 0
    last_seconds: float | None = None
    last_bus_bytes_per_second: float | None = None


@dataclass
class RankCounters:
    """One rank."""

    local_rank: int
    up: bool = False
    steps: int = 0
    step_seconds: float = 0.0
    compute_seconds: float = 0.0
    last_step: int | None = None
    last_step_time_seconds: float | None = None
    ops: dict[str, OpCounters] = field(default_factory=dict)


class JobCounters:
    """All series of one job on this node.

    Args:
        first_rank, slots: this node's ranks.
        ops: collectives that the job will run; their counters start at zero. None for a simulation.
    """

    def __init__(self, job_id: int, kind: str, first_rank: int, slots: int, ops: Sequence[str]) -> None:
        self.job_id = job_id
        self.kind = kind
        names = [op_label(op) for op in ops]
        self.ranks = {
            first_rank + index: RankCounters(index, ops={name: OpCounters() for name in names})
            for index in range(slots)
        }
        self.collective_seconds = {name: Histogram(COLLECTIVE_BUCKETS_SECONDS) for name in names}
        self.step_seconds = Histogram(STEP_BUCKETS_SECONDS)
        self.records_dropped = 0

    def fold(self, record: Record) -> None:
        """Add one record; records of ranks that are not of this node change nothing."""
        if isinstance(record, Measurement | Log):
            return
        rank = self.ranks.get(record.rank)
        if rank is None:
            return
        match record:
            case Hello():
                rank.up = True
                rank.local_rank = record.local_rank
            case Steps():
                self.records_dropped += record.dropped
                if record.duration_us and record.transport != SIMULATED:
                    self._fold_steps(rank, record)
            case Check():
                rank.ops.setdefault(op_label(record.op), OpCounters()).wrong += record.wrong
            case Done():
                rank.up = False
            case _:
                pass

    def hang_up(self, rank: int) -> None:
        """The rank's connection closed: whatever the reason, it is no longer up."""
        if rank in self.ranks:
            self.ranks[rank].up = False

    def _fold_steps(self, rank: RankCounters, record: Steps) -> None:
        name = op_label(record.op)
        durations = np.asarray(record.duration_us) * 1e-6
        collectives = np.asarray(record.communication_us) * 1e-6
        count = len(durations)
        rank.steps += count
        rank.step_seconds += float(durations.sum())
        rank.compute_seconds += float(sum(record.compute_us)) * 1e-6
        rank.last_step = record.first_step + count - 1
        rank.last_step_time_seconds = record.start_ns[-1] * 1e-9 + float(durations[-1])
        self.step_seconds.observe(durations)

        op = rank.ops.setdefault(name, OpCounters())
        op.collectives += count
        op.seconds += float(collectives.sum())
        op.bytes += record.bytes * count
        op.bus_bytes += record.bytes * record.bus_factor * count
        op.last_seconds = float(collectives[-1])
        if op.last_seconds > 0:
            op.last_bus_bytes_per_second = record.bytes * record.bus_factor / op.last_seconds
        self.collective_seconds.setdefault(name, Histogram(COLLECTIVE_BUCKETS_SECONDS)).observe(collectives)


def op_label(op: str) -> str:
    """The closed set of the ``op`` label: an unknown collective is counted as "other"."""
    return op if op in OPS else "other"
