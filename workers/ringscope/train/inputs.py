"""The inputs from which a strategy assembles its trainer on a rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.train import data, models
from ringscope.train.checkpoints import Checkpoints, Trained
from ringscope.train.data import Dataset
from ringscope.train.own_state import OwnState
from ringscope.train.replica import Replica
from ringscope.train.samples import Samples
from ringscope.train.sums.gradient_sum import GradientSum
from ringscope.train.sums.sum_checks import SumChecks
from ringscope.train.trainer import Checkpointer, Learner, Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


@dataclass(frozen=True)
class Material:
    """Functions that load the samples, and build a model for them: those of the specification, or of a script."""

    dataset: Callable[[TrainingSpec], Dataset] = data.load
    model: Callable[[TrainingSpec, Dataset], torch.nn.Module] = models.build


FROM_SPEC = Material()


@dataclass(frozen=True, slots=True)
class Inputs:
    """The job's specification and data on this rank; ``folder``, ``earlier`` and ``memory`` are as in ``Checkpoints``.

    ``module`` has the first parameters, on ``device``. ``fault`` is injected (``rank_process.FAULT_VARIABLE``).
    """

    comm: Communicator
    spec: TrainingSpec
    dataset: Dataset
    module: torch.nn.Module
    device: torch.device
    emit: Callable[[Record], None]
    folder: Path | None = None
    earlier: Path | None = None
    fault: str = ""
    memory: Path | None = None

    def replica(self, sums: GradientSum, optimizer: torch.optim.Optimizer) -> Replica:
        """Return the replica that trains ``module`` with these sums."""
        return Replica(self.spec, self.module, sums, optimizer, models.loss_of(self.module), self.device, self.fault)

    def checkpoints(
        self, replica: Trained, optimizer: torch.optim.Optimizer, own_state: OwnState | None = None
    ) -> Checkpoints:
        """Return the checkpoints of ``replica`` (collective)."""
        return Checkpoints(self.comm, replica, optimizer, own_state, self.folder, self.earlier, self.memory)

    def trainer(
        self, learner: Learner, sums: GradientSum, checkpoints: Checkpointer, samples: Samples | None = None
    ) -> Trainer:
        """Return the trainer, which resumes from ``checkpoints`` (collective)."""
        checks = SumChecks.of(self.comm, self.spec, sums)
        return Trainer(
            self.comm, self.spec, self.dataset, learner, sums, checkpoints, self.emit, self.fault, samples, checks
        )
