"""The time that a server goes by: the wall clock's, except while what is stored does not know yet that it was set."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

LEAST_STEP = timedelta(seconds=2)  # less does no harm, and a process may be interrupted between its two looks at clocks


# Nobody sets it; where the system has one, it also counts while the machine sleeps.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def seconds_since_boot() -> float:
    """Return seconds of a clock that nobody sets and that counts while the machine sleeps, if the system has one."""
    return time.clock_gettime(_STEADY)


class SteadyClock:
    """A wall clock that is set only when ``accept`` says so, whenever that is done to the machine's.

    Until then everything is written by the same clock as what it will be compared with, and moves along with it once:
    what is written a moment before must not move twice, nor stay behind.
    """

    def __init__(self, wall: Callable[[], datetime], elapsed: Callable[[], float] = seconds_since_boot) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._origin = self._seen = self._look()  # what the wall clock shows at 0 of the other one; at the last look

    def now(self) -> datetime:
        """The wall clock's time, as if it had not been set since it was last accepted."""
        shown, steady = self._wall(), self._origin + timedelta(seconds=self._elapsed())
        return shown if abs(shown - steady) < LEAST_STEP else steady

    def step(self) -> timedelta:
        """Return how far the wall clock was set since it was last accepted; nearly always zero."""
        self._seen = self._look()
        step = self._seen - self._origin
        if abs(step) < LEAST_STEP:
            self._origin = self._seen  # where it was slewed, little by little
            return timedelta()
        return step

    def accept(self) -> timedelta:
        """Go by the wall clock as the last ``step`` saw it, however long ago that is; how far this clock is set."""
        step, self._origin = self._seen - self._origin, self._seen
        return step

    def _look(self) -> datetime:
        return self._wall() - timedelta(seconds=self._elapsed())
