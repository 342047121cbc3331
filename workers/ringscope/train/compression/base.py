"""Interface of a compressor, and the collectives that it needs."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]
Shapes = Sequence[Sequence[int]]  # of the parameters in a bucket, one behind the other


class Collectives(Protocol):
    """The ranks that sum their gradients. Every call is one of all of them, in the same order."""

    @property
    def rank(self) -> int:
        """This rank's number."""

    @property
    def size(self) -> int:
        """Number of ranks."""

    def all_reduce(self, array: Array) -> None:
        """Sum over the ranks, in place; bitwise the same on all."""

    def all_gather(self, array: Array) -> Array:
        """The arrays of all ranks, stacked on a new first axis in the order of ranks."""


class Compressor(Protocol):
    """Sums gradients and sends less of them. What it keeps belongs to its rank, and to the buckets as they are cut."""

    def reduce(self, bucket: int, gradient: Tensor, comm: Collectives, shapes: Shapes = ()) -> int:
        """Put the sum over the ranks of what was sent into the flat float32 gradient; how many bytes this rank sent.

        The result is bitwise the same on all ranks. Where a gradient is no number on any rank, the result is no number
        on all of them, and what is kept of this bucket stays what it was, since such a step is not taken. ``shapes``
        are the same in every step; PowerSGD is more exact with them.
        """

    def state_dict(self) -> dict[str, Tensor]:
        """Return the state kept between steps; a run that resumes bit for bit needs each rank's own."""

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on with what another run kept."""


def sum_uncompressed(gradient: Tensor, comm: Collectives) -> int:
    """Sum a gradient so small that compression would send more; return the bytes sent."""
    summed = gradient.cpu()
    comm.all_reduce(summed.numpy())
    gradient.copy_(summed)
    return int(summed.nbytes)
