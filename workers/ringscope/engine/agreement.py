"""Agreement: before a call all ranks exchange its properties, so that a mismatch is an error."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ringscope.engine.base import Array
from ringscope.engine.waiting.peers import Peers
from ringscope.engine.waiting.requests import wait_all


class Agreement:
    """Exchanges a few numbers between all ranks of ``comm``, on a separate communicator.

    Every rank sends to every other one: with a few ranks this is as fast as MPI's all-gather, and a missing rank can be
    named.
    """

    def __init__(self, comm: MPI.Intracomm, width: int, timeout_seconds: float) -> None:
        self._comm = comm.Dup()
        self._watched = Peers(comm, timeout_seconds)
        self._every = np.zeros((comm.size, width), np.int64)
        self._peers = [rank for rank in range(comm.size) if rank != comm.rank]
        self._receives = [self._comm.Recv_init(self._every[peer], peer) for peer in self._peers]
        self._sends = [self._comm.Send_init(self._every[comm.rank], peer) for peer in self._peers]
        self._requests = self._receives + self._sends

    def exchange(self, numbers: list[int]) -> Array:
        """Return the numbers of all ranks, one row each; StalledError if a rank does not arrive in time."""
        self._every[self._comm.rank] = numbers
        if self._requests:
            MPI.Prequest.Startall(self._requests)
            wait_all(self._requests, self._peers * 2, self._watched, 0)
        return self._every

    def free(self) -> None:
        """Free the communicator (collective)."""
        for request in self._requests:
            request.Free()
        self._watched.free()
        self._comm.Free()
