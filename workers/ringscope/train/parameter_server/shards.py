"""The parameters as one vector, with the optimizer's state below it, and the part of both that each server holds."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


def shards(elements: int, servers: int) -> list[slice]:
    """Return equal parts, regardless of layers; the first ones get one element more if the division leaves a
    remainder.
    """
    each, rest = divmod(elements, servers)
    starts = [server * each + min(server, rest) for server in range(servers + 1)]
    return [slice(start, end) for start, end in pairwise(starts)]


class FlatModel:
    """A model whose parameters are a row of a table, and whose gradients are a vector; writing to them changes the
    model.

    Row 0 of ``rows`` holds the parameters, the others hold the optimizer's state for them.
    """

    def __init__(self, module: nn.Module, names: Sequence[str]) -> None:
        self.module = module
        self.trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
        first = torch.cat([parameter.detach().reshape(-1) for parameter in self.trained])
        self.rows, self.gradients = first.new_zeros(1 + len(names), first.numel()), torch.zeros_like(first)
        self.rows[0] = first
        views = zip(self.trained, _views(self.rows[0], self.trained), _views(self.gradients, self.trained), strict=True)
        for parameter, values, gradient in views:
            parameter.data, parameter.grad = values, gradient


def bind(
    optimizer: torch.optim.Optimizer, parameters: Sequence[Tensor], rows: Tensor, names: Sequence[str], steps: int
) -> None:
    """Place the optimizer's state after ``steps`` steps in the rows below the parameters.

    PyTorch's optimizers begin with zeros, so the optimizer need not have made a step.
    """
    kept = [_views(row, parameters) for row in rows[1:]]
    for number, parameter in enumerate(parameters):
        state = {name: views[number] for name, views in zip(names, kept, strict=True)}
        optimizer.state[parameter] = state | ({"step": torch.tensor(float(steps))} if "exp_avg" in names else {})


def _views(flat: Tensor, like: Iterable[Tensor]) -> list[Tensor]:
    parts = flat.split([tensor.numel() for tensor in like])
    return [part.view(tensor.shape) for part, tensor in zip(parts, like, strict=True)]
