"""The other ranks from the view of a waiting rank: how long it waits, and whether their processes still run.

Processes of one node are watched through pidfds, which stay with a process even when its number is used again. So a
killed rank is named within milliseconds; a rank on another node, or one that hangs, after the timeout.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mpi4py import MPI

from ringscope.contracts.rank_process import POSITIONS_VARIABLE
from ringscope.engine import positions
from ringscope.engine.errors import EarlyEndError, EngineError, LostRankError, StalledError
from ringscope.engine.positions import AWAITS, FINISHED, WAITED_NS
from ringscope.engine.waiting.pause import pause

_LOOK_SECONDS = 0.01  # between two checks of the processes of peers
# number of consecutive checks in which a rank's program must have ended before it counts as missing: its last message
# must first be received
_EARLY_END_LOOKS = 20


class Peers:
    """The ranks of ``comm``, for which this rank waits at most ``timeout_seconds`` (collective).

    ``position`` is where this rank publishes its progress and the time it has waited (see
    ``ringscope.engine.positions``).
    """

    def __init__(self, comm: MPI.Intracomm, timeout_seconds: float) -> None:
        self.rank, self.timeout_seconds = comm.rank, timeout_seconds
        self.position = positions.slot(os.environ.get(POSITIONS_VARIABLE), MPI.COMM_WORLD.rank)
        self._path = os.environ.get(POSITIONS_VARIABLE)
        self._world = _world_ranks(comm)
        self._pidfds: dict[int, int] = {}
        self._near: set[int] = set()
        mine = _place()
        for rank, (place, pid) in enumerate(comm.allgather((mine, os.getpid()))):
            if place == mine and place and rank != comm.rank:
                self._near.add(rank)
                # Linux is too old, or there are too many open files: the timeout remains
                with contextlib.suppress(OSError):
                    self._pidfds[rank] = os.pidfd_open(pid)
        comm.Barrier()  # every rank that gets here was alive when its pidfd was opened, so none belongs to a reused pid

    def is_near(self, rank: int) -> bool:
        """Return whether a rank is on this node; the relation is symmetric."""
        return rank in self._near

    def ended(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""
        return [rank for rank in self._pidfds if self.has_ended(rank)]

    def has_ended(self, rank: int) -> bool:
        """Return whether the process of a rank is known to have ended."""
        pidfd = self._pidfds.get(rank)
        if pidfd is None:
            return False
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def finished_calls(self, rank: int) -> int | None:
        """Return the number of guarded calls a rank of this node made before its program ended; None while it runs."""
        return positions.finished_calls(self._path, self._world[rank]) if rank in self._near else None

    def left(self, calls: int) -> list[int]:
        """Return the ranks of this node whose programs ended before the guarded call number ``calls`` + 1.

        It is empty once this rank's program has also ended: then all ranks only wait for each other's end.
        """
        if self.position[FINISHED]:
            return []
        told = ((rank, self.finished_calls(rank)) for rank in sorted(self._near))
        return [rank for rank, made in told if made is not None and made <= calls]

    @property
    def patience_seconds(self) -> float:
        """Return how long this rank has been waiting for another one, in seconds."""
        return positions.patience_seconds(self.position, self.timeout_seconds)

    def wait(self, is_done: Callable[[], bool], missing: Callable[[], Sequence[int]], step: int) -> None:
        """Return once ``is_done``; meanwhile yield the core to other ranks, or sleep (see ``pause``).

        ``missing`` returns the ranks for which this one waits. LostRankError if a process of one has ended,
        EarlyEndError if its program has ended, StalledError if it does not arrive in time; all name the rank and
        ``step``.
        """
        began = now = counted = time.monotonic()
        look = now + _LOOK_SECONDS
        suspect, looks = -1, 0
        try:
            while not is_done():
                pause()
                now = time.monotonic()
                if now < look:
                    continue
                look = now + _LOOK_SECONDS
                counted = self._count(counted, now)
                awaited = missing()
                self.position[AWAITS] = self._world[awaited[0]] + 1 if awaited else 0
                if suspect in awaited:  # anything that it sent before its end would have arrived by now
                    raise LostRankError(self.rank, suspect, f"step {step}")
                suspect = next((rank for rank in awaited if self.has_ended(rank)), -1)
                looks = looks + 1 if awaited and self.finished_calls(awaited[0]) is not None else 0
                if looks > _EARLY_END_LOOKS:
                    raise EarlyEndError(self.rank, awaited[0], f"step {step}")
                if awaited and now - began > self.patience_seconds:
                    raise StalledError(self.rank, awaited[0], f"step {step}", self.patience_seconds)
            self._count(counted, time.monotonic())
        except MPI.Exception as error:  # a network that detects failures itself
            raise EngineError(
                f"Rank {self.rank} cannot continue in step {step}: {error}; check whether all ranks still run."
            ) from error
        finally:
            self.position[AWAITS] = 0

    def _count(self, since: float, now: float) -> float:
        """Add to the waiting time; also during a wait, so that a hung gang can be diagnosed."""
        self.position[WAITED_NS] += int((now - since) * 1e9)
        return now

    def free(self) -> None:
        """Stop watching."""
        while self._pidfds:
            os.close(self._pidfds.popitem()[1])


def _world_ranks(comm: MPI.Intracomm) -> list[int]:
    """Return the numbers that the ranks of ``comm`` have among all ranks."""
    ours, everyone = comm.Get_group(), MPI.COMM_WORLD.Get_group()
    return list(MPI.Group.Translate_ranks(ours, list(range(comm.size)), everyone))


def _place() -> tuple[str, str, str] | None:
    """Return what identifies the scope of process numbers: the running kernel and its namespaces.

    The network namespace is included for labs, whose hosts should see no more of each other than real hosts do.
    """
    try:
        namespaces = Path("/proc/self/ns")
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text()
        return boot_id, str((namespaces / "pid").readlink()), str((namespaces / "net").readlink())
    except OSError:
        return None
