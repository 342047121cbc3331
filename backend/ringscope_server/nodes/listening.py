"""For how long a server has listened for what did not come. Pure: the caller has the clocks.

A process that starts, or that stood still, cannot say what it missed meanwhile. So silence counts from the first moment
after its beginning at which the process listened again, and a time in which the process stood still counts for
``MOST_SECONDS`` only, however long it was. This much it counts, as a process that always stands still would otherwise
never find a node lost.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ringscope.contracts.protocol import HEARTBEAT_SECONDS

STILL = timedelta(seconds=2 * HEARTBEAT_SECONDS)  # between two looks: a longer time is a gap
MOST = timedelta(seconds=HEARTBEAT_SECONDS)  # of a gap counts
KEPT_GAPS = 100  # whoever is silent for longer than these is lost already


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
        """The process listens from now on: it starts, or nothing that was heard before can be compared with now."""
        self._gaps.clear()
        self._since, self._looked_at = now, self._elapsed()

    def look(self, now: datetime) -> None:
        """The process runs; call this every second. Where the last look is long ago, the process stood still."""
        passed = timedelta(seconds=self._elapsed() - self._looked_at)
        self._looked_at = self._elapsed()
        if self._since is None:
            self._since = now
        elif passed > STILL:
            self._gaps.append(Gap(now - passed, now))

    def move(self, step: timedelta) -> None:
        """The clock is set by so much."""
        self._gaps = deque((Gap(gap.began + step, gap.ended + step) for gap in self._gaps), self._gaps.maxlen)
        if self._since is not None:
            self._since += step

    def since(self, time: datetime, now: datetime) -> timedelta:
        """How long this process has listened for what should have come after ``time``, without the rest of gaps."""
        begun = time if self._since is None else max(time, self._since)
        first = next((gap for gap in self._gaps if gap.ended > begun), None)
        if first is not None:
            begun = first.ended
        later = (gap.ended - gap.began - MOST for gap in self._gaps if gap.began >= begun)
        return max(now - begun - sum(later, timedelta()), timedelta())
