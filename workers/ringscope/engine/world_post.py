"""Messages between all ranks of a gang without a communicator, which needs a connection between each two of them.

Nothing here is collective after MPI's start. So two ranks that cannot reach each other keep no other rank waiting.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from mpi4py import MPI

from ringscope.contracts.rank_process import EXIT_OK, NODES_VARIABLE, POSITIONS_VARIABLE
from ringscope.engine import positions
from ringscope.engine.base import Array
from ringscope.engine.stdio_drain import drain
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.transports.mpi import unlink_own_segments

_END_SECONDS = 5.0  # MPI's end takes milliseconds if all ranks reach each other


class WorldPost:
    """The messages of one rank to any other one."""

    def __init__(self) -> None:
        self._comm = MPI.COMM_WORLD
        self.rank: int = self._comm.rank
        self.size: int = self._comm.size
        if NODES_VARIABLE in os.environ:  # each rank is alone on its node
            unlink_own_segments()
        self.position: Any = positions.slot(os.environ.get(POSITIONS_VARIABLE), self.rank)

    def messages(self) -> WorldMessages:
        """Make a group of messages that are completed together."""
        return WorldMessages(self._comm)


class WorldMessages:
    """Messages that are under way; their memory must stay valid until they are done.

    A message that MPI refuses to transfer never arrives, as one that is lost on its way.
    """

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm
        self._requests: list[MPI.Request] = []
        self._is_refused = False

    def send(self, array: Array, rank: int, tag: int) -> None:
        """Start to send."""
        try:
            self._requests.append(self._comm.Isend(array, rank, tag))
            TRAFFIC.add(array.nbytes)
        except MPI.Exception:
            self._is_refused = True

    def receive(self, array: Array, rank: int, tag: int) -> None:
        """Start to receive into ``array``."""
        self._receive(array, rank, tag)

    def receive_any(self, array: Array, tag: int) -> None:
        """Start to receive into ``array`` from whichever rank sends first."""
        self._receive(array, MPI.ANY_SOURCE, tag)

    def are_done(self) -> bool:
        """Return whether all have arrived, without waiting."""
        if self._is_refused:
            return False
        try:
            return bool(MPI.Request.Testall(self._requests))
        except MPI.Exception:
            self._is_refused = True
            return False

    def _receive(self, array: Array, rank: int, tag: int) -> None:
        try:
            self._requests.append(self._comm.Irecv(array, rank, tag))
        except MPI.Exception:
            self._is_refused = True


def end_in_time() -> None:
    """End MPI, or this process if that takes too long: MPI waits for ranks that it may not reach (collective)."""

    def give_up() -> None:
        drain()
        sys.stderr.flush()
        os._exit(EXIT_OK)

    timer = threading.Timer(_END_SECONDS, give_up)
    timer.daemon = True
    timer.start()
    MPI.Finalize()
    timer.cancel()
