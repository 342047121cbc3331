"""The roll call: it finds the rank that is missing in a library's collective call, which blocks without a report.

Every rank counts its calls. When a call does not return in time, the rank's watchdog thread asks the watchdogs of all
others for their counts, and names the ranks that have not reached the same call; a process that does not answer has
stopped or ended. The gang is then ended, because nothing can unblock the thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

from ringscope.engine.base import Array
from ringscope.engine.errors import EarlyEndError, EngineError, LostRankError, StalledError
from ringscope.engine.positions import INSIDE
from ringscope.engine.waiting.peers import Peers
from ringscope.engine.waiting.watchdog import Watchdog

_QUESTION, _ANSWER = 1, 2
_ANSWER_SECONDS = 2.0  # several checks of the other watchdogs
_PAUSE_SECONDS = 0.01


class RollCall:
    """Watches over blocking calls that all ranks of ``comm`` make in the same order (collective)."""

    def __init__(
        self,
        comm: MPI.Intracomm,
        timeout_seconds: float,
        give_up: Callable[[EngineError], None],
        is_whole: bool = False,
    ) -> None:
        """``give_up`` gets the error in the watchdog's thread and must end the gang.

        ``is_whole``: ranks count these calls when their programs end, see ``finish``.
        """
        self._is_whole, self._is_inside = is_whole, False
        self._comm = comm.Dup()
        self._peers = Peers(comm, timeout_seconds)
        self._give_up = give_up
        self._sent: list[MPI.Request] = []
        self.watchdog = Watchdog(self._tell, timeout_seconds, self._look, lambda: self._peers.patience_seconds)

    def error(self) -> EngineError:
        """Return the error that names the missing rank of the running call, also after a library's own error."""
        where = f"call {self.watchdog.calls} of {self.watchdog.inside}"
        rank, timeout_seconds = self._comm.rank, self._peers.patience_seconds
        if ended := self._peers.ended():
            return LostRankError(rank, ended[0], where)
        if left := self._left():
            return EarlyEndError(rank, left[0], where)
        if missing := self._missing():
            return StalledError(rank, missing[0], where, timeout_seconds)
        return EngineError(
            f"Rank {rank} waited {timeout_seconds:g} s in {where}, which all ranks have reached; raise timeout_seconds."
        )

    def ended(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""
        return self._peers.ended()

    def free(self) -> None:
        """Stop watching (collective)."""
        self.watchdog.close()
        self._peers.free()
        self._comm.Free()

    def _tell(self) -> None:
        self._give_up(self.error())

    def _look(self) -> bool:
        self._answer()
        inside = bool(self.watchdog.inside)
        if inside or self._is_inside:
            self._is_inside = inside
            self._peers.position[INSIDE] = self.watchdog.calls + 1 if inside else 0
        return inside and bool(self._peers.ended() or self._left())

    def _left(self) -> list[int]:
        return self._peers.left(self.watchdog.calls) if self._is_whole else []

    def _progress(self) -> int:
        return 2 * self.watchdog.calls + bool(self.watchdog.inside)

    def _answer(self) -> None:
        status = MPI.Status()
        while (question := self._comm.Improbe(tag=_QUESTION, status=status)) is not None:
            question.Recv(np.empty(0, np.int64))
            self._send([self._progress()], status.source, _ANSWER)

    def _missing(self) -> list[int]:
        """Return the ranks that have not reached this rank's call, or that do not answer."""
        waiting = [rank for rank in range(self._comm.size) if rank != self._comm.rank]
        for rank in waiting:
            self._send([], rank, _QUESTION)
        deadline, progress = time.monotonic() + _ANSWER_SECONDS, np.empty(1, np.int64)
        missing = []
        status = MPI.Status()
        while waiting and time.monotonic() < deadline:
            self._answer()
            answer = self._comm.Improbe(tag=_ANSWER, status=status)
            if answer is None:
                time.sleep(_PAUSE_SECONDS)
                continue
            answer.Recv(progress)
            waiting.remove(status.source)
            if progress[0] < self._progress():
                missing.append(status.source)
        return sorted(missing + waiting)

    def _send(self, numbers: list[int], rank: int, tag: int) -> None:
        message: Array = np.array(numbers, np.int64)
        self._sent.append(self._comm.Isend(message, rank, tag))
