"""The output of the ranks and their launchers, as lines of the job's log."""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from ringscope.contracts.record import Log
from ringscope_agent.launch.hydra import Demultiplexer

_PIECE_BYTES = 1 << 16
# How often the state of a redrawn line is logged.
REDRAW_SECONDS = 0.8


class Output:
    """Reads one pipe to its end.

    Args:
        stream: the stream that the pipe is for its writer.
        on_log: takes each line, and each state of a line that is redrawn.
        on_line: takes a finished line and its rank first, and returns whether the line is kept out of the log.
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
        self._told_ns: dict[int | None, int] = {}  # for unfinished lines: when their last state was logged

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
