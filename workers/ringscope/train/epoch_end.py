"""The end of an epoch: evaluation on the held-out samples, and the epoch's record."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import Epoch
from ringscope.engine.base import Array
from ringscope.engine.positions import UNTIMED
from ringscope.train.data import Samples
from ringscope.train.evaluation import evaluate
from ringscope.train.progress import Progress

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class EpochEnd:
    """Evaluate on all ranks, each on its part; rank 0 reports (collective)."""

    def __init__(
        self, comm: Communicator, spec: TrainingSpec, validation: Samples, emit: Callable[[Record], None]
    ) -> None:
        self._comm, self._emit, self._validation = comm, emit, validation
        self._target = spec.target_accuracy

    def evaluate(self, module: torch.nn.Module, progress: Progress) -> Epoch:
        """Return the record of the epoch that has just ended at ``place``, without the checkpoint's time."""
        start = time.perf_counter()
        found = evaluate(module, self._validation, self._comm.rank, self._comm.size, self._sum)
        validation_us = (time.perf_counter() - start) * 1e6
        loss_sum, samples = self._comm.total(np.array([progress.loss_sum, progress.samples], np.float64)).tolist()
        return Epoch(
            rank=self._comm.rank,
            epoch=progress.epoch + 1,
            step=progress.step,
            training_loss=loss_sum / samples if samples else float("nan"),  # all steps were skipped
            validation_loss=found.loss,
            validation_accuracy=found.accuracy,
            samples=int(samples),
            duration_us=progress.duration_us,
            validation_us=validation_us,
            checkpoint_us=0.0,
            time_ns=time.time_ns(),
        )

    def tell(self, epoch: Epoch, checkpoint_us: float) -> None:
        """Send the record, and report when the target accuracy is reached; on rank 0 only."""
        if self._comm.rank != 0:
            return
        self._emit(epoch.model_copy(update={"checkpoint_us": checkpoint_us}))
        accuracy = epoch.validation_accuracy
        if self._target is not None and accuracy is not None and accuracy >= self._target:
            sys.stdout.write(f"reached the accuracy of {self._target:g} after epoch {epoch.epoch}: {accuracy:.4f}\n")
            sys.stdout.flush()
            self._target = None

    def _sum(self, values: Array) -> None:
        values[:] = self._comm.total(values)
        self._comm.position[UNTIMED] += 1
