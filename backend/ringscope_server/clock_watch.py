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

    def step(self, now: datetime) -> timedelta:
        """How far the wall clock was set since it was last accepted: zero, as good as always."""
        origin = self._origin_at(now)
        step = timedelta() if self._origin is None else origin - self._origin
        if abs(step) < LEAST_STEP:
            self._origin = origin  # where it was slewed, little by little
            return timedelta()
        return step

    def accept(self, now: datetime) -> None:
        """What depends on the wall clock goes by its new time."""
        self._origin = self._origin_at(now)

    def _origin_at(self, now: datetime) -> datetime:
        return now - timedelta(seconds=self._elapsed())
