"""State that belongs to one rank, which keeps it in its own file next to the checkpoint.

It is what compression has not sent yet, or a local optimizer's state. A run that resumes with the same number of ranks,
the same buckets and the same placement continues bit for bit. Any other run begins without this state, which loses a
small part of the newest gradients.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ringscope.engine.errors import EngineError
from ringscope.train.checkpoint import Checkpoint, load, save, steps

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class Stateful(Protocol):
    """Has state of its own on each rank."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state: tensors, numbers, strings, and lists and dictionaries of them."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state of another run."""


class OwnState:
    """The state of one rank; every rank saves and restores at the same steps (collective)."""

    def __init__(self, comm: Communicator, holder: Stateful, bucket_bytes: int) -> None:
        self._comm, self._holder = comm, holder
        self._shape = {"ranks": comm.size, "bucket_bytes": bucket_bytes}

    def save(self, folder: Path, step: int) -> None:
        """Save next to the checkpoint of this step in ``folder``."""
        extra = self._shape | {"state": self._holder.state_dict()}
        save(self._folder(folder), Checkpoint(step, 0, 0, {}, {}, extra))

    def restore(self, folder: Path | None, step: int) -> None:
        """Restore the state of this step, if every rank has its own."""
        found = self._read(folder, step) if folder is not None else None
        everybody_has_it = self._comm.total(np.array([found is not None], np.int64))[0] == self._comm.size
        if found is not None and everybody_has_it:
            self._holder.load_state_dict(found.extra["state"])

    def _read(self, folder: Path, step: int) -> Checkpoint | None:
        if step not in steps(self._folder(folder)):
            return None
        try:
            found = load(self._folder(folder), step)
        except EngineError:  # broken: training without this state is better than no training
            return None
        return found if self._shape.items() <= found.extra.items() else None

    def _folder(self, folder: Path) -> Path:
        return folder / f"rank-{self._comm.rank}"
