"""Interface for the sum of all ranks' gradients: our reducer, or a library that is compared with it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import torch


@dataclass(frozen=True, slots=True)
class Sums:
    """Timing of one step's sums, from the step's start; one entry per bucket, in the order of the sums.

    ``exposed_us`` is how long the rank did nothing but wait; ``size_bytes`` what it handed over, after compression.
    """

    backward_us: float
    exposed_us: float
    size_bytes: int
    bucket_bytes: list[int] = field(default_factory=list)
    ready_us: list[float] = field(default_factory=list)
    start_us: list[float] = field(default_factory=list)
    end_us: list[float] = field(default_factory=list)
    lag: int | None = None  # with parameter servers: steps that this worker is ahead of the slowest one

    @property
    def communication_us(self) -> float:
        """Return how long sums were in progress; time in which two overlap counts once."""
        total = until = 0.0
        for start, end in sorted(zip(self.start_us, self.end_us, strict=True)):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        return total


class GradientSum(Protocol):
    """Makes every rank's gradients the sum over all ranks, once per step."""

    module: torch.nn.Module  # what forward is called on
    algorithm: str  # as in records
    transport: str
    size_bytes: int  # of the whole gradient

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the memory of the sums after ``finish``; every element of the gradient once."""

    def begin(self) -> None:
        """A step starts: the gradients are zero."""

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Return the context for forward and backward of one part of the step's samples; sums start in the last one
        only.
        """

    def finish(self) -> Sums:
        """Return when all sums are there (collective)."""

    def close(self) -> None:
        """Let go of the model."""
