"""The gradients of one rank's model, which no rank sums: those of divided layers are its own, all others are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.divergence import is_finite
from ringscope.train.sums.gradient_sum import GradientSumBase, Sums
from ringscope.train.tensor.activation_sums import ActivationSums
from ringscope.train.tensor.division import Share

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class PartGradients(GradientSumBase):
    """Gradients of a step whose sums are those of the activations; all ranks make the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        spec: TrainingSpec,
        module: torch.nn.Module,
        shares: Sequence[Share],
        sums: ActivationSums,
        step_bytes: int,
    ) -> None:
        """``module`` is this rank's model; ``step_bytes`` is the size of all activations that a step sums."""
        self.module = module
        self._comm, self._sums, self._clips = comm, sums, spec.clip_norm is not None
        self.algorithm, self.transport, self.size_bytes = sums.algorithm, sums.transport, step_bytes
        self._divided = _flat([share.mine for share in shares if share.cut is not None])
        self._equal = _flat([share.mine for share in shares if share.cut is None])
        self._is_finite, self._norm = True, 0.0

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the gradients of the divided parameters, and of the others."""
        return [self._divided, self._equal]

    @property
    def alike(self) -> list[torch.Tensor]:
        """Return the gradients of what is not divided, which all ranks have computed from the same numbers."""
        return [self._equal]

    def norm(self) -> float:
        """Return the norm of the whole gradient, in which a parameter that is not divided counts once."""
        return self._norm

    def is_finite(self) -> bool:
        """Return whether the gradients of all ranks are finite."""
        return self._is_finite

    def begin(self) -> None:
        """Start a step: zero the gradients and start the clock."""
        for gradient in self.gradients:
            gradient.zero_()
        self._sums.begin()

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Return a context that does nothing: autograd accumulates the gradients."""
        return nullcontext()

    def finish(self) -> Sums:
        """Agree on what each rank knows of the gradient; return the timing of the activations' sums."""
        backward_us = self._sums.now_us()
        self._agree()
        waited_us = self._sums.now_us() - backward_us
        made = self._sums.made
        return Sums(
            backward_us,
            exposed_us=waited_us + sum(each.end_us - each.start_us for each in made),
            size_bytes=sum(each.size_bytes for each in made),
            bucket_bytes=[each.size_bytes for each in made],
            ready_us=[each.start_us for each in made],
            start_us=[each.start_us for each in made],
            end_us=[each.end_us for each in made],
            waited_us=waited_us,
            layers=[each.layer for each in made],
            directions=[each.direction for each in made],
        )

    def close(self) -> None:
        """Free the plans (collective)."""
        self._sums.free()

    def _agree(self) -> None:
        """Let all ranks know the norm and whether all gradients are finite; each adds up the same numbers."""
        mine = np.zeros((self._comm.size, 3))
        squares = [float(torch.linalg.vector_norm(each)) ** 2 if self._clips else 0.0 for each in self.gradients]
        mine[self._comm.rank] = (not all(map(is_finite, self.gradients)), *squares)
        found = self._comm.total(mine.reshape(-1)).reshape(mine.shape)
        self._is_finite = not found[:, 0].any()
        self._norm = math.sqrt(sum(found[:, 1].tolist()) + float(found[0, 2]))


def _flat(parameters: Sequence[torch.nn.Parameter]) -> torch.Tensor:
    """Return zeros in which the gradients of these parameters are from now on, one after another."""
    flat = torch.zeros(sum(parameter.numel() for parameter in parameters))
    parts = flat.split([parameter.numel() for parameter in parameters])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = part.view_as(parameter)
    return flat
