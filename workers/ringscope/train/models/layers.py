"""The layers of a model in order, between which a pipeline can cut it."""

from collections.abc import Callable, Sequence
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
    """Return the layers of a model; modules without parameters belong to the layer before them, or else after them.

    EngineError for an own model that is not a torch.nn.Sequential and has no method ``layers``.
    """
    # a model of the user's may have an attribute of that name, such as a ModuleList
    if isinstance(model, Layered) and callable(getattr(type(model), "layers", None)):
        assert isinstance(model, nn.Module)
        found = model.layers()
        names = {id(module): name for name, module in model.named_modules()}
        modules = [each for each in found if isinstance(each, nn.Module)]
        if not modules:
            return [each for each in found if isinstance(each, Layer)]
        return _grouped([(names.get(id(each), str(place)), each) for place, each in enumerate(modules)])
    if not isinstance(model, nn.Sequential):
        raise EngineError(
            f"training.strategy: pipeline cuts a model between its layers, and {type(model).__name__} does not say "
            "what they are; build a torch.nn.Sequential, or add a method layers that returns its modules in order."
        )
    return _grouped(list(model.named_children()))


def _grouped(modules: Sequence[tuple[str, nn.Module]]) -> list[Layer]:
    groups: list[tuple[str, list[nn.Module]]] = []
    before: list[nn.Module] = []  # modules without parameters in front of the first layer
    for name, module in modules:
        if next(module.parameters(), None) is not None:
            groups.append((name, [*before, module]))
            before = []
        else:
            (groups[-1][1] if groups else before).append(module)
    return [Layer.of(name, *modules) for name, modules in groups]
