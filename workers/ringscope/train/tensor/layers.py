"""A pair of linear layers of which each rank has a part."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ringscope.train.tensor.activation_sums import ActivationSums


class FirstLayer(nn.Module):
    """Some outputs of a linear layer. Backward, the parts of its input's gradient are summed over all ranks."""

    def __init__(self, weight: nn.Parameter, bias: nn.Parameter | None, sums: ActivationSums, name: str) -> None:
        """``weight`` and ``bias`` are those of this rank's outputs; ``name`` is that of the whole layer."""
        super().__init__()
        self.weight, self.bias = weight, bias
        self._sums, self._name = sums, name

    def forward(self, inputs: Tensor) -> Tensor:
        """Return this rank's outputs for inputs that are equal on all ranks."""
        return functional.linear(_SummedBackward.apply(inputs, self._sums, self._name), self.weight, self.bias)


class SecondLayer(nn.Module):
    """A linear layer from some of its inputs. Forward, the parts of its output are summed over all ranks."""

    def __init__(self, weight: nn.Parameter, bias: nn.Parameter | None, sums: ActivationSums, name: str) -> None:
        """``weight`` is that of this rank's inputs; ``bias`` is the whole one, which each rank adds to the sum."""
        super().__init__()
        self.weight, self.bias = weight, bias
        self._sums, self._name = sums, name

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the layer's whole output, from this rank's inputs."""
        summed: Tensor = _SummedForward.apply(functional.linear(inputs, self.weight), self._sums, self._name)
        return summed if self.bias is None else summed + self.bias.to(summed.dtype)


class _SummedBackward(torch.autograd.Function):
    """The paper's f."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, sums: ActivationSums, name: str) -> Tensor:
        ctx.sums, ctx.name = sums, name
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return ctx.sums.total(gradient, ctx.name, "backward"), None, None


class _SummedForward(torch.autograd.Function):
    """The paper's g."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, sums: ActivationSums, name: str) -> Tensor:
        return sums.total(inputs, name, "forward")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient, None, None
