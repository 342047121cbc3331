"""The report of numbers that are not finite, after which the job stops or skips the step."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import OnNan
from ringscope.contracts.training.record import Diverged
from ringscope.engine.errors import DivergedError
from ringscope.train.divergence.culprit import Culprit, is_finite

_REMEDY = "Lower learning_rate or set clip_norm, and resume from the last finite checkpoint with resume_from"
MOST_SKIPPED = 20  # steps in a row; after so many no later step would be good


class Divergence:
    """Divergence check of one rank."""

    def __init__(self, rank: int, emit: Callable[[Record], None], on_nan: OnNan) -> None:
        """Report divergence with ``emit``; with ``stop``, also raise a DivergedError after the report."""
        self._rank, self._emit, self._on_nan = rank, emit, on_nan
        self._is_told = False
        self._skipped = 0  # steps in a row

    def judge_loss(self, step: int, loss: float | None) -> None:
        """Check the loss of a step that was made; its index counts from 0."""
        self._skipped = 0
        if loss is not None and not math.isfinite(loss):
            self._judge(Diverged(rank=self._rank, what="loss", step=step, loss=loss))

    def judge_gradient(self, step: int, loss: float | None, culprit: Culprit | None) -> None:
        """Report a step that was skipped because its gradient was not finite, on each rank that skipped it.

        ``culprit`` is the same on all these ranks; its rank reports the step, or rank 0 if there is none. DivergedError
        with ``stop``, and with ``skip`` after MOST_SKIPPED such steps in a row.
        """
        rank = culprit.rank if culprit else 0
        found: dict[str, Any] = {"rank": rank, "what": "gradient", "step": step, "is_skipped": self._on_nan == "skip"}
        if culprit is not None:
            found |= {"at": culprit.at, "layer": culprit.layer}
        if rank == self._rank:
            found["loss"] = loss
        self._skipped += 1
        self._judge(Diverged.model_validate(found))
        if self._skipped == MOST_SKIPPED:
            raise DivergedError(
                f"The training diverged: {MOST_SKIPPED} steps in a row were skipped, because their gradients were not "
                f"finite. {_REMEDY}."
            )

    def judge_parameters(self, step: int, is_finite: bool) -> None:
        """Report parameters that ``are_finite`` found not to be finite after a step."""
        if not is_finite:
            self._judge(Diverged(rank=self._rank, what="parameters", step=step))

    def _judge(self, told: Diverged) -> None:
        if told.rank == self._rank:
            self._tell(told)
        if self._on_nan == "stop":
            raise DivergedError(f"{told.sentence} {_REMEDY}; with on_nan skip such steps are skipped.")

    def _tell(self, told: Diverged) -> None:
        if not self._is_told:
            self._is_told = True
            self._emit(told)
        if told.is_skipped:
            sys.stdout.write(told.sentence + "\n")
            sys.stdout.flush()


def are_finite(module: torch.nn.Module) -> bool:
    """Return whether all floating-point parameters and buffers are finite."""
    return all(is_finite(tensor) for tensor in module.state_dict().values())
