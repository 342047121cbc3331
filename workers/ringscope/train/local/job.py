"""A rank of a job with local SGD."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.words.units import format_size
from ringscope.train.course import course_of
from ringscope.train.data import Dataset, Split
from ringscope.train.inputs import Inputs
from ringscope.train.local.labelled_samples import LabelledSamples
from ringscope.train.local.local_steps import LocalSteps
from ringscope.train.optimizer import build_optimizer
from ringscope.train.own_state import OwnState
from ringscope.train.samples import Samples, SharedSamples
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class LocalState:
    """State of one rank between two averages: that of its own optimizer, and the outer momentum."""

    def __init__(self, optimizer: torch.optim.Optimizer, steps: LocalSteps) -> None:
        self._optimizer, self._steps = optimizer, steps

    def state_dict(self) -> dict[str, Any]:
        """Return both states."""
        return {"optimizer": self._optimizer.state_dict()["state"], "outer": self._steps.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore both states; learning rates and similar options are the job's own."""
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": state["optimizer"], "param_groups": groups})
        self._steps.load_state_dict(state["outer"])


def local_trainer(inputs: Inputs) -> Trainer:
    """Return the trainer of this rank (collective)."""
    comm, spec = inputs.comm, inputs.spec
    samples = _samples(comm, spec, inputs.dataset)
    parts = samples.counts if spec.weights == "samples" else [1] * comm.size
    steps = LocalSteps(comm, inputs.module, spec, parts[comm.rank] / sum(parts))
    optimizer = build_optimizer(spec, inputs.module)
    replica = inputs.replica(steps, optimizer)
    own = OwnState(comm, LocalState(optimizer, steps), spec.bucket_bytes)
    trainer = inputs.trainer(replica, steps, inputs.checkpoints(replica, optimizer, own), samples)
    steps.start(course_of(spec, trainer.progress, samples.steps_per_epoch))
    if comm.rank == 0:
        sys.stdout.write(summary(spec, comm.size, steps.size_bytes) + "\n")
        sys.stdout.flush()
    return trainer


def summary(spec: TrainingSpec, ranks: int, size_bytes: int) -> str:
    """Describe the averages, in a line for the log."""
    outer = f", outer_momentum = {spec.outer_momentum:g}" if spec.outer_momentum else ""
    return (
        f"local_sgd: {ranks} replicas average {format_size(size_bytes)} of parameters after every {spec.sync_every} "
        f"steps and at the end of an epoch, weights = {spec.weights}, split = {spec.split}{outer}"
    )


def _samples(comm: Communicator, spec: TrainingSpec, dataset: Dataset) -> Samples:
    if spec.split == "by_label" and isinstance(dataset.training, Split):
        return LabelledSamples(spec, dataset.training.targets.numpy(), comm.size, comm.rank)
    return SharedSamples(comm, spec, len(dataset.training), dataset.is_ordered)
