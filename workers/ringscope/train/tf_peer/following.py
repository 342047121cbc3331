"""Ranks that get their work from another rank, or that have none: they wait and follow its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ringscope.contracts.record import Record, Steps
from ringscope.engine.positions import ITERATIONS, set_stage

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_LOOK_SECONDS = 0.5
_STEPS, _END = "ringscope/steps", "ringscope/end"


class Lead:
    """Rank 0's side: it publishes its progress in a store of all ranks."""

    def __init__(self, store: Any, emit: Callable[[Record], None]) -> None:
        self._store, self._emit = store, emit

    def emit(self, record: Record) -> None:
        """Send a record; the other ranks also receive what it says about rank 0's steps."""
        self._emit(record)
        if isinstance(record, Steps):
            self._store.set(_STEPS, str(record.first_step + len(record.start_ns)))

    def end(self) -> None:
        """Let the other ranks end."""
        self._store.set(_END, "1")


class FollowingRank:
    """Waits until rank 0 ends; it counts rank 0's steps as its own, so that it does not look hung."""

    def __init__(self, comm: Communicator, group: Communicator, store: Any, server: Any = None) -> None:
        """``server`` is TensorFlow's server, which runs as long as this object references it."""
        self._comm, self._group, self._store, self._server = comm, group, store, server

    def run(self) -> None:
        """Wait until rank 0 ends."""
        set_stage(self._comm.position, "")
        while not self._store.check([_END]):
            if self._store.check([_STEPS]):
                self._comm.position[ITERATIONS] = int(self._store.get(_STEPS))
            time.sleep(_LOOK_SECONDS)

    def close(self) -> None:
        """Disconnect from the other ranks."""
        self._comm.barrier()
        self._group.free()
