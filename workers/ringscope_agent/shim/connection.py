"""The agent's end of one shim's control socket."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

from ringscope.rank.load import crowding
from ringscope_agent import freezer, process_group
from ringscope_agent.launch.mute import LOOK_SECONDS, Mute, MuteWatch
from ringscope_agent.shim.messages import MAX_STATUS_BYTES, Status, Wanted, peer_pid

# The time within which a process that hung up, or was killed, ends; one that the kernel holds may stay.
EXIT_SECONDS = 2.0
KILL_SECONDS = 3.0


class ShimConnection:
    """A connection to a live shim, made by ``connect``. The shim's first message may come later.

    Args:
        on_news: called when the status has changed, the spool has grown, or the shim is gone.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_news: Callable[[], None]) -> None:
        self.status = Status()
        self._writer = writer
        self._on_news = on_news
        self._said: Wanted | None = None
        self.pid = peer_pid(writer)
        self._process = process_group.read(self.pid)
        self._mute = MuteWatch()
        self._owes_answer = True  # a shim sends its status to each new connection
        self._listening = asyncio.create_task(self._listen(reader))
        self._asking = asyncio.create_task(self._ask())

    @classmethod
    async def connect(cls, socket_path: Path, on_news: Callable[[], None]) -> "ShimConnection":
        """Connect to the shim. Raises OSError if none listens there; a stopped shim listens but does not answer."""
        return cls(*await asyncio.open_unix_connection(socket_path, limit=MAX_STATUS_BYTES), on_news)

    @property
    def is_gone(self) -> bool:
        """Return whether the shim has ended, by itself or by force."""
        return self._listening.done()

    def want(self, wanted: Wanted) -> None:
        """Send what it should do; the same again is not sent."""
        if wanted != self._said and not self.is_gone:
            self._said = wanted
            self._writer.write(wanted.model_dump_json().encode() + b"\n")

    def mute(self, name: str) -> Mute | None:
        """Return how the shim, called ``name``, fails to answer; None while it answers or may just be slow."""
        state = process_group.standstill_of(self.pid)
        if self.is_gone or state in ("", "Z", "X") or not self._mute.is_mute(state, crowding()):
            return None
        return Mute(name, self.pid, self._mute.seconds, state)

    async def wait_until_gone(self, seconds: float) -> bool:
        """Wait this long at most, then kill the shim. Return whether it is gone.

        A stopped or frozen shim is resumed first so that it can read what is left; a hanging one cannot.
        """
        if self._is_alive:
            with contextlib.suppress(ProcessLookupError):  # it has ended since
                os.kill(self.pid, signal.SIGCONT)
            freezer.let_go(self.pid)
        await asyncio.wait({self._listening}, timeout=seconds if self.mute("") is None else 2 * LOOK_SECONDS)
        if not await self._has_ended(EXIT_SECONDS if self.is_gone else 0.0) and self._process is not None:
            process_group.kill_now([self._process])
        if not await self._has_ended(KILL_SECONDS):
            return False
        await asyncio.wait({self._listening})  # its last message
        return True

    @property
    def _is_alive(self) -> bool:
        found = process_group.read(self.pid)
        return found is not None and self._process is not None and found.started == self._process.started

    async def _has_ended(self, within_seconds: float) -> bool:
        """Return whether the process ends in time; one that has hung up may still be stopped in its last steps."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_seconds
        while self._is_alive:
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(process_group.POLL_SECONDS)
        return True

    async def _ask(self) -> None:
        """Ask repeatedly whether the shim is alive, one question at a time."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            times = process_group.times_of(self.pid)
            queued_ns = 0 if times is None else times.queued_ns
            self._mute.look(self._owes_answer, process_group.standstill_of(self.pid), queued_ns, loop.time())
            if not self._owes_answer and self.status.answers:
                self._owes_answer = True
                self._writer.write(b"\n")

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                self._owes_answer = False
                if line != b"\n":
                    self.status = Status.model_validate_json(line)
                self._on_news()
        except (OSError, ValueError):  # it is gone, or of another version
            pass
        finally:
            self._asking.cancel()
            self._writer.close()
            asyncio.get_running_loop().call_soon(self._on_news)  # once this task is done, and so ``is_gone``
