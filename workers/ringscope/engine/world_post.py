"""Messages between all ranks of a gang without a communicator, which needs a connection between each two of them.

Nothing here is collective after MPI's start. So two ranks that cannot reach each other keep no other rank waiting.
"""

from __future__ import annotations

import json
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
    """The messages of one rank to any other one; ``here`` are the ranks of its node."""

    def __init__(self) -> None:
        self._comm = MPI.COMM_WORLD
        self.rank: int = self._comm.rank
        self.size: int = self._comm.size
        self.here = ranks_of_node(self.rank, self.size)
        if NODES_VARIABLE in os.environ:  # without an agent all ranks are on this machine
            self._forget_segments()
        self.position: Any = positions.slot(os.environ.get(POSITIONS_VARIABLE), self.rank)

    def _forget_segments(self) -> None:
        """Remove the names of shared memory once the ranks of this node have opened it; no other node waits."""
        if len(self.here) > 1:
            group = self._comm.group.Incl(self.here)
            local = self._comm.Create_group(group)
            local.Barrier()
            local.Free()
            group.Free()
        unlink_own_segments()

    def messages(self) -> WorldMessages:
        """Make a group of messages that are completed together."""
        return WorldMessages(self._comm)


def ranks_of_node(rank: int, size: int) -> list[int]:
    """Return the ranks of this rank's node, as its agent says; without an agent each rank stands for a node.

    A launch with another number of ranks than the agent asked for is refused later; each rank is alone until then.
    """
    nodes = [node for node, _ in json.loads(os.environ.get(NODES_VARIABLE) or "[]")]
    if len(nodes) != size:
        return [rank]
    return [each for each, node in enumerate(nodes) if node == nodes[rank]]


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
