"""Registered memory of one communicator: equally large on every rank, and known to the transport."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ringscope.engine.base import Array, Buffer
from ringscope.engine.calls import Place
from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.memory.arena import Arena, Piece, aligned
from ringscope.engine.memory.arrays import address
from ringscope.engine.memory.lease import Lease, holder

_LEAST_STAGED_BYTES = 4096


Allocate = Callable[[int], Buffer]


class _Taken(NamedTuple):
    """A piece, its requested size, and the id of the object that keeps its memory while an array of it exists."""

    piece: Piece
    size_bytes: int
    holder: int


class Registered:
    """The allocations in order, which is the same on every rank, and two staging buffers for arrays from elsewhere.

    Some allocations are slabs that hold pieces for arrays. A piece ends when its array is freed, or when no rank
    references it any more: the ranks check that together only when the next piece does not fit.
    """

    def __init__(self) -> None:
        self._buffers: list[Buffer] = []
        self._arena = Arena()
        self._slabs: list[int] = []  # indices of the slabs among the buffers
        self._pieces: dict[int, _Taken] = {}  # allocated pieces, by the number of their call
        self._numbers: dict[int, int] = {}  # numbers of these pieces, by their holders
        self._dropped: set[int] = set()  # pieces that this rank no longer references
        self._taken = 0
        self._staging = [Buffer(np.empty(0, np.uint8), ())] * 2

    def add(self, buffer: Buffer) -> None:
        """An allocation that every rank has made."""
        self._buffers.append(buffer)

    def place(self, x: Array) -> Place:
        """Return the buffer and the offset of an array; (-1, 0) if it is not in registered memory."""
        start = address(x)
        for index, buffer in enumerate(self._buffers):
            first = address(buffer.local)
            if first <= start and start + x.nbytes <= first + buffer.local.nbytes:
                return index, start - first
        return -1, 0

    def at(self, place: Place, size_bytes: int) -> Buffer:
        """Return the memory at a position."""
        index, start = place
        return self._buffers[index].section(start, size_bytes)

    def array(self, size_bytes: int, allocate: Allocate, everywhere: Callable[[Array], Array]) -> Array:
        """Return zeroed bytes of a piece, aligned for any dtype (collective).

        ``everywhere`` returns which flags are set on all ranks (collective).
        """
        piece = self._arena.take(size_bytes)
        if piece is None and self._pieces:
            self._collect(everywhere)
            piece = self._arena.take(size_bytes)
        if piece is None:
            self._add_slab(size_bytes, allocate)
            piece = self._arena.take(size_bytes)
            assert piece is not None
        number, self._taken = self._taken, self._taken + 1
        memory = self._buffers[self._slabs[piece.slab]].section(piece.start, piece.size).local
        memory.fill(0)
        x = Lease(memory, partial(self._drop, number)).array()
        self._pieces[number] = _Taken(piece, size_bytes, id(holder(x)))
        self._numbers[id(holder(x))] = number
        return x[:size_bytes]

    def _add_slab(self, size_bytes: int, allocate: Allocate) -> None:
        """Add a slab for a piece; if memory is short, it is only as large as the piece."""
        slab_bytes, least_bytes = self._arena.slab_bytes(size_bytes), aligned(size_bytes)
        try:
            allocate(slab_bytes)  # adds itself
        except OutOfMemoryError:
            if slab_bytes == least_bytes:
                raise
            slab_bytes = least_bytes
            allocate(slab_bytes)
        self._slabs.append(len(self._buffers) - 1)
        self._arena.add_slab(slab_bytes)

    def number(self, x: Array) -> int:
        """Return the number of the piece that this array is; EngineError if it is not a piece, only a part of one,
        or already freed.
        """
        number = self._numbers.get(id(holder(x)), -1)
        taken = self._pieces.get(number)
        # The id of a dropped array may now belong to another object.
        if taken is not None and number not in self._dropped and x.nbytes == taken.size_bytes:
            return number
        raise EngineError(
            "x: the array does not come from ringscope.empty, or was already freed; pass an array from ringscope.empty."
        )

    def give_back(self, number: int) -> None:
        """Free a piece for other arrays (on every rank)."""
        taken = self._pieces.pop(number)
        if self._numbers.get(taken.holder) == number:
            del self._numbers[taken.holder]
        self._arena.give_back(taken.piece)
        self._dropped.discard(number)

    def _drop(self, number: int) -> None:
        if number in self._pieces:  # otherwise it was freed before
            self._dropped.add(number)

    def _collect(self, everywhere: Callable[[Array], Array]) -> None:
        numbers = list(self._pieces)
        flags = everywhere(np.array([number in self._dropped for number in numbers], np.int64))
        for number, is_dropped in zip(numbers, flags, strict=True):
            if is_dropped:
                self.give_back(number)

    def staging(self, size_bytes: int, allocate: Allocate) -> list[Buffer]:
        """Return an input and a result of at least ``size_bytes`` (collective if they have to grow)."""
        if self._staging[0].local.nbytes < size_bytes or not self._staging[0].parts:
            enough = max(_LEAST_STAGED_BYTES, 1 << (size_bytes - 1).bit_length())
            self._staging = [allocate(enough) for _ in range(2)]
        return self._staging

    def forget(self) -> None:
        """Free everything."""
        self._buffers.clear()
        self._staging.clear()
        self._pieces.clear()
        self._numbers.clear()
