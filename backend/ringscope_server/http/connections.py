"""How long a connection may be silent, and who goes when there are too many: strangers need no token to connect."""

import resource
import time
from collections.abc import Callable
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# A request may take so long to come, and longer the more of it comes (mod_reqtimeout of Apache has the same figures):
# who sends a byte now and then is told from a slow link.
REQUEST_SECONDS = 20.0
LEAST_BYTES_PER_SECOND = 500
MOST_REQUEST_SECONDS = 300.0
IDLE_SECONDS = 10.0  # uvicorn itself closes after 5, but not where the rest of a body came after its answer
UNREAD_SECONDS = 60.0  # a client that does not take its answer
MOST_HEAD_BYTES = 64 << 10  # of a request without any of its body: its head, or what follows the last chunk
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"The URL and headers are larger than 64 kB; send less.\n"
)
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"The request took too long to come; send it without pauses.\n"
)

# More would be so many connections that memory is the limit.
MOST_DESCRIPTORS = 16_384
# For the database, files, webhooks and what else is no client.
RESERVED_DESCRIPTORS = 96
DESCRIPTORS_PER_CLIENT = 2  # its socket, and a file of the page while that is sent


class Silent(Protocol):
    """A connection, as far as it matters here."""

    def abort(self) -> None:
        """Close it at once."""

    def is_moving(self) -> bool:
        """Whether its client took enough of its answer since this was asked last."""


def raise_limit() -> int:
    """Raise this process' limit of descriptors as far as it goes; gives how many clients that leaves room for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY or soft > MOST_DESCRIPTORS:
        soft = MOST_DESCRIPTORS
    return max(soft - RESERVED_DESCRIPTORS, soft // 2) // DESCRIPTORS_PER_CLIENT


class Connections:
    """Those that the server waits for, the longest silent first; those whose request is being worked on are not."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._due: dict[Silent, tuple[float, float]] = {}  # when it is closed, and when at the latest

    def wait(self, connection: Silent, seconds: float, at_most: float = 0.0) -> None:
        """The server waits for it from now on, so many seconds unless something comes."""
        self.end(connection)
        now = self._clock()
        self._due[connection] = (now + seconds, now + max(seconds, at_most))

    def heard(self, connection: Silent, size_bytes: int) -> None:
        """A part of a request came, which gives it time for more."""
        if connection in self._due:
            due, latest = self._due[connection]
            self._due[connection] = (min(due + size_bytes / LEAST_BYTES_PER_SECOND, latest), latest)

    def end(self, connection: Silent) -> None:
        """The server does not wait for it any more."""
        self._due.pop(connection, None)

    def sweep(self) -> None:
        """Close those that were silent for too long; who takes a long answer slowly is not silent."""
        now = self._clock()
        for connection in [connection for connection, (due, _) in self._due.items() if due <= now]:
            if connection.is_moving():
                self.wait(connection, UNREAD_SECONDS)
            else:
                self._close(connection)

    def make_room(self, count: int) -> None:
        """Close the longest silent ones where there are more connections than may be; the newest where none is."""
        for connection in list(self._due)[: max(0, count - self.most)]:
            self._close(connection)

    def _close(self, connection: Silent) -> None:
        self.end(connection)
        connection.abort()


class Connection(HttpToolsProtocol):
    """One client. uvicorn waits for ever for a request that has not come as a whole, and bounds no header."""

    def __init__(self, all_of_them: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = all_of_them
        self._is_asking = True  # a request is under way, or its first byte is awaited
        self._is_in_head = False
        self._bare_bytes = 0  # of the request that came without a part of its body
        self._unsent_bytes = 0

    def abort(self) -> None:
        """Close it at once, whatever is still to be sent; a client whose request has begun to come is told why."""
        if self._may_say_why():
            self.transport.write(TOO_SLOW)
            self.transport.close()
            self._rest()
        else:
            self.transport.abort()

    def _may_say_why(self) -> bool:
        """A request has begun, and nothing of an answer, to it or to an earlier one, is on its way or unread."""
        if self.transport.is_closing() or self.transport.get_write_buffer_size():
            return False
        if self._is_in_head:
            return self.cycle is None or self.cycle.response_complete
        return self._is_asking and self.cycle is not None and not self.cycle.response_started

    def is_moving(self) -> bool:
        """Whether its client took enough of its answer since this was asked last, a byte now and then being none."""
        before, self._unsent_bytes = self._unsent_bytes, self.transport.get_write_buffer_size()
        return self._unsent_bytes > 0 and before - self._unsent_bytes >= LEAST_BYTES_PER_SECOND * UNREAD_SECONDS

    def connection_made(self, transport: Any) -> None:
        """A client came."""
        super().connection_made(transport)
        self._all.wait(self, REQUEST_SECONDS, MOST_REQUEST_SECONDS)
        self._all.make_room(len(self.connections))

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._all.end(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request, or several."""
        self._all.heard(self, len(data))
        self._bare_bytes += len(data)
        super().data_received(data)
        if self._bare_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._is_in_head, self._bare_bytes = True, 0
        if not self._is_asking:
            self._ask()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of the head; those behind a body in chunks nobody asks for, and they could go on for ever."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The body comes next."""
        self._is_in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._bare_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._is_asking, self._bare_bytes = False, 0
        self._all.end(self)
        super().on_message_complete()
        if self.cycle.response_complete:  # it was answered before
            self._rest()

    def on_response_complete(self) -> None:
        """An answer is written, if not sent."""
        super().on_response_complete()
        if self.transport.is_closing():
            if self in self.connections:  # it closes once its client has taken all, which may be never
                self._rest()
        elif self._is_asking:
            self._ask()
        elif self.cycle.response_complete:
            self._rest()

    def pause_writing(self) -> None:
        """The client takes nothing more for now."""
        super().pause_writing()
        self._rest()

    def resume_writing(self) -> None:
        """It goes on."""
        super().resume_writing()
        if not self._is_asking and self.cycle is not None and not self.cycle.response_complete:
            self._all.end(self)

    def _ask(self) -> None:
        self._is_asking = True
        self._all.wait(self, REQUEST_SECONDS, MOST_REQUEST_SECONDS)

    def _rest(self) -> None:
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._all.wait(self, UNREAD_SECONDS if self._unsent_bytes else IDLE_SECONDS)
