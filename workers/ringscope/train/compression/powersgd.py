"""A gradient as the product of two narrow matrices; the error is added to the next gradient.

Source: T. Vogels et al., PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization, 2019
(arXiv:1905.13727). Every parameter is a matrix with its first dimension as rows, the matrices of a bucket share their
two sums, and parameters that would not shrink are sent uncompressed.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ringscope.train.compression.base import Collectives, Shapes, sum_uncompressed


class PowerSgd:
    """One step of power iteration for each gradient, starting from the previous result.

    Without shapes a bucket is treated as one nearly square matrix, which is less accurate than one for each parameter.
    """

    def __init__(self, rank: int, seed: int) -> None:
        self._rank, self._seed = rank, seed
        self._residuals: dict[int, Tensor] = {}
        self._bases: dict[int, Tensor] = {}  # bases of all matrices of a bucket, in order

    def reduce(self, bucket: int, gradient: Tensor, comm: Collectives, shapes: Shapes = ()) -> int:
        """See ``Compressor``."""
        pieces = self._pieces(shapes or (_square(gradient.numel()),))
        corrected = gradient + self._residuals[bucket] if bucket in self._residuals else gradient.clone()
        matrices = [piece.of(corrected) for piece in pieces]
        lefts = [matrix @ basis for matrix, basis in zip(matrices, self._first_bases(bucket, pieces), strict=True)]
        lefts, whole, sent_bytes = _summed(lefts, _whole(pieces, corrected), comm)
        lefts = [_orthonormal(left) for left in lefts]
        mine = [matrix.T @ left for matrix, left in zip(matrices, lefts, strict=True)]
        rights, _, more_bytes = _summed(mine, [], comm)
        for part, summed in zip(_whole(pieces, gradient), whole, strict=True):
            part.copy_(summed)
        for piece, left, right in zip(pieces, lefts, rights, strict=True):
            piece.of(gradient).copy_(left @ right.T)
        if gradient.isfinite().all():
            self._keep(bucket, corrected, pieces, lefts, mine, rights)
        return sent_bytes + more_bytes

    def _keep(
        self,
        bucket: int,
        corrected: Tensor,
        pieces: Sequence["_Piece"],
        lefts: Sequence[Tensor],
        mine: Sequence[Tensor],
        rights: Sequence[Tensor],
    ) -> None:
        """Store the residual of this rank's gradient, and the bases of the next iteration."""
        for piece, left, right in zip(pieces, lefts, mine, strict=True):
            piece.of(corrected).sub_(left @ right.T)
        for part in _whole(pieces, corrected):
            part.zero_()
        self._residuals[bucket] = corrected
        self._bases[bucket] = torch.cat([right.reshape(-1) for right in rights]) if rights else corrected.new_empty(0)

    def _pieces(self, shapes: Shapes) -> list["_Piece"]:
        """Return the matrices of a bucket that are worth compressing."""
        found, start = [], 0
        for shape in shapes:
            rows, columns = (shape[0], math.prod(shape[1:])) if len(shape) > 1 else (1, math.prod(shape))
            if (rows + columns) * self._rank < rows * columns:
                found.append(_Piece(start, rows, columns))
            start += rows * columns
        return found

    def _first_bases(self, bucket: int, pieces: Sequence["_Piece"]) -> list[Tensor]:
        """Return the starting points of the iterations, equal on every rank; never 0, because the iteration would
        stay there.
        """
        generator = torch.Generator().manual_seed(self._seed + bucket)
        at_first = [torch.randn(piece.columns, self._rank, generator=generator) for piece in pieces]
        if (kept := self._bases.get(bucket)) is None:
            return at_first
        parts = kept.split([first.numel() for first in at_first])
        return [
            part.view(first.shape) if part.any() else first.to(part.device)
            for part, first in zip(parts, at_first, strict=True)
        ]

    def state_dict(self) -> dict[str, Tensor]:
        """Return the residuals so far, and the bases of the next iterations."""
        kept = {"residual": self._residuals, "basis": self._bases}
        return {f"{name}.{bucket}": tensor for name, tensors in kept.items() for bucket, tensor in tensors.items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Restore the state of another run."""
        self._residuals, self._bases = {}, {}
        for key, tensor in state.items():
            name, bucket = key.split(".")
            (self._residuals if name == "residual" else self._bases)[int(bucket)] = tensor


class _Piece(NamedTuple):
    """A matrix within a flat bucket."""

    start: int
    rows: int
    columns: int

    @property
    def end(self) -> int:
        return self.start + self.rows * self.columns

    def of(self, bucket: Tensor) -> Tensor:
        """Return a view, not a copy."""
        return bucket[self.start : self.end].view(self.rows, self.columns)


def _whole(pieces: Sequence[_Piece], bucket: Tensor) -> list[Tensor]:
    """Return views of the data between the matrices."""
    starts, ends = [0, *(piece.end for piece in pieces)], [*(piece.start for piece in pieces), bucket.numel()]
    return [bucket[start:end] for start, end in zip(starts, ends, strict=True)]


def _summed(
    matrices: Sequence[Tensor], rest: Sequence[Tensor], comm: Collectives
) -> tuple[list[Tensor], list[Tensor], int]:
    """Sum matrices and the rest over all ranks, in one all-reduce; return both and the bytes sent."""
    tensors = [*matrices, *rest]
    if not tensors:
        return [], [], 0
    packed = torch.cat([tensor.reshape(-1) for tensor in tensors])
    sent_bytes = sum_uncompressed(packed, comm)
    parts = packed.split([tensor.numel() for tensor in tensors])
    found = [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
    return found[: len(matrices)], found[len(matrices) :], sent_bytes


def _square(elements: int) -> tuple[int, int]:
    """Return rows and columns for nearly all elements; the remainder is sent uncompressed."""
    rows = math.isqrt(elements)
    return rows, elements // rows


def _orthonormal(columns: Tensor) -> Tensor:
    """Return an orthonormal basis of the columns' space; NaN and infinity stay not finite."""
    return torch.linalg.qr(columns).Q if columns.isfinite().all() else columns
