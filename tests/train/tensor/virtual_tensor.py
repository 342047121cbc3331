"""Ranks that divide a model, as threads of one process; and one process that trains the whole model."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.train import data, models
from ringscope.train.inputs import Inputs
from ringscope.train.tensor.job import tensor_trainer
from ringscope.train.trainer import Trainer

_SEED = threading.Lock()
_CPU = torch.device("cpu")
BASE: dict[str, Any] = {
    "strategy": "tensor",
    "all_reduce": "ring",
    "dataset": {"name": "synthetic", "samples": 120},
    "global_batch_size": 12,
    "max_steps": 4,
    "learning_rate": 0.05,
}
MLP: dict[str, Any] = {"model": "mlp", "model_arguments": {"hidden": 12, "layers": 3}}
GPT: dict[str, Any] = {"model": "gpt", "model_arguments": {"layers": 2, "heads": 4, "width": 16, "context": 8}}


def spec_of(**options: Any) -> TrainingSpec:
    """A small divided model, with these options."""
    return TrainingSpec.model_validate(BASE | options)


def assembled(comm: Any, spec: TrainingSpec, emit: Any, folder: Path | None = None) -> Trainer:
    """The trainer of a virtual rank."""
    dataset = data.load(spec)
    with _SEED:  # PyTorch's generator is shared by all threads
        module = models.build(spec, dataset)
    return tensor_trainer(Inputs(comm, spec, dataset, module, _CPU, emit, folder))


def trained(ranks: int, spec: TrainingSpec, folder: Path | None = None) -> list[tuple[torch.nn.Module, list[Record]]]:
    """The whole model and the records of each rank after the job; all ranks are on one node."""

    def program(comm: Any) -> tuple[torch.nn.Module, list[Record]]:
        records: list[Record] = []
        trainer = assembled(comm, spec, records.append, folder)
        trainer.run()
        module = trainer.module
        trainer.close()
        return module, records

    return on_ranks(ranks, program, VirtualCommunicator)


def assert_equal(one: torch.nn.Module, other: torch.nn.Module) -> None:
    """The parameters are equal to rounding."""
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.allclose(mine, theirs, rtol=1e-4, atol=2e-6)
