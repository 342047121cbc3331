"""The agent's end of one keeper's control socket."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

from ringscope_agent.launch.control import MAX_STATUS_BYTES, Status, Wanted, peer_pid


class KeeperLink:
    """A connection to a keeper that lives; ``connect`` makes one. What it says first may come later.

    Args:
        on_news: called when the status has changed, the spool has grown, or the keeper is gone.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_news: Callable[[], None]) -> None:
        self.status = Status()
        self._writer = writer
        self._on_news = on_news
        self._said: Wanted | None = None
        self.pid = peer_pid(writer)
        self._listening = asyncio.create_task(self._listen(reader))

    @classmethod
    async def connect(cls, socket_path: Path, on_news: Callable[[], None]) -> "KeeperLink":
        """Raises OSError when no keeper listens there. One that is stopped listens, and does not answer."""
        return cls(*await asyncio.open_unix_connection(socket_path, limit=MAX_STATUS_BYTES), on_news)

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
        """At most so long; then it is killed. One that is stopped goes on first, to read what is left to be read."""
        if not self.is_gone:
            os.kill(self.pid, signal.SIGCONT)
        await asyncio.wait({self._listening}, timeout=seconds)
        if not self.is_gone:
            # The open connection pins the process, and so its number.
            os.kill(self.pid, signal.SIGKILL)
            await asyncio.wait({self._listening})

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                if line != b"\n":
                    self.status = Status.model_validate_json(line)
                self._on_news()
        except (OSError, ValueError):  # it is gone, or of another version
            pass
        finally:
            self._writer.close()
            asyncio.get_running_loop().call_soon(self._on_news)  # once this task is done, and so ``is_gone``
