"""Times at which each background task was last done. A thread finds late ones, as the event loop itself may be late."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

log = logging.getLogger(__name__)

BackgroundTask = Literal["pass", "insights", "heartbeats", "judging"]
BACKGROUND_TASKS: tuple[BackgroundTask, ...] = get_args(BackgroundTask)
LATE_SECONDS = 6.0  # since it was done last; each is done about every second
LOOK_SECONDS = 1.0
_WORDS: dict[BackgroundTask, str] = {
    "pass": "No scheduling pass was completed",
    "insights": "Running jobs were not looked at",
    "heartbeats": "Heartbeats were not written",
    "judging": "Jobs that have succeeded were not judged",
}


@dataclass(frozen=True)
class Late:
    """A task that is late, and since when it was not done."""

    task: BackgroundTask
    seconds: float
    since: datetime

    @property
    def sentence(self) -> str:
        """Say it to people, with the remedy."""
        return (
            f"{_WORDS[self.task]} since {self.since:%H:%M:%S} UTC ({self.seconds:.0f} s): the server gets too little "
            "processor time, or its database is slow; see its log, and give it more or ask less of it."
        )


class BackgroundTasks:
    """The background tasks of one server; their ages count from its start on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done_at: dict[BackgroundTask, float] = {}
        self._told: BackgroundTask | None = None

    def begin(self) -> None:
        """Begin to count: the server starts."""
        self._done_at = dict.fromkeys(BACKGROUND_TASKS, self._clock())

    def done(self, task: BackgroundTask) -> None:
        """Note that the task was done just now."""
        if task in self._done_at:
            self._done_at[task] = self._clock()

    def ages(self) -> dict[BackgroundTask, float]:
        """Return the seconds since each was done; nothing where none are done here."""
        now = self._clock()
        return {task: now - at for task, at in self._done_at.items()}

    def late(self) -> Late | None:
        """Return the task that is late for the longest time."""
        ages = self.ages()
        task = max(ages, key=ages.__getitem__, default=None)
        if task is None or ages[task] <= LATE_SECONDS:
            return None
        return Late(task, ages[task], datetime.now(UTC) - timedelta(seconds=ages[task]))

    def tell(self) -> None:
        """Log when something begins to be late, and when nothing is any more."""
        late = self.late()
        if late is not None and self._told is None:
            log.warning("%s", late.sentence)
        elif late is None and self._told is not None:
            log.warning("The server's own work is done in time again.")
        self._told = None if late is None else late.task

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Tell from another thread meanwhile."""
        is_over = threading.Event()

        def look() -> None:
            while not is_over.wait(LOOK_SECONDS):
                self.tell()

        thread = threading.Thread(target=look, name="background tasks", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
