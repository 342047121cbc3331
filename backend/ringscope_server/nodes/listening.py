"""The time for which a server has listened for a message. Pure: the caller has the clocks.

A process that starts, or that stood still, does not know what it missed meanwhile. So silence counts from the first
moment after its beginning at which the process listened again, and a time in which the process stood still counts for
``MOST_SECONDS`` at most. It counts this much because a process that often stands still would otherwise never find a
node lost.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ringscope.contracts.protocol import HEARTBEAT_SECONDS

STILL = timedelta(seconds=2 * HEARTBEAT_SECONDS)  # between two looks: a longer time is a gap
MOST = timedelta(seconds=HEARTBEAT_SECONDS)  # the part of a gap that counts
KEPT_GAPS = 100  # a node that is silent for longer than these is lost already


@dataclass(frozen=True)
class Gap:
    """A time in which this process stood still."""

    began: datetime
    ended: datetime


class Listening:
    """Looks, and the gaps between them."""

    def __init__(self, elapsed: Callable[[], float]) -> None:
        self._elapsed = elapsed  # seconds by a clock that never jumps
        self._gaps: deque[Gap] = deque(maxlen=KEPT_GAPS)
        self._looked_at = elapsed()
        self._since: datetime | None = None

    def begin(self, now: datetime) -> None:
        """Begin to listen: the process starts, or nothing received before can be compared with now."""
        self._gaps.clear()
        self._since, self._looked_at = now, self._elapsed()

    def look(self, now: datetime) -> None:
        """Note that the process runs; call this every second. If the last call is long ago, the process stood still."""
        passed = timedelta(seconds=self._elapsed() - self._looked_at)
        self._looked_at = self._elapsed()
        if self._since is None:
            self._since = now
        elif passed > STILL:
            self._gaps.append(Gap(now - passed, now))

    def move(self, step: timedelta) -> None:
        """Move the times by the step by which the clock was set."""
        self._gaps = deque((Gap(gap.began + step, gap.ended + step) for gap in self._gaps), self._gaps.maxlen)
        if self._since is not None:
            self._since += step

    def since(self, time: datetime, now: datetime) -> timedelta:
        """Return how long this process has listened for a message due after ``time``, without most of the gaps."""
        begun = time if self._since is None else max(time, self._since)
        first = next((gap for gap in self._gaps if gap.ended > begun), None)
        if first is not None:
            begun = first.ended
        later = (gap.ended - gap.began - MOST for gap in self._gaps if gap.began >= begun)
        return max(now - begun - sum(later, timedelta()), timedelta())
