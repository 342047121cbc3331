"""What the ranks and their launchers print, as lines of the job's log."""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from ringscope.contracts.record import Log
from ringscope_agent.launch.hydra import Demultiplexer

_PIECE_BYTES = 1 << 16
# How often a line that is drawn again and again is told.
REDRAW_SECONDS = 0.8


class Output:
    """Reads one pipe to its end.

    Args:
        stream: what the pipe is to whoever writes into it.
        on_log: takes each line, and each state of a line that is redrawn.
        on_line: takes a finished line and its rank first; it returns whether the line is not for the log.
    """

    def __init__(
        self,
        stream: Literal["stdout", "stderr"],
        on_log: Callable[[Log], None],
        on_line: Callable[[int | None, str], bool],
    ) -> None:
        self._stream = stream
        self._on_log = on_log
        self._on_line = on_line
        self._lines = Demultiplexer()
        self._told_ns: dict[int | None, int] = {}  # of lines that are not finished: when their last state was told

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Read until the pipe is closed at its other end."""
        redrawing = asyncio.create_task(self._tell_redrawn())
        try:
            while piece := await reader.read(_PIECE_BYTES):
                for rank, text in self._lines.feed(piece):
                    self._finish(rank, text)
            for rank, text in self._lines.close():
                self._finish(rank, text)
        finally:
            redrawing.cancel()

    async def _tell_redrawn(self) -> None:
        while True:
            await asyncio.sleep(REDRAW_SECONDS)
            for rank, text in self._lines.redrawn():
                self._told_ns[rank] = self._tell(rank, text)

    def _finish(self, rank: int | None, text: str) -> None:
        if not self._on_line(rank, text):
            self._tell(rank, text)
        self._told_ns.pop(rank, None)

    def _tell(self, rank: int | None, text: str) -> int:
        now_ns = time.time_ns()
        replaces_ns = self._told_ns.get(rank)
        self._on_log(Log(rank=rank, stream=self._stream, time_ns=now_ns, text=text, replaces_ns=replaces_ns))
        return now_ns
