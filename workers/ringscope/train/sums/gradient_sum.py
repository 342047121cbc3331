"""Interface for the sum of all ranks' gradients: our reducer, or a library for comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import torch

from ringscope.contracts.training.record import Direction
from ringscope.train.adaptive.tuner import GroupChange
from ringscope.train.divergence import is_finite


@dataclass(frozen=True, slots=True)
class Sums:
    """Timing of one step's sums, from the step's start; one entry per bucket, in the order of the sums.

    ``exposed_us`` is how long the rank only waited; ``size_bytes`` is the data that it contributed, after compression.
    """

    backward_us: float
    exposed_us: float
    size_bytes: int
    bucket_bytes: list[int] = field(default_factory=list)
    ready_us: list[float] = field(default_factory=list)
    start_us: list[float] = field(default_factory=list)
    end_us: list[float] = field(default_factory=list)
    waited_us: float = 0.0  # for a pipeline: how long this stage waited for others
    # What each sum adds where it adds activations instead of gradients: the layer, and the direction of the pass.
    layers: list[str] | None = None
    directions: list[Direction] | None = None
    # Algorithm and transport of the largest bucket, if they can change from step to step.
    summed_by: tuple[str, str] | None = None
    changes: list[GroupChange] = field(default_factory=list)  # changes of algorithms, from the next step on
    algorithms: list[str] = field(default_factory=list)  # one for each bucket, if the engine's plans summed it
    lag: int | None = None  # for parameter servers: steps that this worker is ahead of the slowest one

    @property
    def communication_us(self) -> float:
        """Return how long sums were in progress, and other stages were waited for; time in which two sums overlap
        counts once.
        """
        total, until = self.waited_us, 0.0
        for start, end in sorted(zip(self.start_us, self.end_us, strict=True)):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        return total


class GradientSum(Protocol):
    """Replaces every rank's gradients with the sum over all ranks, once per step."""

    module: torch.nn.Module  # the module to call for forward
    algorithm: str  # named as in records
    transport: str
    size_bytes: int  # size of the whole gradient
    is_own: bool  # whether each rank applies its own gradient, so that other ranks do not know it

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the memory of the sums after ``finish``: each element that this rank applies, once."""

    @property
    def alike(self) -> list[torch.Tensor]:
        """Return flat tensors that are equal bit for bit on all ranks after each ``share_update``, in float32."""

    def norm(self) -> float:
        """Return the Euclidean norm of the whole gradient after ``finish`` (collective where it is in shares)."""

    def is_finite(self) -> bool:
        """Return whether the gradient that this rank applies is finite, after ``finish`` (collective in shares)."""

    def begin(self) -> None:
        """Start a step: the gradients are zero."""

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Return the context for forward and backward of one part of the step's samples; sums start in the last one
        only.
        """

    def finish(self) -> Sums:
        """Return when all sums are complete (collective)."""

    def share_update(self, sums: Sums) -> Sums:
        """Exchange parameters after the update, if the strategy does; return the step's timing including that
        (collective).
        """

    def close(self) -> None:
        """Release the model."""


class GradientSumBase(ABC):
    """Base of a GradientSum, with the answers of one that gives each rank the whole sum for the same update."""

    is_own = False

    @property
    @abstractmethod
    def gradients(self) -> list[torch.Tensor]:
        """Return the memory of the sums after ``finish``."""

    @property
    def alike(self) -> list[torch.Tensor]:
        """Return the sums."""
        return self.gradients

    def norm(self) -> float:
        """Return the Euclidean norm of the gradient; no rank needs another one for it."""
        return float(norm_of(self.gradients))

    def is_finite(self) -> bool:
        """Return whether all gradients are finite; no rank needs another one for it."""
        return all(is_finite(gradient) for gradient in self.gradients)

    def share_update(self, sums: Sums) -> Sums:
        """Return ``sums``: there is nothing to exchange."""
        return sums


def norm_of(gradients: list[torch.Tensor]) -> torch.Tensor:
    """Return the Euclidean norm over all gradients."""
    return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))
