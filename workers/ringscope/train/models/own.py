"""A model of the user's own, with its loss, its accuracy and its layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ringscope.contracts.training import OwnModel
from ringscope.engine.errors import EngineError
from ringscope.train.data import Dataset
from ringscope.train.own import OwnFunction
from ringscope.train.own.file import a, place_of
from ringscope.train.own.given import Source

_FUNCTIONS = "_ringscope_functions"  # attribute of the module, outside of its parameters and submodules
_TRIED = 2  # samples of the trial
_EXPECTED = "return a torch.nn.Module with a method loss(outputs, targets), or a pair of a module and its loss"


@dataclass(frozen=True)
class Functions:
    """The loss of an own model, a mean over samples, and the share of targets that it predicts correctly."""

    loss: Callable[[Tensor, Tensor], Tensor]
    accuracy: Callable[[Tensor, Tensor], float | Tensor] | None = None

    def loss_sum(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the sum of the samples' losses."""
        if not len(targets):
            return outputs.sum() * 0  # a mean of nothing is not a number
        return self.loss(outputs, targets) * len(targets)


def functions_of(module: nn.Module) -> Functions | None:
    """Return the loss and accuracy of an own model; None for one of ours."""
    found: Functions | None = getattr(module, _FUNCTIONS, None)
    return found


def build(spec: OwnModel, arguments: Mapping[str, int], dataset: Dataset) -> nn.Module:
    """Build the model and try it with two samples; EngineError says in a sentence what does not fit.

    The trial leaves parameters, buffers and the generators of random numbers as they were.
    """
    function = OwnFunction("training.model.file", spec.file, "training.model.build", spec.build)
    module, functions = _parts(function, function.call("training.model_arguments", arguments))
    if not any(parameter.requires_grad for parameter in module.parameters()):
        raise EngineError(f"training.model.build: the {_name(module)} of {function} has no parameters to train.")
    object.__setattr__(module, _FUNCTIONS, functions)
    _try("training.model", function.path, module, functions, dataset)
    return module


def adopt(module: nn.Module, loss: Callable[[Tensor, Tensor], Tensor] | None, source: Source, dataset: Dataset) -> None:
    """Make a script's own module one that can be trained here, and try it, as ``build`` does.

    Args: loss: the mean over samples; None: the module's method ``loss``. source: the script.
    """
    wanted = loss or getattr(module, "loss", None)
    if not callable(wanted):
        raise EngineError(
            f"loss: {_name(module)} has no method loss(outputs, targets); pass loss, such as "
            "torch.nn.CrossEntropyLoss()."
        )
    if not any(parameter.requires_grad for parameter in module.parameters()):
        raise EngineError(f"model: {_name(module)} has no parameters to train.")
    accuracy = getattr(module, "accuracy", None)
    functions = Functions(wanted, accuracy if callable(accuracy) else None)
    object.__setattr__(module, _FUNCTIONS, functions)
    _try("model", source.path, module, functions, dataset)


def has_state(module: nn.Module) -> bool:
    """Return whether a model has state besides its parameters, such as the running means of BatchNorm."""
    return bool(set(module.state_dict()) - {name for name, _ in module.named_parameters(remove_duplicate=False)})


def _parts(function: OwnFunction, found: Any) -> tuple[nn.Module, Functions]:
    loss = None
    if isinstance(found, tuple) and len(found) == 2:
        found, loss = found
        if not callable(loss):
            raise EngineError(f"training.model.build: the loss of {function} is {a(loss)}; {_EXPECTED}.")
    if not isinstance(found, nn.Module):
        raise EngineError(f"training.model.build: {function} returned {a(found)}; {_EXPECTED}.")
    loss = loss or getattr(found, "loss", None)
    if not callable(loss):
        raise EngineError(f"training.model.build: the {_name(found)} of {function} has no loss; {_EXPECTED}.")
    accuracy = getattr(found, "accuracy", None)
    return found, Functions(loss, accuracy if callable(accuracy) else None)


def _try(field: str, path: Path, module: nn.Module, functions: Functions, dataset: Dataset) -> None:
    """Compute loss and gradient of two samples."""
    inputs, targets = dataset.training.batch(torch.arange(min(_TRIED, len(dataset.training))))
    before = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
    kind = f"shape {tuple(inputs.shape[1:])} and type {str(inputs.dtype).removeprefix('torch.')}"
    try:
        outputs = module(inputs)
    except Exception as error:
        where = place_of(error, path)
        raise EngineError(f"{field}: {_name(module)} does not take samples of {kind}: {where}.") from None
    what = f"{field}: the loss of {_name(module)}"
    try:
        loss = functions.loss(outputs, targets)
    except Exception as error:
        raise EngineError(f"{what} failed for two samples: {place_of(error, path)}.") from None
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        shape = f" of shape {tuple(loss.shape)}" if isinstance(loss, Tensor) else ""
        raise EngineError(f"{what} is {a(loss)}{shape}; return one number, the mean over the samples.")
    if not loss.requires_grad:
        raise EngineError(f"{what} does not depend on parameters that are trained; compute it from the outputs.")
    for name, buffer in module.named_buffers():
        buffer.detach().copy_(before[name])


def _name(module: nn.Module) -> str:
    return type(module).__name__
