"""The replica's state in each node's shared memory, from which the next attempt of an elastic job continues.

The files outlive their processes, so it does not matter which rank is killed, or when. A file is renamed once it is
complete and has checksums, so a torn one is never read.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ringscope.engine.errors import EngineError
from ringscope.train.checkpoint import Checkpoint, remove_all, save

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

SHARE = 0.02  # the part of the training's time that writing may take


class Memory:
    """Writes the state as often as ``SHARE`` allows, at the same steps on all ranks (collective)."""

    def __init__(self, comm: Communicator, folder: Path, step: int) -> None:
        """``step`` is the number of steps done so far."""
        self._comm, self._folder = comm, folder
        self._step, self._next = step, step + 1
        self._since: float | None = None  # when the last write ended
        self._is_writer = comm.local_rank == 0

    @property
    def is_writer(self) -> bool:
        """Return whether this rank writes its node's copy."""
        return self._is_writer

    def is_due(self, step: int) -> bool:
        """Return whether all ranks write after this step."""
        return step >= self._next

    def write(self, checkpoint: Checkpoint) -> None:
        """Write a state; if the memory is full, stop writing, because the training needs it more."""
        try:
            save(self._folder, checkpoint, is_durable=False, kept=1)
        except EngineError as error:
            self._is_writer = False
            sys.stderr.write(f"{error} Until then the job continues from its checkpoints.\n")

    def clear(self) -> None:
        """Remove what this rank wrote, because a checkpoint is newer."""
        if self._is_writer:
            remove_all(self._folder)

    def plan(self, step: int, start: float) -> None:
        """Agree on the step of the next write; this one began at ``start`` (collective)."""
        now = time.perf_counter()
        wanted = 1
        if self._since is not None:
            step_seconds = (start - self._since) / (step - self._step)
            wanted = max(1, math.ceil((now - start) / (SHARE * step_seconds)))
        self._next = step + int(self._comm.maximum(np.array([wanted], np.int64))[0])
        self._step, self._since = step, time.perf_counter()
