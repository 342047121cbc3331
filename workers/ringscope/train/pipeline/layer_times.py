"""Measure the layers of a model: the time of forward and backward, and the shape of each output."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch

from ringscope.train.models import Layer

_ROUNDS = 5


def layer_times_us(
    layers: Sequence[Layer],
    inputs: torch.Tensor,
    close: Callable[[torch.Tensor], torch.Tensor],
    autocast: Callable[[], AbstractContextManager[object]],
) -> list[float]:
    """Return the shortest time of forward and backward of each layer; the last one includes ``close``, the loss.

    The shortest of several times is the least disturbed one. ``.grad`` is left alone.
    """
    rounds = []
    for _ in range(1 + _ROUNDS):  # the first one also allocates
        times, given = [], inputs
        for number, layer in enumerate(layers):
            given = given.detach()
            if given.is_floating_point():
                given.requires_grad_()
            start = time.perf_counter()
            with autocast():
                output = layer.run(given)
            result = close(output) if number == len(layers) - 1 else output
            wanted = [*layer.parameters, *([given] if given.requires_grad else [])]
            torch.autograd.grad(result, wanted, torch.ones_like(result), allow_unused=True)
            times.append((time.perf_counter() - start) * 1e6)
            given = output
        rounds.append(times)
    return [float(shortest) for shortest in np.min(rounds[1:], axis=0)]


def output_shapes(layers: Sequence[Layer], inputs: torch.Tensor) -> list[tuple[int, ...]]:
    """Return the shape of each layer's output for one sample, without the first dimension."""
    shapes, given = [], inputs
    with torch.no_grad():
        for layer in layers:
            given = layer.run(given)
            shapes.append(tuple(given.shape[1:]))
    return shapes
