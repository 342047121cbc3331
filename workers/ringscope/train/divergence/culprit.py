"""The rank and layer at which numbers stopped being finite, found by computing a step's gradient once more.

Only a step that went wrong is computed again, so a good step costs nothing. Before the update all parameters are those
of the step, and no model here draws random numbers, so the second computation repeats the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.training.record import DivergedAt

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_Batch = tuple[torch.Tensor, torch.Tensor]
LossOf = Callable[[torch.nn.Module, torch.Tensor, torch.Tensor], torch.Tensor]
_KINDS: tuple[DivergedAt, ...] = ("samples", "output", "gradient")


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first numbers of a rank that were not finite: samples, a layer's output, or a layer's gradient."""

    rank: int
    at: DivergedAt
    layer: str | None  # None for samples, and where only the loss itself is not finite


def find_culprit(module: torch.nn.Module, loss_of: LossOf, parts: Iterable[_Batch], rank: int) -> Culprit | None:
    """Compute forward and backward of each part; return the first numbers that are not finite, None if all are.

    ``.grad`` is left alone. A forward pass is searched from its beginning, a backward pass from its own.
    """
    for inputs, targets in parts:
        if not is_finite(inputs):
            return Culprit(rank, "samples", None)
        found = _layers_with_bad_outputs(module, loss_of, inputs, targets)
        if found is not None:
            return Culprit(rank, found[0], found[1])
    return None


def first_culprit(comm: Communicator, module: torch.nn.Module, mine: Culprit | None) -> Culprit | None:
    """Return the lowest rank's culprit on every rank; None if no rank has one (collective)."""
    layers: list[str | None] = [None, *(name for name, _ in module.named_modules())]
    codes = np.zeros(comm.size, np.int64)
    if mine is not None:
        codes[comm.rank] = 1 + _KINDS.index(mine.at) + len(_KINDS) * layers.index(mine.layer)
    for rank, code in enumerate(comm.maximum(codes).tolist()):
        if code:
            layer, kind = divmod(code - 1, len(_KINDS))
            return Culprit(rank, _KINDS[kind], layers[layer])
    return None


def is_finite(tensor: torch.Tensor) -> bool:
    """Return whether all numbers are finite, and so is their sum, which takes a tenth of the time of isfinite."""
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor.detach().sum()))


def _layers_with_bad_outputs(
    module: torch.nn.Module, loss_of: LossOf, inputs: torch.Tensor, targets: torch.Tensor
) -> tuple[DivergedAt, str | None] | None:
    bad: list[str] = []

    def note(name: str) -> Callable[..., None]:
        def look(layer: torch.nn.Module, received: object, output: object) -> None:
            if isinstance(output, torch.Tensor) and not is_finite(output):
                bad.append(name)

        return look

    hooks = [layer.register_forward_hook(note(name)) for name, layer in module.named_modules() if name]
    try:
        loss = loss_of(module, inputs, targets)
    finally:
        for hook in hooks:
            hook.remove()
    if bad:
        return "output", bad[0]
    if not is_finite(loss):
        return "output", None
    named = [(name, parameter) for name, parameter in module.named_parameters() if parameter.requires_grad]
    gradients = torch.autograd.grad(loss, [parameter for _, parameter in named], allow_unused=True)
    for (name, _), gradient in reversed(list(zip(named, gradients, strict=True))):
        if gradient is not None and not is_finite(gradient):
            return "gradient", name.rpartition(".")[0]
    return None
