"""Whether somebody set the machine's clock while this process ran."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

LEAST_STEP = timedelta(seconds=2)  # less does no harm, and a pass may be interrupted between its two looks at clocks


# Nobody sets it; where the system has one, it also counts while the machine sleeps.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _seconds_since_boot() -> float:
    return time.clock_gettime(_STEADY)


class ClockWatch:
    """Compares the wall clock with one that nobody sets."""

    def __init__(self, elapsed: Callable[[], float] = _seconds_since_boot) -> None:
        self._elapsed = elapsed
        self._origin: datetime | None = None  # what the wall clock shows at 0 of the other one
        self._seen: datetime | None = None  # likewise, at the last look

    def step(self, now: datetime) -> timedelta:
        """How far the wall clock, which shows ``now`` at this moment, was set since it was last accepted.

        Zero, as good as always.
        """
        self._seen = now - timedelta(seconds=self._elapsed())
        step = timedelta() if self._origin is None else self._seen - self._origin
        if abs(step) < LEAST_STEP:
            self._origin = self._seen  # where it was slewed, little by little
            return timedelta()
        return step

    def accept(self) -> None:
        """What depends on the wall clock goes by the time that it showed at the last look, however long ago that is."""
        self._origin = self._seen
