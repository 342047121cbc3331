"""The layers of a model in order, between which a pipeline can cut it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import Tensor, nn

from ringscope.engine.errors import EngineError


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

    def layers(self) -> list[Layer] | list[nn.Module]:
        """Return the layers in order; a module is a layer too."""


def layers_of(model: nn.Module) -> list[Layer]:
    """Return the layers of a model; of a torch.nn.Sequential each has parameters.

    EngineError for an own model that is not a Sequential and has no method ``layers``.
    """
    if isinstance(model, Layered):
        assert isinstance(model, nn.Module)
        names = {id(module): name for name, module in model.named_modules()}
        return [
            Layer.of(names.get(id(each), str(place)), each) if isinstance(each, nn.Module) else each
            for place, each in enumerate(model.layers())
        ]
    if not isinstance(model, nn.Sequential):
        raise EngineError(
            f"training.strategy: pipeline cuts a model between its layers, and {type(model).__name__} does not say "
            "what they are; build a torch.nn.Sequential, or add a method layers that returns its modules in order."
        )
    groups: list[tuple[str, list[nn.Module]]] = []
    before: list[nn.Module] = []  # modules without parameters in front of the first layer
    for name, module in model.named_children():
        if next(module.parameters(), None) is not None:
            groups.append((name, [*before, module]))
            before = []
        else:
            (groups[-1][1] if groups else before).append(module)
    return [Layer.of(name, *modules) for name, modules in groups]
