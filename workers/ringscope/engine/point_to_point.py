"""Messages between two ranks, for programs whose ranks do different work; they fail if the other rank ends.

Messages are arrays in host memory. Messages with the same tag between two ranks arrive in the order in which they were
sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpi4py import MPI

from ringscope.engine.base import Array
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.waiting.peers import Peers


class PointToPoint:
    """Delivers the messages of one rank; all ranks create and free it together (collective)."""

    def __init__(self, comm: MPI.Intracomm, timeout_seconds: float) -> None:
        """Send and receive with a timeout of ``timeout_seconds``, among the ranks of ``comm``."""
        self._comm = comm.Dup()
        self._peers = Peers(self._comm, timeout_seconds)
        self.rank: int = self._comm.rank
        self.position: Any = self._peers.position

    def messages(self) -> Messages:
        """Make a group of messages that are completed together."""
        return Messages(self._comm, self._peers)

    def inbox(self, arrays: Sequence[Array], tag: int) -> Inbox:
        """Receive messages in any order: array i receives the messages of rank i."""
        return Inbox(self._comm, self._peers, arrays, tag)

    def has(self, rank: int, tag: int) -> bool:
        """Return whether a message has arrived that no receive has matched yet."""
        return bool(self._comm.Iprobe(rank, tag))

    def advance(self) -> None:
        """Let MPI move messages that are under way."""
        self._comm.Iprobe()

    def free(self) -> None:
        """Stop delivering messages."""
        self._peers.free()
        self._comm.Free()


class Messages:
    """Messages that are under way, each with its peer; their memory must stay valid until ``wait``."""

    def __init__(self, comm: MPI.Intracomm, peers: Peers) -> None:
        self._comm, self._peers = comm, peers
        self._requests: list[tuple[MPI.Request, int]] = []

    def send(self, array: Array, rank: int, tag: int) -> None:
        """Start to send."""
        self._requests.append((self._comm.Isend(array, rank, tag), rank))
        TRAFFIC.add(array.nbytes)

    def receive(self, array: Array, rank: int, tag: int) -> None:
        """Start to receive into ``array``."""
        self._requests.append((self._comm.Irecv(array, rank, tag), rank))

    def receive_any(self, array: Array, tag: int) -> None:
        """Start to receive into ``array`` from whichever rank sends first; only ``are_done`` may wait for it."""
        self._requests.append((self._comm.Irecv(array, MPI.ANY_SOURCE, tag), self._comm.rank))

    def are_done(self) -> bool:
        """Return whether all have arrived, without waiting."""
        return bool(MPI.Request.Testall([request for request, _ in self._requests]))

    def wait(self, step: int) -> None:
        """Wait until all have arrived; the errors of ``Peers.wait`` name the missing rank, and ``step``."""
        requests = [request for request, _ in self._requests]
        if not MPI.Request.Testall(requests):
            self._peers.wait(lambda: MPI.Request.Testall(requests), self._missing, step)
        self._requests.clear()

    def _missing(self) -> Sequence[int]:
        return [rank for request, rank in self._requests if not request.Test()]


class Inbox:
    """Receive one message after another from each of several ranks, in order of arrival."""

    def __init__(self, comm: MPI.Intracomm, peers: Peers, arrays: Sequence[Array], tag: int) -> None:
        self._requests = [comm.Recv_init(array, rank, tag) for rank, array in enumerate(arrays)]
        self._peers, self._expected = peers, set[int]()

    def expect(self, rank: int) -> None:
        """Receive this rank's next message; its array must not be used until the message has arrived."""
        self._requests[rank].Start()
        self._expected.add(rank)

    def wait(self, is_over: Callable[[], bool], step: int) -> list[int]:
        """Return the ranks whose messages have arrived, ascending: at least one, unless ``is_over`` becomes true."""
        arrived: list[int] = []

        def is_done() -> bool:
            arrived.extend(MPI.Request.Testsome(self._requests) or ())
            return bool(arrived) or is_over()

        self._peers.wait(is_done, lambda: sorted(self._expected), step)
        self._expected.difference_update(arrived)
        return sorted(arrived)

    def free(self) -> None:
        """Cancel all pending receives."""
        for rank in self._expected:
            self._requests[rank].Cancel()
            self._requests[rank].Wait()
        for request in self._requests:
            request.Free()
