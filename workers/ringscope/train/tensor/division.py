"""The model of one rank: a part of each pair of linear layers, and everything else as it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from ringscope.train.models import pairs_of
from ringscope.train.tensor.activation_sums import ActivationSums
from ringscope.train.tensor.layers import FirstLayer, SecondLayer


@dataclass(frozen=True, slots=True)
class Cut:
    """A tensor's dimension ``dim`` has ``groups`` equal groups, each of which is divided over ``ranks``."""

    dim: int
    groups: int
    ranks: int

    def part(self, whole: torch.Tensor, rank: int) -> torch.Tensor:
        """Return the elements of a rank; they may be a view."""
        return self._view(whole, rank).flatten(self.dim, self.dim + 1)

    def put(self, whole: torch.Tensor, rank: int, part: torch.Tensor) -> None:
        """Write the elements of a rank into the whole tensor."""
        self._view(whole, rank).copy_(part.unflatten(self.dim, (self.groups, -1)))

    def _view(self, whole: torch.Tensor, rank: int) -> torch.Tensor:
        return whole.unflatten(self.dim, (self.groups, self.ranks, -1)).select(self.dim + 1, rank)


@dataclass(frozen=True, slots=True)
class Share:
    """A trained parameter of the whole model, and this rank's part of it; without a cut both are one object."""

    whole: nn.Parameter
    mine: nn.Parameter
    cut: Cut | None


def divide(module: nn.Module, rank: int, ranks: int, sums: ActivationSums) -> tuple[nn.Module, list[Share]]:
    """Return this rank's model, and the shares in the order of the parameters of ``module``.

    The ranks must divide the outputs of the first layer of each pair. The two models share what is not divided: its
    gradient is the same on every rank, because every rank computes it from the same numbers.
    """
    mine = copy.deepcopy(module, {id(tensor): tensor for tensor in _tensors(module)})
    cuts: dict[int, Cut] = {}
    for pair in pairs_of(module):
        outputs, inputs = Cut(0, pair.groups, ranks), Cut(1, 1, ranks)
        for name, kind, cut in ((pair.first, FirstLayer, outputs), (pair.second, SecondLayer, inputs)):
            linear = mine.get_submodule(name)
            assert isinstance(linear, nn.Linear), "pairs are of linear layers"
            weight, bias = _part(linear.weight, cut, rank), linear.bias
            cuts[id(weight)] = cut
            if kind is FirstLayer:
                bias = _part(bias, cut, rank)
                cuts[id(bias)] = cut
            _replace(mine, name, kind(weight, bias, sums, name))
    parameters = zip(module.parameters(), mine.parameters(), strict=True)
    return mine, [Share(whole, own, cuts.get(id(own))) for whole, own in parameters if whole.requires_grad]


def _part(parameter: nn.Parameter, cut: Cut, rank: int) -> nn.Parameter:
    return nn.Parameter(cut.part(parameter.detach(), rank).clone(memory_format=torch.contiguous_format))


def _replace(module: nn.Module, name: str, layer: nn.Module) -> None:
    parent, _, last = name.rpartition(".")
    setattr(module.get_submodule(parent), last, layer)


def _tensors(module: nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()
