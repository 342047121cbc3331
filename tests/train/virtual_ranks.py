"""Ranks as threads of one process, with the collectives that a compressor needs."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ringscope.choice.situation import Choice
from ringscope.engine.base import Buffer
from ringscope.engine.transports.virtual import VirtualTransport
from ringscope.schedules.algorithms import SCHEDULES
from ringscope.schedules.halves import halves
from ringscope.schedules.schedule import Schedule

_T = TypeVar("_T")
_SECONDS = 60


class VirtualRank:
    """One rank's view of the others; counts the bytes that it hands over."""

    def __init__(self, rank: int, slots: list[Any], barrier: threading.Barrier) -> None:
        self.rank, self.size, self.sent_bytes = rank, len(slots), 0
        self._slots, self._barrier = slots, barrier

    def all_reduce(self, array: NDArray[Any], op: str = "sum") -> None:
        combine = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
        array[...] = reduce(combine, self._exchanged(array))

    def all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.stack(self._exchanged(array))

    def _exchanged(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        self.sent_bytes += array.nbytes
        self._slots[self.rank] = array.copy()
        self._barrier.wait()
        self._others = list(self._slots)
        self._barrier.wait()
        return self._others


def on_ranks(
    ranks: int, program: Callable[[Any], _T], kind: "type[VirtualRank] | None" = None, seconds: float = _SECONDS
) -> list[_T]:
    """Run the program on each rank and return the results; it gets a ``kind``, by default a VirtualRank."""
    slots, barrier = [None] * ranks, threading.Barrier(ranks, timeout=seconds)

    def run(rank: int) -> _T:
        try:
            return program((kind or VirtualRank)(rank, slots, barrier))
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(ranks) as pool:
        running = [pool.submit(run, rank) for rank in range(ranks)]
    failed = [error for each in running if (error := each.exception())]
    for error in sorted(failed, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    return [each.result() for each in running]


class VirtualCommunicator(VirtualRank):
    """A fake of the parts of a ``Communicator`` that users' scripts need, on the host; its plans count their runs."""

    def __init__(self, rank: int, slots: list[Any], barrier: threading.Barrier) -> None:
        super().__init__(rank, slots, barrier)
        self.gpu, self.local_rank, self.runs = None, rank, 0
        self.position = [0] * 16  # as engine.positions counts
        self.transport = SimpleNamespace(name="shared_memory")

    def buffer(self, size_bytes: int) -> Buffer:
        local = np.zeros(size_bytes, np.uint8)
        return Buffer(local, (local,))

    def plan(self, algorithm: str, op: str, send: Buffer, recv: Buffer) -> Any:
        def run() -> None:
            self.runs += 1
            self.all_reduce(send.local)

        return SimpleNamespace(run=run, free=lambda: None)

    def choose(self, collective: str, dtype: str, size_bytes: int, *, in_place: bool) -> Choice:
        return Choice("ring", "all virtual ranks sum alike")

    def contenders(self, collective: str, dtype: str, size_bytes: int, *, in_place: bool) -> list[str]:
        return [self.choose(collective, dtype, size_bytes, in_place=in_place).algorithm]

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        summed = values.copy()
        self.all_reduce(summed)
        return summed

    def barrier(self) -> None:
        self._barrier.wait()

    def maximum(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.max(self._exchanged(values), axis=0)

    def broadcast(self, values: NDArray[Any], root: int) -> None:
        values[...] = self._exchanged(values)[root]


class ScheduledCommunicator(VirtualCommunicator):
    """A VirtualCommunicator whose plans execute the schedules of our algorithms: sums have the bits of real ranks."""

    @property
    def nodes(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(self.size)),)

    def plan(self, algorithm: str, op: str, send: Buffer, recv: Buffer) -> Any:
        assert op == "sum" and send is recv
        return self.plan_schedule(self._schedule(algorithm, recv.local.size), recv)

    def halves(self, algorithm: str, count: int) -> tuple[Schedule, Schedule] | None:
        return halves(self._schedule(algorithm, count))

    def plan_schedule(self, schedule: Schedule, buffer: Buffer) -> Any:
        def run() -> None:
            self._slots[self.rank] = buffer.local
            self._barrier.wait()
            if self.rank == 0:
                every = Buffer(buffer.local, tuple(self._slots))
                VirtualTransport(self.size).plan(schedule, "sum", every, every).run()
            self._barrier.wait()

        return SimpleNamespace(run=run, free=lambda: None)

    def _schedule(self, algorithm: str, count: int) -> Schedule:
        return SCHEDULES[algorithm](self.size, count)
