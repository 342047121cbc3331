"""The rank's side of telemetry: records as JSON lines on a Unix socket of this node's receiver.

Nothing here ever waits while a benchmark runs: records that the socket does not accept stay in a bounded queue. When it
is full, the oldest Steps are dropped and counted.
"""

import contextlib
import socket
import time
from collections import deque

from ringscope.contracts.record import Done, Record, Steps

_MAX_QUEUED_STEPS = 1024
_CLOSE_DEADLINE_SECONDS = 5.0


class Reporter:
    """A connection that sends records; without a socket path it discards them."""

    def __init__(self, path: str | None, max_queued_steps: int = _MAX_QUEUED_STEPS) -> None:
        """Connect to the socket at ``path``; OSError if there is no receiver."""
        self.dropped = 0
        self._unreported = 0
        self._max_queued_steps = max_queued_steps
        self._queued_steps = 0
        self._queue: deque[Record] = deque()
        self._rest = memoryview(b"")
        self._socket: socket.socket | None = None
        if path is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self._socket.connect(path)
            except OSError:
                self._socket.close()
                raise
            self._socket.setblocking(False)

    def send(self, record: Record) -> None:
        """Queue a record and send as much as the socket accepts without waiting."""
        if self._socket is None:
            return
        self._queue.append(record)
        if isinstance(record, Steps):
            self._queued_steps += 1
            if self._queued_steps > self._max_queued_steps:
                self._drop_oldest_steps()
        self._pump()

    def close(self, done: Done | None = None, deadline_seconds: float = _CLOSE_DEADLINE_SECONDS) -> None:
        """Send everything, and last ``done`` with the number of dropped records; stop at the deadline."""
        if self._socket is None:
            return
        if done is not None:
            self._queue.append(done.model_copy(update={"dropped": self.dropped}))
        self.flush(deadline_seconds)
        self._disconnect()

    def flush(self, deadline_seconds: float = _CLOSE_DEADLINE_SECONDS) -> None:
        """Wait until the socket has accepted everything, after all timing is over. Stops at the deadline."""
        deadline = time.monotonic() + deadline_seconds
        while self._socket is not None and (self._queue or self._rest):
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            self._socket.settimeout(remaining)
            self._pump()

    def _drop_oldest_steps(self) -> None:
        index = next(i for i, record in enumerate(self._queue) if isinstance(record, Steps))
        del self._queue[index]
        self._queued_steps -= 1
        self.dropped += 1
        self._unreported += 1

    def _pump(self) -> None:
        try:
            while self._socket is not None and (self._rest or self._queue):
                if not self._rest:
                    self._rest = memoryview(self._encoded(self._queue.popleft()))
                self._rest = self._rest[self._socket.send(self._rest) :]
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            # The listener is gone. The job matters more, so continue without telemetry.
            self._disconnect()

    def _encoded(self, record: Record) -> bytes:
        if isinstance(record, Steps):
            self._queued_steps -= 1
            if self._unreported:
                record = record.model_copy(update={"dropped": self._unreported})
                self._unreported = 0
        return record.model_dump_json().encode() + b"\n"

    def _disconnect(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
        self._socket = None
        self._queue.clear()
        self._rest = memoryview(b"")
