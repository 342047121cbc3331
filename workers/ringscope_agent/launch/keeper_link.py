"""The agent's end of one keeper's control socket."""

import asyncio
import os
import signal
import socket
import struct
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from ringscope_agent.launch.control import MAX_STATUS_BYTES, Status, Wanted

ANSWER_SECONDS = 10.0
_PEER = struct.Struct("iII")


class KeeperLink:
    """A connection to a keeper that lives; ``connect`` makes one.

    Args:
        on_news: called when the status has changed, the spool has grown, or the keeper is gone.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: Status, on_news: Callable[[], None]
    ) -> None:
        self.status = status
        self._writer = writer
        self._on_news = on_news
        self._said: Wanted | None = None
        # Of the process at the other end, whoever is told to have that number elsewhere.
        connection: socket.socket = writer.get_extra_info("socket")
        self.pid: int = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]
        self._listening = asyncio.create_task(self._listen(reader))

    @classmethod
    async def connect(cls, socket_path: Path, on_news: Callable[[], None]) -> "KeeperLink":
        """Raises OSError when no keeper listens there, or it does not answer."""
        reader, writer = await asyncio.open_unix_connection(socket_path, limit=MAX_STATUS_BYTES)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):  # its TimeoutError is an OSError
                status = _understand(await reader.readline())
        except BaseException:
            writer.close()
            raise
        return cls(reader, writer, status, on_news)

    @property
    def is_gone(self) -> bool:
        """The keeper has ended, by itself or by force."""
        return self._listening.done()

    def want(self, wanted: Wanted) -> None:
        """Say what it should do; the same again is not sent."""
        if wanted != self._said and not self.is_gone:
            self._said = wanted
            self._writer.write(wanted.model_dump_json().encode() + b"\n")

    async def wait_until_gone(self, seconds: float) -> None:
        """At most so long; then it is killed."""
        await asyncio.wait({self._listening}, timeout=seconds)
        if not self.is_gone:
            # The open connection pins the process, and so its number.
            os.kill(self.pid, signal.SIGKILL)
            await asyncio.wait({self._listening})

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                if line != b"\n":
                    self.status = _understand(line)
                self._on_news()
        except OSError:
            pass
        finally:
            self._writer.close()
            asyncio.get_running_loop().call_soon(self._on_news)  # once this task is done, and so ``is_gone``


def _understand(line: bytes) -> Status:
    try:
        return Status.model_validate_json(line)
    except ValidationError:
        raise ConnectionError("the keeper hung up") from None
