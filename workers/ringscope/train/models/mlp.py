"""A multilayer perceptron: it computes little per parameter, so communication dominates."""

from itertools import pairwise
from math import prod

from torch import nn


def mlp(shape: tuple[int, ...], classes: int, *, hidden: int, layers: int) -> nn.Sequential:
    """``layers`` layers of ``hidden`` units with ReLU on the flattened picture, then one unit for each class."""
    widths = [prod(shape), *[hidden] * layers]
    steps: list[nn.Module] = [nn.Flatten()]
    for inputs, outputs in pairwise(widths):
        steps += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*steps, nn.Linear(widths[-1], classes))
