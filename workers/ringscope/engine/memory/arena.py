"""An arena: allocates pieces of a few large slabs. Pure.

Every rank makes the same calls in the same order, and therefore has the same pieces at the same offsets.
"""

from bisect import bisect_right
from typing import NamedTuple

ALIGNMENT_BYTES = 256  # whole cache lines, so that adjacent pieces never write to the same one
FIRST_SLAB_BYTES = 1 << 20
LARGEST_SLAB_BYTES = 256 << 20  # unless a piece is larger
_STEPS = 4  # number of slab sizes between a power of two and the next, for larger pieces


class Piece(NamedTuple):
    """A part of a slab, in bytes."""

    slab: int
    start: int
    size: int


class Arena:
    """Slabs with their free parts: each list is ascending, and adjacent free parts are merged."""

    def __init__(self) -> None:
        self._free: list[list[tuple[int, int]]] = []
        self._next_slab_bytes = FIRST_SLAB_BYTES

    def take(self, size_bytes: int) -> Piece | None:
        """Allocate the first free part that is large enough; None if a slab must be added."""
        size = aligned(size_bytes)
        for slab, parts in enumerate(self._free):
            for at, (start, stop) in enumerate(parts):
                if stop - start >= size:
                    parts[at : at + 1] = [(start + size, stop)] if stop - start > size else []
                    return Piece(slab, start, size)
        return None

    def slab_bytes(self, size_bytes: int) -> int:
        """Return the size of the next slab for a piece that did not fit: twice the last, so that slabs stay few.

        For a larger piece the slab is up to a quarter larger than the piece, so that slowly growing pieces fit into it
        after the previous one was freed: slabs themselves are never freed.
        """
        step = max(ALIGNMENT_BYTES, (1 << (size_bytes - 1).bit_length()) // (2 * _STEPS))
        return max(self._next_slab_bytes, -(-size_bytes // step) * step)

    def add_slab(self, slab_bytes: int) -> None:
        """Add a slab that is completely free."""
        self._free.append([(0, slab_bytes)])
        self._next_slab_bytes = min(2 * self._next_slab_bytes, LARGEST_SLAB_BYTES)

    def give_back(self, piece: Piece) -> None:
        """Free a piece."""
        parts, start, stop = self._free[piece.slab], piece.start, piece.start + piece.size
        at = bisect_right(parts, (start, stop))
        if at < len(parts) and parts[at][0] == stop:
            stop = parts.pop(at)[1]
        if at and parts[at - 1][1] == start:
            at -= 1
            start = parts.pop(at)[0]
        parts.insert(at, (start, stop))


def aligned(size_bytes: int) -> int:
    """Round a size up to the alignment, at least one unit."""
    return max(1, -(-size_bytes // ALIGNMENT_BYTES)) * ALIGNMENT_BYTES
