"""Evaluate a model on validation samples; each rank evaluates its share of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ringscope.train.data import Samples
from ringscope.train.models import correct, loss_of


@dataclass(frozen=True, slots=True)
class Validation:
    """Mean loss of the samples, and the share of targets (one per picture or token) predicted correctly.

    ``accuracy`` is None for an own model without one.
    """

    loss: float
    accuracy: float | None


def evaluate(
    model: nn.Module,
    split: Samples,
    rank: int,
    ranks: int,
    sum_over_ranks: Callable[[NDArray[np.float64]], None],
    batch_size: int = 512,
) -> Validation:
    """Evaluate the model on all of ``split``, with equal results on every rank; each sample counts once for any number
    of ranks.

    ``sum_over_ranks`` sums an array in place, and is called once. The model's mode is restored at the end.
    """
    mine = torch.arange(len(split) * rank // ranks, len(split) * (rank + 1) // ranks)
    split.follow(lambda: iter(mine.split(batch_size)))
    sums = np.zeros(4)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for indices in mine.split(batch_size) if len(mine) else ():
                sums += _sums(model, split, indices)
    finally:
        model.train(was_training)
    sum_over_ranks(sums)
    loss, samples, right, targets = sums
    return Validation(float(loss / samples), float(right / targets) if targets else None)


def _sums(model: nn.Module, split: Samples, indices: Any) -> tuple[float, int, float, int]:
    """Return the loss of one batch, its samples, the correctly predicted targets, and all targets."""
    device = next(model.parameters()).device
    inputs, targets = (tensor.to(device) for tensor in split.batch(indices))
    outputs = model(inputs)
    right, counted = correct(model, outputs, targets)
    return float(loss_of(model)(outputs, targets)), len(targets), right, counted
