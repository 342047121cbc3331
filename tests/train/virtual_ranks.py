"""Ranks as threads of one process, with the collectives that a compressor needs."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_SECONDS = 60


class VirtualRank:
    """One rank's view of the others; counts the bytes that it hands over."""

    def __init__(self, rank: int, slots: list[Any], barrier: threading.Barrier) -> None:
        self.rank, self.size, self.sent_bytes = rank, len(slots), 0
        self._slots, self._barrier = slots, barrier

    def all_reduce(self, array: NDArray[Any]) -> None:
        array[...] = sum(self._exchanged(array)[1:], start=self._others[0])

    def all_gather(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.stack(self._exchanged(array))

    def _exchanged(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        self.sent_bytes += array.nbytes
        self._slots[self.rank] = array.copy()
        self._barrier.wait(_SECONDS)
        self._others = list(self._slots)
        self._barrier.wait(_SECONDS)
        return self._others


def on_ranks(ranks: int, program: Callable[[VirtualRank], _T]) -> list[_T]:
    """What the program returns on each rank."""
    slots, barrier = [None] * ranks, threading.Barrier(ranks)

    def run(rank: int) -> _T:
        try:
            return program(VirtualRank(rank, slots, barrier))
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(ranks) as pool:
        running = [pool.submit(run, rank) for rank in range(ranks)]
    failed = [error for each in running if (error := each.exception())]
    for error in sorted(failed, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    return [each.result() for each in running]
