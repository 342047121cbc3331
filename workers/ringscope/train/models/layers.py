"""The layers of a model in order, between which a pipeline can cut it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Layer:
    """A function of the previous layer's output, with all parameters that it uses; a model is all its layers in order.

    Two layers may share a parameter. ``name`` is that of its module in the model, for messages.
    """

    name: str
    run: Callable[[Tensor], Tensor]
    parameters: tuple[nn.Parameter, ...]

    @classmethod
    def of(cls, name: str, *modules: nn.Module) -> "Layer":
        """Return the layer that is these modules, one after another."""
        whole = modules[0] if len(modules) == 1 else nn.Sequential(*modules)
        return cls(name, whole, tuple(whole.parameters()))


@runtime_checkable
class Layered(Protocol):
    """A model that says what its layers are."""

    def layers(self) -> list[Layer]:
        """Return the layers in order."""


def layers_of(model: nn.Module) -> list[Layer]:
    """Return the layers of one of our models; each has parameters."""
    if isinstance(model, Layered):
        return model.layers()
    if not isinstance(model, nn.Sequential):
        raise TypeError(f"{type(model).__name__} does not say what its layers are")
    groups: list[tuple[str, list[nn.Module]]] = []
    before: list[nn.Module] = []  # modules without parameters in front of the first layer
    for name, module in model.named_children():
        if next(module.parameters(), None) is not None:
            groups.append((name, [*before, module]))
            before = []
        else:
            (groups[-1][1] if groups else before).append(module)
    return [Layer.of(name, *modules) for name, modules in groups]
