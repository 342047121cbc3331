"""The check, while a GPU's stream is awaited, whether a peer's process has ended: no library reports that in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ringscope.engine.errors import LostRankError

LOOK_SECONDS = 0.02  # between two checks: they need system calls, and the stream is polled all the time


class EndedPeers:
    """Raises LostRankError in the second check in a row that finds the process of a peer ended.

    Work that a peer had enqueued before it ended needs a moment to get here, so that one check is not enough.
    """

    def __init__(self, rank: int, ended: Callable[[], Sequence[int]], where: Callable[[], str]) -> None:
        """``ended`` returns the ranks whose processes have ended; ``where`` describes what is awaited."""
        self._rank, self._ended, self._where = rank, ended, where
        self._next = time.monotonic() + LOOK_SECONDS
        self._suspect = -1

    def look(self) -> None:
        """Check if it is time to; call this as often as you like."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LOOK_SECONDS
        ended = self._ended()
        if self._suspect in ended:
            raise LostRankError(self._rank, self._suspect, self._where())
        self._suspect = ended[0] if ended else -1
