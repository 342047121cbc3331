"""The measurement that every benchmark here uses: calls of equal meaning in turn, on the ranks of one gang.

``mpiexec -n P python -m benchmarks.engine.measure PLAN.json RESULT.json`` reads a ``MeasurePlan`` and has rank 0 write
one ``Series`` for each call. In every round all calls of a size run one after another, so that a change of the
machine's speed affects all of them, and each round has another order, because a call leaves caches and cores in a
certain state. If ranks share cores, each rank shares with others in every round (``ringscope.engine.core_rotation``).
All ranks agree on the length of a call's block.

``auto`` chooses as in a job, by a table of measured times. The same gang measures the table before the timed rounds,
with the same calls in blocks of their own, as `ringscope tune` does: a choice is never judged by the calls that it
comes from. Untuned, ``auto`` tries algorithms as a sweep does if nothing is measured, and ``model`` is what the model
alone would have taken. If the chosen algorithm is measured in the same rounds, its times count for the choice.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product, repeat
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np
from benchmarks.command import Parser

from ringscope.bench.timing import timed_block
from ringscope.choice.chooser import Chooser, candidates
from ringscope.choice.situation import Situation
from ringscope.contracts.tuning import Curve, Table, arithmetic_of, shape_of
from ringscope.contracts.words.collectives import AUTO, bus_factor
from ringscope.contracts.words.devices import carrier
from ringscope.contracts.words.machine import shared_cores
from ringscope.engine.base import Buffer
from ringscope.engine.communicator import Communicator
from ringscope.rank.machine import known_machine
from ringscope.rank.parent_death import end_with_parent

COPY = "copy"
MODEL = "model"
_CHOOSING = (AUTO, MODEL)
_NETWORK = Path("/proc/self/net/dev")
_SENT_COLUMN = 8
_MAX_ITERATIONS = 200
_TUNING_ROUNDS = 5
_TUNING_BLOCK_US = 2_000.0
_Key = tuple[str, str, bool]  # what is executed, on which numbers, in place or not


@dataclass(frozen=True, slots=True)
class MeasurePlan:
    """All-reduce sums: every algorithm at every size and dtype, out of place, in place or both.

    ``copy`` is every rank reading one message and writing another; in place, reading and writing the same one.
    ``in_place`` lists the placements, ``block_us`` is how long a timed block should take (0: ``min_iterations`` calls,
    whatever they take), ``warmup`` how many untimed calls go before each, ``device`` a network card whose bytes are
    counted. ``is_tuned``: ``auto`` has a table.
    """

    algorithms: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    rounds: int
    transport: str = "auto"
    dtypes: tuple[str, ...] = ("float32",)
    in_place: tuple[bool, ...] = (False,)
    block_us: float = 20_000.0
    min_iterations: int = 3
    warmup: int = 1
    device: str | None = None
    is_tuned: bool = True


@dataclass(frozen=True, slots=True)
class Series:
    """One call at one size: the slowest rank's mean time per iteration, round by round.

    ``sent_bytes`` is what the busiest rank's network card sent per call, with all headers; None where none was watched.
    """

    algorithm: str
    transport: str
    dtype: str
    ranks: int
    size_bytes: int
    iterations: int
    times_us: tuple[float, ...]
    in_place: bool = False
    sent_bytes: float | None = None
    chosen_algorithm: str | None = None

    @property
    def time_us(self) -> float:
        """Lower quartile of the rounds: what else the machine does can only slow a call, for part of the time."""
        return sorted(self.times_us)[(len(self.times_us) - 1) // 4]

    @property
    def busbw_gb_per_s(self) -> float:
        """Bus bandwidth at this time."""
        return self.size_bytes / self.time_us / 1e3 * bus_factor("all_reduce", self.ranks)


def speedup(ours: Series, other: Series) -> float:
    """Return how many times faster ``ours`` is."""
    return other.time_us / ours.time_us


def series_of(rows: list[dict[str, Any]]) -> list[Series]:
    """Read from JSON."""
    return [Series(**row | {"times_us": tuple(row["times_us"])}) for row in rows]


class Gang:
    """One rank's part of the measurement."""

    def __init__(self, plan: MeasurePlan) -> None:
        self._plan = plan
        self._table = self._untuned = Table(machine=known_machine())  # which who started this has measured
        self._comm = comm = Communicator(plan.transport, table=lambda: self._table)
        self._send, self._recv = (comm.buffer(max(plan.sizes_bytes)) for _ in range(2))
        self.is_first = comm.rank == 0

    def measure(self) -> Iterator[Series]:
        """Measure every call, size by size (collective)."""
        if AUTO in self._plan.algorithms and self._plan.is_tuned:
            self._tune()
        for size_bytes in self._plan.sizes_bytes:
            yield from self._measure(size_bytes)
        self._comm.free()

    def _tune(self) -> None:
        """Measure all that ``auto`` can take, interleaved, in blocks of their own."""
        transport, shape = self._comm.transport.name, shape_of(tuple(map(len, self._comm.nodes)))
        plan, times_us = self._plan, dict[tuple[str, str, bool], dict[int, float]]()
        for size_bytes, dtype, in_place in product(plan.sizes_bytes, plan.dtypes, plan.in_place):
            names = candidates("all_reduce", transport)
            calls = {name: self._call(size_bytes, name, dtype, in_place) for name in names}
            iterations = {name: self._iterations(call, _TUNING_BLOCK_US) for name, call in calls.items()}
            blocks: dict[str, list[float]] = {name: [] for name in calls}
            for number in range(_TUNING_ROUNDS):
                for name, call in calls.items():
                    self._comm.reseat(number)
                    blocks[name].append(self._block(call, iterations[name])[0])
            for name, found in blocks.items():
                key = name, arithmetic_of("all_reduce", dtype), in_place
                times_us.setdefault(key, {})[size_bytes] = median(found)
        self._table = Table(
            curves=tuple(
                Curve(
                    collective="all_reduce",
                    arithmetic=arithmetic,
                    shape=shape,
                    in_place=in_place,
                    transport=carrier(name, transport),
                    algorithm=name,
                    times_us=sizes,
                    is_crowded=bool(shared_cores(self._comm.size, self._comm.cores)),
                )
                for (name, arithmetic, in_place), sizes in times_us.items()
            )
        )

    def _measure(self, size_bytes: int) -> Iterator[Series]:
        plan = self._plan
        keys = list(product(plan.algorithms, plan.dtypes, plan.in_place))
        executed = {key: (self._executed(size_bytes, *key), *key[1:]) for key in keys}
        calls = {key: self._call(size_bytes, *key) for key in dict.fromkeys(executed.values())}
        iterations = {key: self._iterations(call, plan.block_us) for key, call in calls.items()}
        blocks: dict[_Key, list[tuple[float, float]]] = {key: [] for key in calls}
        order = list(calls)
        for number in range(self._plan.rounds):
            Random(number).shuffle(order)  # alike on all ranks
            for key in order:
                self._comm.reseat(number)
                blocks[key].append(self._block(calls[key], iterations[key]))
        for key, its in executed.items():
            name, dtype, in_place = key
            times_us, sent_bytes = zip(*blocks[its], strict=True)
            yield Series(
                algorithm=name,
                transport=self._comm.transport.name,
                dtype=dtype,
                ranks=self._comm.size,
                size_bytes=size_bytes,
                iterations=iterations[its],
                times_us=times_us,
                in_place=in_place,
                sent_bytes=median(sent_bytes) if self._plan.device else None,
                chosen_algorithm=its[0] if name in _CHOOSING else None,
            )

    def _call(self, size_bytes: int, name: str, dtype: str, in_place: bool) -> Callable[[], None]:
        send, recv = self._buffers(size_bytes, dtype, in_place)
        if name == COPY:
            return (
                partial(np.negative, recv.local, recv.local) if in_place else partial(np.copyto, recv.local, send.local)
            )
        return self._comm.plan(name, "sum", send, recv).run

    def _buffers(self, size_bytes: int, dtype: str, in_place: bool) -> tuple[Buffer, Buffer]:
        send, recv = (buffer.head(size_bytes).view(dtype) for buffer in (self._send, self._recv))
        return (recv if in_place else send), recv

    def _executed(self, size_bytes: int, name: str, dtype: str, in_place: bool) -> str:
        if name == MODEL:
            shape = tuple(map(len, self._comm.nodes))
            is_crowded = bool(shared_cores(self._comm.size, self._comm.cores))
            situation = Situation("all_reduce", dtype, shape, self._comm.transport.name, in_place, is_crowded)
            return Chooser(self._untuned).choose(situation, size_bytes).algorithm
        if name == AUTO:
            return self._comm.settle("sum", *self._buffers(size_bytes, dtype, in_place)).algorithm
        return name

    def _iterations(self, call: Callable[[], None], block_us: float) -> int:
        if not block_us:
            return self._plan.min_iterations
        warm_us, _ = self._block(call, 2)
        return max(self._plan.min_iterations, min(_MAX_ITERATIONS, round(block_us / warm_us)))

    def _block(self, call: Callable[[], None], iterations: int) -> tuple[float, float]:
        """(µs, bytes on the wire) per call; of the rank that has most of each."""
        for _ in range(self._plan.warmup):
            call()
        self._comm.barrier()
        before = self._sent_bytes()
        mean_us = timed_block(repeat(call), iterations).mean_us
        sent_bytes = (self._sent_bytes() - before) / iterations
        time_us, most_bytes = self._comm.maximum(np.array([mean_us, sent_bytes])).tolist()
        return time_us, most_bytes

    def _sent_bytes(self) -> int:
        if self._plan.device is None:
            return 0
        for line in _NETWORK.read_text().splitlines():
            name, _, columns = line.partition(":")
            if name.strip() == self._plan.device:
                return int(columns.split()[_SENT_COLUMN])
        raise ValueError(f"device: there is no network card {self._plan.device}.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the plan says."""
    parser = Parser(__doc__)
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file with a MeasurePlan as JSON")
    parser.add_argument("result", type=Path, metavar="RESULT", help="the file that rank 0 writes")
    options = parser.parse_args(arguments)
    end_with_parent()
    fields = json.loads(options.plan.read_text())
    lists = {name: tuple(fields[name]) for name in ("algorithms", "sizes_bytes", "dtypes", "in_place")}
    gang = Gang(MeasurePlan(**fields | lists))
    rows = [asdict(series) for series in gang.measure()]
    if gang.is_first:
        options.result.write_text(json.dumps(rows))
    return 0


if __name__ == "__main__":
    main()  # a rank: it ends as any program under mpiexec does
