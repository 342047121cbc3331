"""Models, a module for each name, which documents its ``model_arguments``."""

from collections.abc import Callable
from math import prod

import torch
from torch import Tensor, nn
from torch.nn import functional

from ringscope.contracts.training import OwnModel, TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.data import Dataset
from ringscope.train.models import own
from ringscope.train.models.cnn import cnn
from ringscope.train.models.gpt import Gpt
from ringscope.train.models.layers import Layer, layers_of
from ringscope.train.models.mlp import mlp
from ringscope.train.models.pairs import Pair, pairs_of
from ringscope.train.models.resnet18 import ResNet18

__all__ = [
    "Layer",
    "Pair",
    "build",
    "correct",
    "layers_of",
    "loss_of",
    "loss_sum",
    "pairs_of",
    "parameter_count",
]

_MODELS: dict[str, Callable[..., nn.Module]] = {"cnn": cnn, "gpt": Gpt, "mlp": mlp, "resnet18": ResNet18}


def build(spec: TrainingSpec, dataset: Dataset) -> nn.Module:
    """Build the job's model for samples like the dataset's, on the CPU; the seed determines its first parameters."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(spec.seed)
        if isinstance(spec.model, OwnModel):
            return own.build(spec.model, spec.model_arguments, dataset)
        if not dataset.classes:
            raise EngineError(
                f"training.dataset.load: {spec.model} needs the number of classes; give the dataset an attribute "
                "classes, or train a model of your own."
            )
        return _MODELS[spec.model](dataset.shape, dataset.classes, **spec.sizes())


def loss_of(model: nn.Module) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the function that sums the losses of samples: ``loss_sum`` for our models, else the model's own loss."""
    functions = own.functions_of(model)
    return functions.loss_sum if functions else loss_sum


def correct(model: nn.Module, outputs: Tensor, targets: Tensor) -> tuple[float, int]:
    """Return how many targets are predicted correctly, and of how many; of 0 if the model has no accuracy.

    An own model has one if it has a method ``accuracy``, which returns a share, or if its targets are classes.
    """
    functions = own.functions_of(model)
    if functions and functions.accuracy:
        return float(functions.accuracy(outputs, targets)) * len(targets), len(targets)
    if functions and (targets.is_floating_point() or outputs.shape[:-1] != targets.shape):
        return 0.0, 0
    return float((outputs.argmax(dim=-1) == targets).sum()), targets.numel()


def loss_sum(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the sum of the samples' losses: the cross entropy, for a sequence the mean over its tokens.

    It is a sum and not a mean, so that parts of a batch may have any size: divide by the samples of all parts to get
    the mean.
    """
    logits = outputs.float().reshape(-1, outputs.shape[-1])
    return functional.cross_entropy(logits, targets.reshape(-1), reduction="sum") / prod(targets.shape[1:])


def parameter_count(model: nn.Module) -> int:
    """Return the number of trainable parameters; shared ones count once."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
