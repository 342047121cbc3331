"""Shared windows of one node; one of them holds the counters with which its ranks publish their progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpi4py import MPI

from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS
from ringscope.engine.transports.hazards import Waits
from ringscope.engine.waiting.peers import Peers

_SPINS = 20  # checks before the core is offered to another rank: a peer that is almost done answers within 1 us
_CACHE_LINE = 128  # bytes between counters: two lines, because processors prefetch lines in pairs


def shared_window(node: MPI.Intracomm, size_bytes: int) -> MPI.Win:
    """A window with ``size_bytes`` per rank, which all ranks map (collective)."""
    info = MPI.Info.Create({"alloc_shared_noncontig": "true"})  # each rank's part on separate pages
    window = MPI.Win.Allocate_shared(max(size_bytes, 1), 1, info, node)
    info.Free()
    window.Lock_all(MPI.MODE_NOCHECK)  # a permanent epoch: it makes Win.Sync a legal memory fence
    return window


def free_window(window: MPI.Win) -> None:
    """Free the window (collective)."""
    window.Unlock_all()
    window.Free()


def memory(window: MPI.Win, rank: int) -> memoryview:
    """Return the bytes of ``rank``."""
    found: Any = window.Shared_query(rank)[0]
    return memoryview(found).cast("B")


class Progress:
    """One counter per rank in a window; it only grows, across all calls, and only its rank writes it."""

    def __init__(self, node: MPI.Intracomm, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS) -> None:
        self.rank, self.size = node.rank, node.size
        self._peers = Peers(node, timeout_seconds)
        self.position = self._peers.position
        self._window = window = shared_window(node, _CACHE_LINE)
        self._counters = [memory(window, r)[:8].cast("q") for r in range(node.size)]
        self._base = [0] * node.size
        self._counters[node.rank][0] = 0
        node.Barrier()

    def publish(self, progress: int) -> None:
        """Publish this rank's progress in the running call; a rank that reads it also sees all earlier writes."""
        self._window.Sync()
        self._counters[self.rank][0] = self._base[self.rank] + progress

    def await_(self, waits: Waits, step: int = 0) -> None:
        """Return once every (peer, progress) of the running call is reached.

        StalledError, which names the peer and ``step``, if one is not reached within the timeout, or cannot be reached.
        """
        for peer, progress in waits:
            counter, target, spins = self._counters[peer], self._base[peer] + progress, _SPINS
            while counter[0] < target:
                spins -= 1
                if spins < 0:
                    self._await_long(peer, target, step)
        self._window.Sync()

    def _await_long(self, peer: int, target: int, step: int) -> None:
        """Wait with the slower checks of ``Peers``: after a long wait a few more us do not matter."""
        counter = self._counters[peer]
        self._peers.wait(lambda: counter[0] >= target, lambda: [peer], step)

    def ended(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""
        return self._peers.ended()

    def finish(self, last: Sequence[int]) -> None:
        """End the call, in which rank r's progress has reached ``last[r]``."""
        self._base = [base + progress for base, progress in zip(self._base, last, strict=True)]

    def free(self) -> None:
        """Free the window (collective)."""
        self._peers.free()
        for counter in self._counters:
            counter.release()
        free_window(self._window)
