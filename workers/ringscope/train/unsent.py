"""Residuals that compression has not sent yet: each rank keeps its own file next to the checkpoint.

A run that resumes with the same number of ranks, the same buckets and the same placement continues bit for bit. Any
other run begins with empty residuals, which loses a small part of the newest gradients.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ringscope.engine.errors import EngineError
from ringscope.train.checkpoint import Checkpoint, load, save, steps
from ringscope.train.compression import Compressor

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class Unsent:
    """The residuals of one rank; every rank saves and restores at the same steps (collective)."""

    def __init__(self, comm: Communicator, compressor: Compressor, bucket_bytes: int) -> None:
        self._comm, self._compressor = comm, compressor
        self._shape = {"ranks": comm.size, "bucket_bytes": bucket_bytes}

    def save(self, folder: Path, step: int) -> None:
        """Save next to the checkpoint of this step in ``folder``."""
        extra = self._shape | {"state": self._compressor.state_dict()}
        save(self._folder(folder), Checkpoint(step, 0, 0, {}, {}, extra))

    def restore(self, folder: Path | None, step: int) -> None:
        """Restore the residuals of this step, if every rank has its own."""
        found = self._read(folder, step) if folder is not None else None
        everybody_has_it = self._comm.total(np.array([found is not None], np.int64))[0] == self._comm.size
        if found is not None and everybody_has_it:
            self._compressor.load_state_dict(found.extra["state"])

    def _read(self, folder: Path, step: int) -> Checkpoint | None:
        if step not in steps(self._folder(folder)):
            return None
        try:
            found = load(self._folder(folder), step)
        except EngineError:  # broken: training without residuals is better than no training
            return None
        return found if self._shape.items() <= found.extra.items() else None

    def _folder(self, folder: Path) -> Path:
        return folder / f"rank-{self._comm.rank}"
