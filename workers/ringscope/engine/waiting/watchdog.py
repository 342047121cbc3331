"""A watchdog: ends a library call that blocks for ever, from a separate thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_SECONDS = 0.5


class Watchdog:
    """Calls ``bite`` once a guarded call has run longer than ``timeout_seconds``.

    The thread checks periodically, so that a call costs three assignments: ``inside`` is the name of the guarded call
    while it runs, ``calls`` is the number of finished calls. Calls that are too short for a ``guard`` set them
    directly.
    """

    def __init__(
        self,
        bite: Callable[[], None],
        timeout_seconds: float,
        on_look: Callable[[], bool] = lambda: False,
        patience: Callable[[], float] | None = None,
    ) -> None:
        """``on_look`` is called at every check; once it returns true the same call waits no longer.

        ``patience`` returns how many seconds a call may take, if that is not always ``timeout_seconds``.
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
        """Watch a block; a nested block starts its own timeout."""
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
