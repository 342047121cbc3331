"""A watchdog: ends a library call that blocks for ever, from a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_SECONDS = 0.5


class Watchdog:
    """Calls ``bite`` once a guarded call has run longer than ``timeout_seconds``.

    The thread looks by itself from time to time, so that a call costs three assignments: ``inside`` is what the guarded
    call is named while it runs, ``calls`` how many are through. Calls that are too short for a ``guard`` set them.
    """

    def __init__(
        self,
        bite: Callable[[], None],
        timeout_seconds: float,
        on_look: Callable[[], bool] = lambda: False,
        patience: Callable[[], float] | None = None,
    ) -> None:
        """``on_look`` is called at every look; once it is true the same call need not wait longer.

        ``patience`` returns how many seconds a call may take now, where that is not always ``timeout_seconds``.
        """
        self._bite, self._on_look, self._timeout = bite, on_look, timeout_seconds
        self._patience = patience or (lambda: timeout_seconds)
        self.inside, self.calls = "", 0
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="ringscope-watchdog", daemon=True)
        self._thread.start()

    @contextmanager
    def guard(self, name: str = "a call") -> Iterator[None]:
        """Watch a block; a nested block starts a count of its own."""
        outer, self.inside = self.inside, name
        try:
            yield
        finally:
            with self._lock:  # a bite that has begun is awaited
                self.inside = outer
                self.calls += 1

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        seen, since, bitten = -1, 0.0, -1
        while not self._closed.wait(min(_LOOK_SECONDS, self._timeout / 4)):
            hopeless = self._on_look()
            with self._lock:
                calls, now = self.calls, time.monotonic()
                if not self.inside or calls != seen:
                    seen, since = (calls if self.inside else -1), now
                elif calls != bitten and (hopeless or now - since > self._patience()):
                    bitten = calls
                    self._bite()
