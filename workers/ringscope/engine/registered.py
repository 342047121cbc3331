"""Registered memory of one communicator: as large on every rank, and known to the transport."""

from collections.abc import Callable

import numpy as np

from ringscope.engine.base import Array, Buffer
from ringscope.engine.calls import Place
from ringscope.engine.memory.arrays import address

_LEAST_STAGED_BYTES = 4096


class Registered:
    """The allocations in their order, which is the same on every rank, and two of them for arrays from elsewhere."""

    def __init__(self) -> None:
        self._buffers: list[Buffer] = []
        self._staging = [Buffer(np.empty(0, np.uint8), ())] * 2

    def add(self, buffer: Buffer) -> None:
        """An allocation that every rank has made."""
        self._buffers.append(buffer)

    def place(self, x: Array) -> Place:
        """Where an array lies."""
        start = address(x)
        for index, buffer in enumerate(self._buffers):
            first = address(buffer.local)
            if first <= start and start + x.nbytes <= first + buffer.local.nbytes:
                return index, start - first
        return -1, 0

    def at(self, place: Place, size_bytes: int) -> Buffer:
        """The memory that a place means."""
        index, start = place
        return self._buffers[index].section(start, size_bytes)

    def staging(self, size_bytes: int, allocate: Callable[[int], Buffer]) -> list[Buffer]:
        """An input and a result of ``size_bytes`` at least (collective when they have to grow)."""
        if self._staging[0].local.nbytes < size_bytes or not self._staging[0].parts:
            enough = max(_LEAST_STAGED_BYTES, 1 << (size_bytes - 1).bit_length())
            self._staging = [allocate(enough) for _ in range(2)]
        return self._staging

    def forget(self) -> None:
        """All of it is given back."""
        self._buffers.clear()
        self._staging.clear()
