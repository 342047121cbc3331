"""Takes the records of the ranks of one node through a Unix socket; the counterpart of an agent, for a run without
one.
"""

import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from ringscope.contracts.record import RECORD, Hello, Record, Started
from ringscope.rank.close_order import CloseOrder

_READ_BYTES = 1 << 16


class Receiver:
    """Listens at ``path`` and yields records as they arrive; used as a context manager.

    ``hang_ups[rank]`` is the number of connections that were closed before this rank's, which is also closed.
    """

    def __init__(self, path: Path) -> None:
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(128)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._partial: dict[socket.socket, bytes] = {}
        self._ranks: dict[socket.socket, int] = {}
        self._order = CloseOrder()
        self.hang_ups: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in [*self._partial, self._listener]:
            connection.close()
        self._selector.close()
        self._order.close()

    def receive(self, timeout_seconds: float) -> Iterator[Record]:
        """Wait up to ``timeout_seconds`` for data, then return all records that have arrived."""
        for key, _ in self._selector.select(timeout_seconds):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            if connection is self._listener:
                accepted, _ = self._listener.accept()
                self._partial[accepted] = b""
                self._order.watch(accepted.fileno())
                self._selector.register(accepted, selectors.EVENT_READ)
            else:
                yield from self._read(connection)

    @property
    def is_idle(self) -> bool:
        """Return whether no data waits to be read and no connection to be accepted."""
        return not self._selector.select(0)

    def _read(self, connection: socket.socket) -> Iterator[Record]:
        try:
            data = connection.recv(_READ_BYTES)
        except ConnectionResetError:
            data = b""
        if not data:
            self._hang_up(connection)
            return
        *lines, self._partial[connection] = (self._partial[connection] + data).split(b"\n")
        for record in map(RECORD.validate_json, lines):
            if isinstance(record, Started | Hello):
                self._ranks[connection] = record.rank
            yield record

    def _hang_up(self, connection: socket.socket) -> None:
        place = self._order.take_place(connection.fileno())
        if connection in self._ranks:
            self.hang_ups[self._ranks.pop(connection)] = place
        self._selector.unregister(connection)
        del self._partial[connection]
        connection.close()
