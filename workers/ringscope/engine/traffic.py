"""Bytes that this process moves to and from other ranks, counted where they are moved.

Messages count at their sender, and memory of another rank that is read or written at the rank that copies: the sum over
all ranks is what all of them sent. Agreements, barriers and other control messages are not counted.
"""

from threading import Lock


class Traffic:
    """The counters of a process; plans and messages of several threads add to them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._moved_bytes = 0
        self._library_calls = 0

    def add(self, moved_bytes: int) -> None:
        """Count bytes that were moved."""
        with self._lock:
            self._moved_bytes += moved_bytes

    def add_library_call(self) -> None:
        """Count a collective of a library, whose messages nobody counts."""
        with self._lock:
            self._library_calls += 1

    def read(self) -> tuple[int, int]:
        """Return the bytes so far, and the calls of libraries."""
        with self._lock:
            return self._moved_bytes, self._library_calls


TRAFFIC = Traffic()
