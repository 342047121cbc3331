"""Interface of a compressor, and the collectives that it needs."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]
Shapes = Sequence[Sequence[int]]  # shapes of the parameters in a bucket, in order


class Collectives(Protocol):
    """The ranks that sum their gradients. All of them make every call, in the same order."""

    @property
    def rank(self) -> int:
        """Return this rank's number."""

    @property
    def size(self) -> int:
        """Return the number of ranks."""

    def all_reduce(self, array: Array) -> None:
        """Sum over the ranks, in place; the result is bitwise equal on all."""

    def all_gather(self, array: Array) -> Array:
        """Return the arrays of all ranks, stacked on a new first axis in rank order."""


class Compressor(Protocol):
    """Sums gradients in a compressed form. Its state belongs to its rank, and to the current split into buckets."""

    def reduce(self, bucket: int, gradient: Tensor, comm: Collectives, shapes: Shapes = ()) -> int:
        """Replace the flat float32 gradient with the sum of the sent data over the ranks; return the bytes that this
        rank sent.

        The result is bitwise equal on all ranks. If a gradient is not finite on any rank, the result is not finite on
        all of them, and the state of this bucket is not changed, because such a step is skipped. ``shapes`` are the
        same in every step; PowerSGD is more accurate with them.
        """

    def state_dict(self) -> dict[str, Tensor]:
        """Return the state kept between steps; a run that resumes bit for bit needs the state of each rank."""

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Restore the state of another run."""


def sum_uncompressed(gradient: Tensor, comm: Collectives) -> int:
    """Sum a gradient so small that compression would send more; return the bytes sent."""
    summed = gradient.cpu()
    comm.all_reduce(summed.numpy())
    gradient.copy_(summed)
    return int(summed.nbytes)
