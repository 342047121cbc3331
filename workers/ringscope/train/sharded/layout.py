"""The layout of a bucket's parameters in memory, and the pieces of them in a rank's share. Pure.

The gradients of a bucket lie one directly after another, as in every strategy. Its parameters each begin at a cache
line, as PyTorch's own tensors do, because some of PyTorch's kernels add in another order elsewhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ringscope.schedules.schedule import Chunk, Schedule

_LINE = 16  # elements in a cache line


@dataclass(frozen=True, slots=True)
class Piece:
    """The elements of one parameter, from ``start`` to ``stop``, that are in a rank's share.

    The rank's optimizer works on those from ``first`` to ``last``, which are whole cache lines from the parameter's
    beginning: PyTorch's fused kernels round the elements after the last whole vector differently. The all-gather
    overwrites what is outside the share.
    """

    parameter: int
    start: int
    stop: int

    @property
    def first(self) -> int:
        """Return the first element of the first cache line."""
        return self.start // _LINE * _LINE

    def last(self, count: int) -> int:
        """Return the end of the last cache line, or of the parameter, which has ``count`` elements."""
        return min(_in_lines(self.stop), count)


class Layout:
    """The parameters of one bucket, ``counts`` elements each, in the order of their gradients."""

    def __init__(self, counts: Sequence[int]) -> None:
        self.counts = counts
        self.gradient_starts = [0, *accumulate(counts)]
        self.starts = [0, *accumulate(map(_in_lines, counts))]

    @property
    def elements(self) -> int:
        """Return the elements of the parameters' memory, with the gaps between them."""
        return self.starts[-1]

    def schedule_of_parameters(self, of_gradients: Schedule) -> Schedule:
        """Return the same schedule, with each chunk where the parameters of its gradients are."""
        chunks = [self._place(chunk.offset, chunk.offset + chunk.length) for chunk in of_gradients.chunks]
        return replace(of_gradients, chunks=tuple(chunks))

    def pieces(self, share: Iterable[Chunk]) -> list[Piece]:
        """Return the pieces of the parameters in these chunks of the gradients; neighbours are joined."""
        found: list[Piece] = []
        for chunk in sorted(share):
            for number, count in enumerate(self.counts):
                start = max(0, chunk.offset - self.gradient_starts[number])
                stop = min(count, chunk.offset + chunk.length - self.gradient_starts[number])
                if start < stop:
                    if found and (found[-1].parameter, found[-1].stop) == (number, start):
                        start = found.pop().start
                    found.append(Piece(number, start, stop))
        return found

    def _place(self, start: int, stop: int) -> Chunk:
        offset = self._moved(start)
        return Chunk(offset, self._moved(stop) - offset)

    def _moved(self, element: int) -> int:
        """Return the place of an element; the first one of a parameter is where its cache line begins."""
        number = sum(start <= element for start in self.gradient_starts[1:])
        if number == len(self.counts):
            return self.elements
        return self.starts[number] + element - self.gradient_starts[number]


def _in_lines(count: int) -> int:
    return -(-count // _LINE) * _LINE
