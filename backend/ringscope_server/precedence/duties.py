"""When what must run was done last, and what is late. A thread looks, as the event loop itself may be late."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

log = logging.getLogger(__name__)

Duty = Literal["pass", "insights", "heartbeats"]
DUTIES: tuple[Duty, ...] = get_args(Duty)
LATE_SECONDS = 6.0  # since it was done last; each is done about every second
LOOK_SECONDS = 1.0
_WORDS: dict[Duty, str] = {
    "pass": "No scheduling pass was completed",
    "insights": "Running jobs were not looked at",
    "heartbeats": "Heartbeats were not written",
}


@dataclass(frozen=True)
class Late:
    """A duty that is late, and since when it was not done."""

    duty: Duty
    seconds: float
    since: datetime

    @property
    def sentence(self) -> str:
        """For people; the remedy is in it."""
        return (
            f"{_WORDS[self.duty]} since {self.since:%H:%M:%S} UTC ({self.seconds:.0f} s): the server gets too little "
            "processor time, or its database is slow; see its log, and give it more or ask less of it."
        )


class Duties:
    """The duties of one server; they count from its start on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done_at: dict[Duty, float] = {}
        self._told: Duty | None = None

    def begin(self) -> None:
        """The server starts."""
        self._done_at = dict.fromkeys(DUTIES, self._clock())

    def done(self, duty: Duty) -> None:
        """It was done just now."""
        if duty in self._done_at:
            self._done_at[duty] = self._clock()

    def ages(self) -> dict[Duty, float]:
        """Seconds since each was done; nothing where none are done here."""
        now = self._clock()
        return {duty: now - at for duty, at in self._done_at.items()}

    def late(self) -> Late | None:
        """The duty that is late for the longest time."""
        ages = self.ages()
        duty = max(ages, key=ages.__getitem__, default=None)
        if duty is None or ages[duty] <= LATE_SECONDS:
            return None
        return Late(duty, ages[duty], datetime.now(UTC) - timedelta(seconds=ages[duty]))

    def tell(self) -> None:
        """Log when something begins to be late, and when nothing is any more."""
        late = self.late()
        if late is not None and self._told is None:
            log.warning("%s", late.sentence)
        elif late is None and self._told is not None:
            log.warning("The server's own work is done in time again.")
        self._told = None if late is None else late.duty

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Tell from another thread meanwhile."""
        is_over = threading.Event()

        def look() -> None:
            while not is_over.wait(LOOK_SECONDS):
                self.tell()

        thread = threading.Thread(target=look, name="duties", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
