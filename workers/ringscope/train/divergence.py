"""Divergence: a loss or parameters that are not finite; each rank reports it once."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ringscope.contracts.record import Diverged, Record
from ringscope.contracts.training import OnNan
from ringscope.engine.errors import DivergedError


class Divergence:
    """Divergence check of one rank."""

    def __init__(self, rank: int, emit: Callable[[Record], None], on_nan: OnNan) -> None:
        """Report divergence with ``emit``; with ``stop``, also raise a DivergedError after the report."""
        self._rank, self._emit, self._on_nan = rank, emit, on_nan
        self._is_told = False

    def judge_loss(self, step: int, loss: float | None) -> None:
        """Check the loss of a step, whose index counts from 0."""
        if loss is not None and not math.isfinite(loss):
            self._tell("loss", step, loss)

    def judge_parameters(self, step: int, is_finite: bool) -> None:
        """Report parameters that ``are_finite`` found not to be finite after a step."""
        if not is_finite:
            self._tell("parameters", step, None)

    def _tell(self, what: str, step: int, loss: float | None) -> None:
        told = Diverged.model_validate({"rank": self._rank, "what": what, "step": step, "loss": loss})
        if not self._is_told:
            self._is_told = True
            self._emit(told)
        if self._on_nan == "stop":
            raise DivergedError(
                f"{told.sentence} Lower learning_rate or set clip_norm, and resume from the last finite checkpoint "
                "with resume_from; with on_nan continue the job continues anyway."
            )


def are_finite(module: torch.nn.Module) -> bool:
    """Return whether all floating-point parameters and buffers are finite."""
    tensors = (tensor.detach() for tensor in module.state_dict().values() if tensor.is_floating_point())
    return all(bool(torch.isfinite(tensor).all()) for tensor in tensors)
