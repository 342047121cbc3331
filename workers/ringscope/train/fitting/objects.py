"""The specification and the material of a training whose model and samples are objects of a script."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from torch import Tensor, nn

from ringscope.contracts.findings import field_errors
from ringscope.contracts.training import DatasetSpec, TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train import data, models
from ringscope.train.data import Dataset
from ringscope.train.data.own import dataset_of
from ringscope.train.inputs import Material
from ringscope.train.models import own
from ringscope.train.own.file import a
from ringscope.train.own.given import Given

Loss = Callable[[Tensor, Tensor], Tensor]
_ALIASES = {"batch_size": "global_batch_size"}
_OF_THE_DATASET = frozenset(DatasetSpec.model_fields) - {"name", "file", "load"}
_OF_THE_CALL = frozenset({"strategy", "model", "dataset"})


def spec_of(strategy: str, options: Mapping[str, Any], model: Any = None, samples: Any = None) -> TrainingSpec:
    """Return the specification; EngineError says in one sentence what does not fit.

    ``options`` are fields of a training job or of its dataset. ``model`` and ``samples`` are as in ``material_of``; for
    None the specification has its defaults, so that only the options are checked.
    """
    fields = {_ALIASES.get(name, name): value for name, value in options.items()}
    for name in _OF_THE_CALL & fields.keys():
        raise EngineError(f"{name}: this is no option; pass model and data to fit, and choose the strategy's class.")
    dataset = {name: fields.pop(name) for name in _OF_THE_DATASET & fields.keys()}
    file = _script()
    if isinstance(model, str):
        fields["model"] = model
    elif model is not None:
        fields["model"] = {"file": file, "build": type(model).__name__}
    if isinstance(samples, str):
        dataset["name"] = samples
    elif samples is not None:
        dataset |= {"name": "own", "file": file, "load": "data"}
    if samples is not None or dataset:
        fields["dataset"] = dataset
    try:
        if samples is None:
            fields.pop("dataset", None)  # the options that it takes depend on the samples
        return TrainingSpec.model_validate({"strategy": strategy} | fields)
    except ValidationError as error:
        raise EngineError(field_errors(error)[0].detail) from None


def material_of(model: Any, samples: Any, loss: Loss | None) -> Material:
    """Return the functions that give a training these objects.

    Args: model: a module, or the name of a model. samples: a dataset, a pair of datasets for training and validation, a
    pair of tensors or arrays (inputs, targets), or the name of a dataset. loss: of a module; None: its method.
    """
    if not isinstance(model, str | nn.Module):
        raise Given("model").is_not(a(model), "a torch.nn.Module, or the name of a model")
    if isinstance(model, str) and loss is not None:
        raise EngineError(f"loss: {model} has its own; leave loss out.")
    return Material(
        data.load if isinstance(samples, str) else partial(_dataset, samples),
        models.build if isinstance(model, str) else partial(_adopted, model, loss),
    )


def _dataset(samples: Any, spec: TrainingSpec) -> Dataset:
    return dataset_of(_together(samples), Given("data"), spec)


def _adopted(module: nn.Module, loss: Loss | None, spec: TrainingSpec, dataset: Dataset) -> nn.Module:
    own.adopt(module, loss, Given("model"), dataset)
    return module


def _together(samples: Any) -> Any:
    """Make a dataset of inputs and targets; return anything else as it is."""
    if not (isinstance(samples, tuple) and len(samples) == 2):
        return samples
    if not all(isinstance(part, Tensor | np.ndarray) for part in samples):
        return samples
    inputs, targets = map(torch.as_tensor, samples)
    if len(inputs) != len(targets):
        raise EngineError(f"data: there are {len(inputs)} inputs and {len(targets)} targets; give equally many.")
    return torch.utils.data.TensorDataset(inputs, targets)


def _script() -> str:
    """Return the name of the running script, as a specification names a file."""
    name = Path(sys.argv[0] if sys.argv else "").name
    return name if name.endswith(".py") else "script.py"
