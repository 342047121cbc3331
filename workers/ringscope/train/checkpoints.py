"""Save checkpoints of a training job, and choose the one to resume from."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import UNTIMED
from ringscope.train.checkpoint import Checkpoint, save
from ringscope.train.divergence import are_finite
from ringscope.train.loss_scale import LossScale
from ringscope.train.memory import Memory
from ringscope.train.own_state import OwnState
from ringscope.train.progress import Progress
from ringscope.train.resume import apply, newest_checkpoint

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class Trained(Protocol):
    """A replica as far as checkpoints need it."""

    @property
    def module(self) -> torch.nn.Module:
        """Return the whole model."""

    @property
    def scale(self) -> LossScale | None:
        """Return the scale of the loss in float16."""


class Checkpoints:
    """One copy on each node, written by its first rank; every method is called by all ranks (collective).

    Each rank writes its own private state.
    """

    def __init__(
        self,
        comm: Communicator,
        replica: Trained,
        optimizer: torch.optim.Optimizer,
        own_state: OwnState | None,
        folder: Path | None,
        earlier: Path | None,
        memory: Path | None = None,
    ) -> None:
        """``folder`` is the job's own; ``earlier`` is the folder of the job from which this one starts; ``memory`` is
        a folder in shared memory, if the job is elastic. None: there is none.
        """
        self._comm, self._module, self._optimizer, self._scale = comm, replica.module, optimizer, replica.scale
        self._own_state = own_state
        self._folder, self._earlier, self._memory_folder = folder, earlier, memory
        self._memory: Memory | None = None

    def restore(self, spec: TrainingSpec) -> Progress:
        """Resume from the job's own newest state, otherwise from the earlier job's, otherwise from the beginning.

        EngineError if the earlier job's checkpoint cannot be found, or leaves nothing to do.
        """
        progress = self._restored(spec)
        has_memory = np.array([self._memory_folder is not None], np.int64)
        if self._comm.total(has_memory)[0] == self._comm.size and self._memory_folder is not None:
            self._memory = Memory(self._comm, self._memory_folder, progress.step)
        return progress

    def _restored(self, spec: TrainingSpec) -> Progress:
        if own := newest_checkpoint(self._comm, self._folder, self._memory_folder):
            return self._apply(own, self._folder)
        if spec.resume_from is None:
            return Progress()
        found = newest_checkpoint(self._comm, self._earlier)
        if found is None:
            raise EngineError(
                f"resume_from: none of this job's nodes has a checkpoint of job {spec.resume_from}; choose the nodes "
                "that it ran on, or leave resume_from out."
            )
        if found.epoch >= spec.epochs:
            raise EngineError(f"epochs: job {spec.resume_from} has done {found.epoch} already; give more than that.")
        return self._apply(found, self._earlier)

    def save(self, progress: Progress) -> float:
        """Save a checkpoint at ``place``; return the time that it took, in us."""
        start = time.perf_counter()
        state = self._state(progress)
        if self._folder is not None and self._comm.local_rank == 0:
            save(self._folder, state)
            if self._memory is not None:
                self._memory.clear()
        if self._folder is not None and self._own_state is not None:
            self._own_state.save(self._folder, progress.step)
        self._comm.position[UNTIMED] += 1
        return (time.perf_counter() - start) * 1e6

    def remember(self, progress: Progress) -> None:
        """Keep the state of an elastic job in shared memory, after some of its steps."""
        if self._memory is None or not self._memory.is_due(progress.step):
            return
        start = time.perf_counter()
        state = self._state(progress)
        if self._memory.is_writer and are_finite(self._module):
            self._memory.write(state)
        self._memory.plan(progress.step, start)
        self._comm.position[UNTIMED] += 1

    def _state(self, progress: Progress) -> Checkpoint:
        """Return the state of all ranks, which refers to the tensors of model and optimizer (collective)."""
        loss_sum, samples = self._comm.total(np.array([progress.loss_sum, progress.samples], np.float64)).tolist()
        optimizer = self._optimizer.state_dict()  # all ranks: it may be in shares
        extra = {"loss_sum": loss_sum, "samples": int(samples), "duration_us": progress.duration_us}
        if self._scale:
            extra |= {"scale": self._scale.value, "good_steps": self._scale.good_steps}
        model = self._module.state_dict()
        return Checkpoint(progress.step, progress.epoch, progress.index, model, optimizer, extra)

    def _apply(self, checkpoint: Checkpoint, folder: Path | None) -> Progress:
        apply(checkpoint, self._module, self._optimizer)
        if self._own_state is not None:
            self._own_state.restore(folder, checkpoint.step)
        extra = checkpoint.extra
        if self._scale and "scale" in extra:
            self._scale.value, self._scale.good_steps = extra["scale"], extra["good_steps"]
        progress = Progress(checkpoint.step, checkpoint.epoch, checkpoint.index, duration_us=extra["duration_us"])
        if self._comm.rank == 0:
            progress.loss_sum, progress.samples = extra["loss_sum"], extra["samples"]
            sys.stdout.write(f"resumed after step {progress.step}, in epoch {progress.epoch + 1}\n")
            sys.stdout.flush()
        return progress


class NoCheckpoints:
    """Checkpoints of peers: they write none, and start at the beginning."""

    def restore(self, spec: TrainingSpec) -> Progress:
        """Return the beginning."""
        return Progress()

    def save(self, progress: Progress) -> float:
        """Save nothing; return a time of 0."""
        return 0.0

    def remember(self, progress: Progress) -> None:
        """Keep nothing."""
