"""A watchdog: ends a library call that blocks for ever, from a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watchdog:
    """Calls ``bite`` once a guarded block has run longer than ``timeout_seconds``."""

    def __init__(self, bite: Callable[[], None], timeout_seconds: float) -> None:
        self._bite, self._timeout = bite, timeout_seconds
        self._deadline: float | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.has_bitten = False
        self._thread = threading.Thread(target=self._watch, name="ringscope-watchdog", daemon=True)
        self._thread.start()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Watch over a block; costs two assignments, because the thread looks by itself from time to time."""
        self._deadline = time.monotonic() + self._timeout
        try:
            yield
        finally:
            with self._lock:  # a bite that has begun is awaited
                self._deadline = None

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(min(1.0, self._timeout / 4)):
            with self._lock:
                if self._deadline is not None and time.monotonic() > self._deadline:
                    self._deadline = None
                    self.has_bitten = True
                    self._bite()
