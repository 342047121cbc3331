"""Compare the bits of what all ranks must have alike, by a checksum over the steps since the last comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.digest import difference
from ringscope.train.sums.gradient_sum import GradientSum

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_FACTOR = 0x9E3779B97F4A7C15  # odd, so that the checksum of a step is not lost in later ones
_MASK = (1 << 64) - 1


class SumChecks:
    """Adds the bits of each step to a checksum per bucket, and compares the checksums every few steps."""

    def __init__(self, comm: Communicator, every: int, sums: GradientSum) -> None:
        self._comm, self._every, self._sums = comm, every, sums
        self._checksums = [0] * len(sums.alike)
        self._steps = 0

    @classmethod
    def of(cls, comm: Communicator, spec: TrainingSpec, sums: GradientSum) -> SumChecks | None:
        """Return the job's checks; None if it wants none, or has only one rank."""
        return cls(comm, spec.verify_every, sums) if spec.verify_every and comm.size > 1 else None

    def note(self, step: int) -> None:
        """Add a step, whose index counts from 0; every few steps compare the ranks (collective then).

        DifferenceError on every rank, which names the rank whose bits differ.
        """
        for number, tensor in enumerate(self._sums.alike):
            self._checksums[number] = (self._checksums[number] * _FACTOR + bit_sum(tensor)) & _MASK
        self._steps += 1
        if self._steps == self._every:
            self._compare(step)
            self._steps = 0

    def _compare(self, step: int) -> None:
        table = np.zeros((self._comm.size, len(self._checksums)), np.uint64)
        table[self._comm.rank] = self._checksums
        table = self._comm.total(table.view(np.int64).reshape(-1)).reshape(table.shape)
        for number, column in enumerate(table.T.tolist(), 1):
            since = f"step {step}" if self._every == 1 else f"the steps from {step - self._every + 1} to {step}"
            error = difference(column, f"In {since}, bucket {number} of {len(self._checksums)} had other bits")
            if error is not None:
                raise error


def bit_sum(tensor: torch.Tensor) -> int:
    """Return the sum of a tensor's bits as 64-bit numbers, modulo 2**64; any flipped bit changes it."""
    words = tensor.detach().view(torch.int32)
    even = len(words) // 2 * 2
    found = int(words[:even].view(torch.int64).sum())
    return (found + int(words[even:].sum())) & _MASK
