"""The Unix socket to which the ranks of one attempt send records: one connection per rank, JSON lines.

Reading only waits for the rank, so a rank's socket fills only if the shim is stopped.
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from ringscope.contracts.record import RECORD, Hello, Record, Started
from ringscope.rank.close_order import CloseOrder

MAX_RECORD_BYTES = 64 << 20


class Listener:
    """Listens for ranks and hands on each record with its untouched JSON line.

    Args:
        on_record: called with (line, record) in the order of arrival.
        on_hang_up: called with the rank when everything that it sent before its connection closed was read, and with
            how many connections were closed before it.
        on_malformed: called with a sentence for a line that is no record; the line is dropped.
    """

    def __init__(
        self,
        on_record: Callable[[bytes, Record], None],
        on_hang_up: Callable[[int, int], None],
        on_malformed: Callable[[str], None],
    ) -> None:
        self._on_record = on_record
        self._on_hang_up = on_hang_up
        self._on_malformed = on_malformed
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._hang_ups: CloseOrder

    async def start(self, socket_path: Path) -> None:
        """Listen on ``socket_path``; asyncio replaces a stale socket of an earlier run."""
        self._hang_ups = CloseOrder()
        self._server = await asyncio.start_unix_server(self._accept, path=str(socket_path), limit=MAX_RECORD_BYTES)

    async def drain(self, timeout_seconds: float) -> None:
        """Wait, at most the timeout, until every rank has closed its connection, so no record is left in a socket."""
        if self._connections:
            await asyncio.wait(self._connections, timeout=timeout_seconds)

    async def close(self) -> None:
        """Stop listening and close the connections."""
        if self._server is None:
            return
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        if self._connections:
            await asyncio.wait(self._connections)
        await self._server.wait_closed()
        self._server = None
        self._hang_ups.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._hang_ups.watch(writer.get_extra_info("socket").fileno())
        connection = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        rank: int | None = None
        descriptor = writer.get_extra_info("socket").fileno()
        try:
            while line := await self._read_line(reader):
                record = self._parse(line.rstrip(b"\n"))
                if isinstance(record, Started | Hello):
                    rank = record.rank
        finally:
            place = self._hang_ups.take_place(descriptor)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            if rank is not None:
                self._on_hang_up(rank, place)

    async def _read_line(self, reader: asyncio.StreamReader) -> bytes:
        while True:
            try:
                line = await reader.readline()
            except ConnectionError:
                return b""
            except ValueError:  # longer than the limit: asyncio has thrown the beginning away
                self._on_malformed(f"A record is longer than {MAX_RECORD_BYTES} bytes.")
                continue
            if line and not line.endswith(b"\n"):
                self._on_malformed("A rank ended in the middle of a record.")
                return b""
            return line

    def _parse(self, line: bytes) -> Record | None:
        try:
            record = RECORD.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            self._on_malformed(f"A record is not valid: {first['loc']}: {first['msg']}.")
            return None
        self._on_record(line, record)
        return record
