"""Train by a strategy until the end; afterwards every rank has the trained model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import Epoch
from ringscope.engine.errors import EngineError
from ringscope.train.inputs import Material
from ringscope.train.program import assemble, wanted_device
from ringscope.train.sums.buckets import require_shapes

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_COLUMNS = ("training_loss", "validation_loss", "validation_accuracy", "samples", "duration_us")


@dataclass(frozen=True)
class Fitted:
    """The trained model, and the figures of each epoch, equal on every rank.

    ``history`` has a list by ``training_loss``, ``validation_loss``, ``validation_accuracy`` (None where a model has no
    accuracy) and ``samples_per_second``.
    """

    model: torch.nn.Module
    history: dict[str, list[float | None]]


def fit(
    comm: Communicator,
    spec: TrainingSpec,
    material: Material,
    emit: Callable[[Record], None],
    module: torch.nn.Module | None = None,
) -> Fitted:
    """Train as ``spec`` says and report to ``emit`` (collective); ``module`` is the script's own model, if it is one.

    All ranks begin with rank 0's parameters. EngineError in one sentence if that is not possible, DifferenceError if
    replicas differ that must be equal.
    """
    _refuse(comm, spec)
    if module is not None:
        require_shapes(module.parameters())
        _broadcast(comm, module)
    epochs: list[Epoch] = []
    trainer = assemble(comm, spec, _noting(epochs, emit), material=material)
    trainer.run()
    trained: torch.nn.Module | None = getattr(trainer, "module", None)
    trainer.close()
    if trained is None:  # a server has none
        trained = material.model(spec, material.dataset(spec)) if module is None else module
    for parameter in trained.parameters():
        parameter.grad = None  # it is memory of the sums
    _broadcast(comm, trained)
    return Fitted(trained, _history(comm, epochs))


def _refuse(comm: Communicator, spec: TrainingSpec) -> None:
    if (found := spec.check_ranks(comm.size)) is not None:
        raise EngineError(": ".join(found))
    if comm.gpu is not None and wanted_device(spec) == "cpu":
        raise EngineError(
            f"strategy: {spec.strategy} works in host memory, but these ranks have GPUs; set CUDA_VISIBLE_DEVICES to "
            "nothing for them."
        )


def _broadcast(comm: Communicator, module: torch.nn.Module) -> None:
    """Give all ranks rank 0's parameters and buffers (collective)."""
    if comm.size == 1:
        return
    with torch.no_grad():
        for tensor in _tensors(module):
            values = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().copy()
            comm.broadcast(values, 0)
            tensor.copy_(torch.from_numpy(values).view(tensor.dtype).reshape(tensor.shape))


def _tensors(module: torch.nn.Module) -> Iterable[torch.Tensor]:
    return (tensor for _, tensor in sorted(module.state_dict().items()) if tensor.numel())


def _noting(epochs: list[Epoch], emit: Callable[[Record], None]) -> Callable[[Record], None]:
    """Return ``emit`` that also keeps and prints the epochs, which only one rank reports."""

    def note(record: Record) -> None:
        emit(record)
        if isinstance(record, Epoch):
            epochs.append(record)
            sys.stdout.write(_line(record) + "\n")
            sys.stdout.flush()

    return note


def _line(epoch: Epoch) -> str:
    accuracy = "" if epoch.validation_accuracy is None else f", accuracy {epoch.validation_accuracy:.1%}"
    validation = "" if epoch.validation_loss is None else f", held-out loss {epoch.validation_loss:.4g}{accuracy}"
    return f"epoch {epoch.epoch}: loss {epoch.training_loss:.4g}{validation}, {_rate(epoch):.0f} samples/s"


def _rate(epoch: Epoch) -> float:
    return epoch.samples / max(1.0, epoch.duration_us) * 1e6


def _history(comm: Communicator, epochs: list[Epoch]) -> dict[str, list[float | None]]:
    """Return the figures of rank 0's epochs (collective)."""
    count = np.array([len(epochs)], np.int64)
    comm.broadcast(count, 0)
    rows = np.full((int(count[0]), len(_COLUMNS)), np.nan)
    for row, epoch in zip(rows, epochs, strict=False):
        row[:] = [np.nan if (value := getattr(epoch, name)) is None else value for name in _COLUMNS]
    if rows.size:
        comm.broadcast(rows, 0)
    losses = {
        name: [None if np.isnan(value) else float(value) for value in rows[:, number]]
        for number, name in enumerate(_COLUMNS[:3])
    }
    return losses | {"samples_per_second": [float(row[3] / max(1.0, row[4]) * 1e6) for row in rows]}
