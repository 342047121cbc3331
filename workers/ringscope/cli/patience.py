"""Waiting for a program to start: longer on a busy machine, and with messages about the wait."""

import os
import time
from collections.abc import Iterator

from ringscope.cli.console import complain
from ringscope.rank.load import crowding

START_SECONDS = 60.0  # seconds on a machine with a core for each process
MOST_TIMES = 20.0  # seconds on the busiest machine
LOOK_SECONDS = 0.05
TELL_SECONDS = 10.0


class Patience:
    """Polls until the limit; iterate over it, and leave the loop once the program has started.

    Args:
        awaited: the program that has to start, such as "the server".
        started: the moment from which time counts, by ``time.monotonic``; now by default.
    """

    def __init__(self, awaited: str, started: float | None = None) -> None:
        self._awaited = awaited
        self._started = time.monotonic() if started is None else started
        self._tells_at = self._started + TELL_SECONDS
        self._most_crowded = 1.0

    def __iter__(self) -> Iterator[None]:
        """Yield once for each poll; end at the limit."""
        while self.elapsed_seconds < self.limit_seconds:
            yield
            if time.monotonic() >= self._tells_at:
                self._tells_at += TELL_SECONDS
                complain(f"Waiting for {self._awaited} to start, {self.elapsed_seconds:.0f} s so far{self._why()}.")
            time.sleep(LOOK_SECONDS)

    @property
    def elapsed_seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._started

    @property
    def limit_seconds(self) -> float:
        """Return the limit in seconds, scaled by the largest number of processes per core seen so far."""
        self._most_crowded = max(self._most_crowded, crowding())
        return START_SECONDS * min(MOST_TIMES, self._most_crowded)

    @property
    def failure(self) -> str:
        """Return the end of the error sentence for an exceeded limit; the caller puts the program's name before it."""
        return f"was not ready within {self.limit_seconds:.0f} s{self._why()}"

    def _why(self) -> str:
        cores = os.cpu_count() or 1
        if self._most_crowded <= 1.0:
            return ""
        return f"; the machine is busy, up to {self._most_crowded * cores:.0f} processes have shared its {cores} cores"
