"""The work of one attempt's ranks on this node so far, folded from their records (pure: no I/O, no clock).

The counters exist, as zeros, before the ranks do, because ``rate()`` ignores a counter's value at its first scrape.
Steps of a simulation are not counted: no data moved, and a dashboard could not show the difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from prometheus_client.core import Exemplar

from ringscope.contracts.metrics.agent import COLLECTIVE_BUCKETS_SECONDS, STEP_BUCKETS_SECONDS
from ringscope.contracts.metrics.histogram import Histogram
from ringscope.contracts.metrics.labels import op_label
from ringscope.contracts.record import Check, Done, Hello, Iterations, Log, Measurement, Record, Started, Steps
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import is_whole_number

MOST_SIZES = 32  # the sizes of a job that have series of their own
OTHER_SIZES = "other"


class Durations(Histogram):
    """Durations in seconds, with the last step of each bucket as its exemplar."""

    def __init__(self, bounds_seconds: Sequence[float]) -> None:
        super().__init__(bounds_seconds)
        self.exemplars: dict[int, Exemplar] = {}

    def observe_steps(
        self, values_seconds: np.ndarray, rank: int, times: "StepTimes", indexes: np.ndarray | None = None
    ) -> None:
        """Add one value for each of a rank's steps, or for those with these indexes in ``times``."""
        places = self.observe(values_seconds)
        # The steps are assigned in order, so that the last one of each bucket stays.
        last = np.full(len(self.counts), -1)
        last[places] = np.arange(len(places))
        for place in np.flatnonzero(last >= 0).tolist():
            value_seconds = float(values_seconds[last[place]])
            index = int(last[place] if indexes is None else indexes[last[place]])
            end_seconds = float(times.starts_ns[index]) * 1e-9 + float(times.durations_seconds[index])
            labels = {"rank": str(rank), "step": str(times.first_step + index)}
            self.exemplars[place] = Exemplar(labels, value_seconds, end_seconds)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """A rank's steps that came in one record: an entry for each, and sums."""

    first_step: int
    starts_ns: np.ndarray
    durations_seconds: np.ndarray
    collective_indexes: np.ndarray | None  # the steps with a collective; None: all
    collectives_seconds: np.ndarray
    compute_seconds: float  # the sum over all steps
    sizes: tuple[tuple[int, int, float], ...]  # message bytes, bytes of all such steps together, seconds in collectives
    last_bytes: int  # the bytes of the last step

    @property
    def bytes(self) -> int:
        """The message bytes of all steps together."""
        return sum(moved for _, moved, _ in self.sizes)

    @classmethod
    def of(cls, record: Steps | Iterations) -> "StepTimes":
        """Make the times from a record."""
        if isinstance(record, Steps):
            collectives_seconds = np.asarray(record.communication_us) * 1e-6
            size_bytes, count, indexes = record.bytes, len(record.start_ns), None
            if record.collective_bytes is not None:
                indexes = np.flatnonzero(collectives_seconds)
                collectives_seconds = collectives_seconds[indexes]
                size_bytes, count = record.collective_bytes, len(indexes)
            return cls(
                record.first_step,
                np.asarray(record.start_ns),
                np.asarray(record.duration_us) * 1e-6,
                indexes,
                collectives_seconds,
                float(sum(record.compute_us)) * 1e-6,
                ((size_bytes, size_bytes * count, float(collectives_seconds.sum())),),
                size_bytes,
            )
        durations_ns = np.frombuffer(record.duration_ns, np.int64)
        whole_ns = durations_ns if record.pause_ns is None else durations_ns + np.frombuffer(record.pause_ns, np.int64)
        ends_ns = np.cumsum(whole_ns)
        counts = np.array([block.iterations for block in record.blocks])
        firsts = np.cumsum(counts) - counts
        starts_ns = np.array([block.start_ns for block in record.blocks])  # as if every block began at zero, less that
        starts_ns -= ends_ns[firsts] - whole_ns[firsts]
        seconds = durations_ns * 1e-9
        starts_ns = np.repeat(starts_ns, counts) + ends_ns - whole_ns
        sizes = [record.kinds[block.kind].bytes for block in record.blocks]
        moved_bytes = [size * block.iterations for size, block in zip(sizes, record.blocks, strict=True)]
        seconds_of_blocks: list[float] = np.add.reduceat(seconds, firsts).tolist()
        of_blocks = tuple(zip(sizes, moved_bytes, seconds_of_blocks, strict=True))
        return cls(record.first_step, starts_ns, seconds, None, seconds, 0.0, of_blocks, sizes[-1])


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
class SizeCounters:
    """The collectives of all ranks of one kind and message size."""

    seconds: float = 0.0
    bus_bytes: float = 0.0


@dataclass
class RankCounters:
    """One rank."""

    local_rank: int
    gpu: str = ""  # its number on the node; empty: none
    up: bool = False
    steps: int = 0
    step_seconds: float = 0.0
    compute_seconds: float = 0.0
    input_seconds: float | None = None  # None if it was not measured
    memory_bytes: int | None = None  # the newest
    samples: int | None = None  # None if the job takes no samples
    last_step: int | None = None
    last_step_time_seconds: float | None = None
    ops: dict[str, OpCounters] = field(default_factory=dict)


class JobCounters:
    """All series of one job on this node.

    Args:
        first_rank, slots: this node's ranks.
        ops: collectives that the job will run; their counters start at zero. None for a simulation.
        world_size: ranks of the job on all nodes.
        sizes_bytes: message sizes that the job will have, as far as they are known; their counters start at zero.
    """

    def __init__(
        self,
        job_id: int,
        kind: str,
        first_rank: int,
        slots: int,
        ops: Sequence[str],
        world_size: int = 0,
        sizes_bytes: Iterable[int] = (),
    ) -> None:
        self.job_id = job_id
        self.kind = kind
        self.world_size = world_size or slots
        names = [op_label(op) for op in ops]
        self.ranks = {
            first_rank + index: RankCounters(
                index, samples=0 if kind == "training" else None, ops={name: OpCounters() for name in names}
            )
            for index in range(slots)
        }
        self.collective_seconds = {name: Durations(COLLECTIVE_BUCKETS_SECONDS) for name in names}
        known = list(map(str, islice(sizes_bytes, MOST_SIZES)))
        self.sizes = {name: {size: SizeCounters() for size in known} for name in names}
        self.step_seconds = Durations(STEP_BUCKETS_SECONDS)
        self.records_dropped = 0

    def fold(self, record: Record) -> None:
        """Add one record; records of ranks that are not of this node change nothing."""
        if isinstance(record, Measurement | Log):
            return
        rank = self.ranks.get(record.rank)
        if rank is None:
            return
        match record:
            case Started():
                rank.up = True
            case Hello():
                rank.up = True
                rank.local_rank = record.local_rank
                rank.gpu = gpu_label(record.device)
            case Steps():
                self.records_dropped += record.dropped
                if record.duration_us and record.transport != SIMULATED:
                    if record.samples is not None:
                        rank.samples = (rank.samples or 0) + sum(record.samples)
                    if record.input_us is not None:
                        rank.input_seconds = (rank.input_seconds or 0.0) + sum(record.input_us) * 1e-6
                    if record.memory_bytes is not None:
                        rank.memory_bytes = record.memory_bytes
                    self._fold_steps(rank, record)
            case Iterations():
                if record.duration_ns:
                    self._fold_steps(rank, record)
            case Check():
                rank.ops.setdefault(op_label(record.op), OpCounters()).wrong += record.wrong
            case Done():
                rank.up = False
            case _:
                pass

    def hang_up(self, rank: int) -> None:
        """Note that the rank's connection closed: whatever the reason, it is no longer up."""
        if rank in self.ranks:
            self.ranks[rank].up = False

    def _fold_steps(self, rank: RankCounters, record: Steps | Iterations) -> None:
        name = op_label(record.op)
        times = StepTimes.of(record)
        count = len(times.durations_seconds)
        rank.steps += count
        rank.step_seconds += float(times.durations_seconds.sum())
        rank.compute_seconds += times.compute_seconds
        rank.last_step = times.first_step + count - 1
        rank.last_step_time_seconds = float(times.starts_ns[-1]) * 1e-9 + float(times.durations_seconds[-1])
        self.step_seconds.observe_steps(times.durations_seconds, record.rank, times)

        op = rank.ops.setdefault(name, OpCounters())
        op.collectives += len(times.collectives_seconds)
        op.seconds += float(times.collectives_seconds.sum())
        op.bytes += times.bytes
        op.bus_bytes += times.bytes * record.bus_factor
        if len(times.collectives_seconds):
            op.last_seconds = float(times.collectives_seconds[-1])
        if op.last_seconds:
            op.last_bus_bytes_per_second = times.last_bytes * record.bus_factor / op.last_seconds
        of_sizes = self.sizes.setdefault(name, {})
        for size_bytes, moved, seconds in times.sizes:
            size = _of_size(of_sizes, size_bytes)
            size.seconds += seconds
            size.bus_bytes += moved * record.bus_factor
        histogram = self.collective_seconds.setdefault(name, Durations(COLLECTIVE_BUCKETS_SECONDS))
        histogram.observe_steps(times.collectives_seconds, record.rank, times, times.collective_indexes)


def _of_size(sizes: dict[str, SizeCounters], size_bytes: int) -> SizeCounters:
    """Return the counters of a message size; sizes beyond the first ``MOST_SIZES`` share one."""
    label = str(size_bytes)
    if label not in sizes and len(sizes) >= MOST_SIZES:
        label = OTHER_SIZES
    return sizes.setdefault(label, SizeCounters())


def merged(ranks: Iterable[RankCounters]) -> RankCounters:
    """Return the ranks of one node merged into one: counters add up, and each gauge is that of the worst rank."""
    ranks = list(ranks)
    steps = [rank.last_step for rank in ranks if rank.last_step is not None]
    times = [rank.last_step_time_seconds for rank in ranks if rank.last_step_time_seconds is not None]
    samples = [rank.samples for rank in ranks if rank.samples is not None]
    inputs_seconds = [rank.input_seconds for rank in ranks if rank.input_seconds is not None]
    memories_bytes = [rank.memory_bytes for rank in ranks if rank.memory_bytes is not None]
    names = dict.fromkeys(name for rank in ranks for name in rank.ops)
    return RankCounters(
        local_rank=0,
        up=any(rank.up for rank in ranks),
        steps=sum(rank.steps for rank in ranks),
        step_seconds=sum(rank.step_seconds for rank in ranks),
        compute_seconds=sum(rank.compute_seconds for rank in ranks),
        input_seconds=sum(inputs_seconds) if inputs_seconds else None,
        memory_bytes=max(memories_bytes, default=None),
        samples=sum(samples) if samples else None,
        last_step=min(steps, default=None),
        last_step_time_seconds=min(times, default=None),
        ops={name: _merged_ops([rank.ops[name] for rank in ranks if name in rank.ops]) for name in names},
    )


def _merged_ops(ops: list[OpCounters]) -> OpCounters:
    durations = [op.last_seconds for op in ops if op.last_seconds is not None]
    bandwidths = [op.last_bus_bytes_per_second for op in ops if op.last_bus_bytes_per_second is not None]
    return OpCounters(
        collectives=sum(op.collectives for op in ops),
        seconds=sum(op.seconds for op in ops),
        bytes=sum(op.bytes for op in ops),
        bus_bytes=sum(op.bus_bytes for op in ops),
        wrong=sum(op.wrong for op in ops),
        last_seconds=max(durations, default=None),
        last_bus_bytes_per_second=min(bandwidths, default=None),
    )


def gpu_label(device: str) -> str:
    """Return the GPU's number from a rank's device ("0 [0000:17:00.0]"); empty for a processor."""
    number = device.partition(" ")[0]
    return number if is_whole_number(number) else ""
