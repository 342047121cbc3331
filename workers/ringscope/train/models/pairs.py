"""The pairs of linear layers of a model, which tensor parallelism divides over ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import nn


@dataclass(frozen=True, slots=True)
class Pair:
    """Two linear layers by their names in the model: nothing between them mixes the outputs of the first one.

    The outputs of the first one are ``groups`` equal groups, each of which is divided over the ranks.
    """

    first: str
    second: str
    groups: int = 1


@runtime_checkable
class Paired(Protocol):
    """A model that says what its pairs are."""

    def pairs(self) -> list[Pair]:
        """Return the pairs in the order of the forward pass."""


def pairs_of(model: nn.Module) -> Sequence[Pair]:
    """Return the pairs of one of our models; of linear layers in a row each two are one, and a last one is in none."""
    if isinstance(model, Paired):
        return model.pairs()
    if not isinstance(model, nn.Sequential):
        raise TypeError(f"{type(model).__name__} does not say what its pairs of linear layers are")
    names = [name for name, module in model.named_children() if isinstance(module, nn.Linear)]
    return [Pair(first, second) for first, second in zip(names[::2], names[1::2], strict=False)]
