"""Limits for silent connections and for their number, because clients need no token to connect."""

import resource
import time
from collections.abc import Callable
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# A request may take this long to arrive, and longer as more of it arrives (Apache's mod_reqtimeout has the same
# figures): this distinguishes a client that sends a byte now and then from a slow link.
REQUEST_SECONDS = 20.0
LEAST_BYTES_PER_SECOND = 500
MOST_REQUEST_SECONDS = 300.0
IDLE_SECONDS = 10.0  # uvicorn itself closes after 5, but not if the rest of a body came after its answer
UNREAD_SECONDS = 60.0  # for a client that does not read its answer
MOST_HEAD_BYTES = 64 << 10  # bytes of a request without any of its body: its head, or what follows the last chunk
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"The URL and headers are larger than 64 kB; send less.\n"
)
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"The request took too long to come; send it without pauses.\n"
)

# With more connections, memory would be the limit.
MOST_DESCRIPTORS = 16_384
# For the database, files, webhooks and everything else that is not a client.
RESERVED_DESCRIPTORS = 96
DESCRIPTORS_PER_CLIENT = 2  # its socket, and a file of the page while it is sent


class Silent(Protocol):
    """The part of a connection that matters here."""

    def abort(self) -> None:
        """Close it at once."""

    def is_moving(self) -> bool:
        """Return whether its client has read enough of its answer since the last call."""


def raise_limit() -> int:
    """Raise this process's limit of descriptors as far as possible; return the number of clients that it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY or soft > MOST_DESCRIPTORS:
        soft = MOST_DESCRIPTORS
    return max(soft - RESERVED_DESCRIPTORS, soft // 2) // DESCRIPTORS_PER_CLIENT


class Connections:
    """The connections that the server waits for, the longest silent first; those with a request in progress are not
    among them.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._due: dict[Silent, tuple[float, float]] = {}  # when it is closed, and when at the latest

    def wait(self, connection: Silent, seconds: float, at_most: float = 0.0) -> None:
        """Wait for a connection from now on, for this many seconds unless data arrives."""
        self.end(connection)
        now = self._clock()
        self._due[connection] = (now + seconds, now + max(seconds, at_most))

    def heard(self, connection: Silent, size_bytes: int) -> None:
        """Note that a part of a request arrived, which extends its time."""
        if connection in self._due:
            due, latest = self._due[connection]
            self._due[connection] = (min(due + size_bytes / LEAST_BYTES_PER_SECOND, latest), latest)

    def end(self, connection: Silent) -> None:
        """Stop waiting for a connection."""
        self._due.pop(connection, None)

    def sweep(self) -> None:
        """Close connections that were silent for too long; a client that reads a long answer slowly is not silent."""
        now = self._clock()
        for connection in [connection for connection, (due, _) in self._due.items() if due <= now]:
            if connection.is_moving():
                self.wait(connection, UNREAD_SECONDS)
            else:
                self._close(connection)

    def make_room(self, count: int) -> None:
        """Close the longest silent connections if there are too many; if none is silent, the new one is closed."""
        for connection in list(self._due)[: max(0, count - self.most)]:
            self._close(connection)

    def _close(self, connection: Silent) -> None:
        self.end(connection)
        connection.abort()


class Connection(HttpToolsProtocol):
    """The connection of one client. uvicorn would wait for ever for the rest of a request, and bounds no header."""

    def __init__(self, all_of_them: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = all_of_them
        self._is_asking = True  # a request is in progress, or its first byte is awaited
        self._is_in_head = False
        self._bare_bytes = 0  # bytes of the request that arrived without a part of its body
        self._unsent_bytes = 0

    def abort(self) -> None:
        """Close the connection at once, whatever is unsent; a client whose request has begun gets the reason."""
        if self._may_say_why():
            self.transport.write(TOO_SLOW)
            self.transport.close()
            self._rest()
        else:
            self.transport.abort()

    def _may_say_why(self) -> bool:
        """Return whether a request has begun and no part of an answer, to it or to an earlier one, is being sent or
        unread.
        """
        if self.transport.is_closing() or self.transport.get_write_buffer_size():
            return False
        if self._is_in_head:
            return self.cycle is None or self.cycle.response_complete
        return self._is_asking and self.cycle is not None and not self.cycle.response_started

    def is_moving(self) -> bool:
        """Return whether its client has read enough of its answer since the last call; an occasional byte is not
        enough.
        """
        before, self._unsent_bytes = self._unsent_bytes, self.transport.get_write_buffer_size()
        return self._unsent_bytes > 0 and before - self._unsent_bytes >= LEAST_BYTES_PER_SECOND * UNREAD_SECONDS

    def connection_made(self, transport: Any) -> None:
        """Add a new connection."""
        super().connection_made(transport)
        self._all.wait(self, REQUEST_SECONDS, MOST_REQUEST_SECONDS)
        self._all.make_room(len(self.connections))

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove a connection that is closed."""
        self._all.end(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request, or of several."""
        self._all.heard(self, len(data))
        self._bare_bytes += len(data)
        super().data_received(data)
        if self._bare_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """Note the first byte of a request."""
        super().on_message_begin()
        self._is_in_head, self._bare_bytes = True, 0
        if not self._is_asking:
            self._ask()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Collect a header of the head; trailers after a chunked body are ignored, as they could go on for ever."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note the end of the head."""
        self._is_in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take in a part of the body."""
        self._bare_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that a request is complete."""
        self._is_asking, self._bare_bytes = False, 0
        self._all.end(self)
        super().on_message_complete()
        if self.cycle.response_complete:  # it was answered earlier
            self._rest()

    def on_response_complete(self) -> None:
        """Note that an answer is written, though perhaps not sent."""
        super().on_response_complete()
        if self.transport.is_closing():
            if self in self.connections:  # it closes once its client has read all, which may never happen
                self._rest()
        elif self._is_asking:
            self._ask()
        elif self.cycle.response_complete:
            self._rest()

    def pause_writing(self) -> None:
        """Pause, because the client reads nothing more for now."""
        super().pause_writing()
        self._rest()

    def resume_writing(self) -> None:
        """Resume, because the transport has drained."""
        super().resume_writing()
        if not self._is_asking and self.cycle is not None and not self.cycle.response_complete:
            self._all.end(self)

    def _ask(self) -> None:
        self._is_asking = True
        self._all.wait(self, REQUEST_SECONDS, MOST_REQUEST_SECONDS)

    def _rest(self) -> None:
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._all.wait(self, UNREAD_SECONDS if self._unsent_bytes else IDLE_SECONDS)
