"""Starts shims, one in advance, so that a job's launch does not wait for the start of Python."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from ringscope_agent import freezer, process_group
from ringscope_agent.launch.launcher import inherited_environment
from ringscope_agent.launch.stopped import LOOK_SECONDS, STANDSTILLS, StoppedWatch
from ringscope_agent.shim.connection import ShimConnection
from ringscope_agent.shim.messages import LISTENING, Task

logger = logging.getLogger(__name__)
T = TypeVar("T")


class StoppedError(ChildProcessError):
    """A shim is stopped or frozen and cannot take a task."""


async def _unless_stopped(process: asyncio.subprocess.Process, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work, for which the process must be running. Raises StoppedError."""
    working, watch, loop = asyncio.create_task(work), StoppedWatch(), asyncio.get_running_loop()
    try:
        while not working.done():
            await asyncio.wait({working}, timeout=LOOK_SECONDS)
            states = {"shim": process_group.standstill_of(process.pid)}
            found = watch.look({"shim": process.pid}, states, loop.time())
            if found is not None and not working.done():
                how = STANDSTILLS[found.state].format(seconds=found.seconds)
                raise StoppedError(f"The shim (pid {process.pid}) that was to supervise the ranks has been {how}")
        return working.result()
    finally:
        working.cancel()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
        freezer.let_go(process.pid)


async def _end(spare: asyncio.Task[asyncio.subprocess.Process] | None) -> None:
    if spare is None:
        return
    with contextlib.suppress(OSError):  # it never started, or has ended
        process = await spare
        _kill(process)
        await process.wait()


class ShimPool:
    """Gives tasks to shims. Until it has a task, a shim dies with the agent.

    Args:
        data_dir: of this agent; the shims' errors are appended to ``shims.log`` there.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._spare: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._loaded: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._is_closed = False
        self._collecting: set[asyncio.Task[None]] = set()

    @property
    def log_path(self) -> Path:
        """The file in which a shim that failed says why."""
        return self._data_dir / "shims.log"

    def prepare(self) -> None:
        """Start a shim in advance if there is none."""
        if self._spare is None:
            self._spare = asyncio.create_task(self._start())

    def prepare_loaded(self, threads: str) -> None:
        """Start a shim in advance for an elastic job, with a process that loads PyTorch for ranks with these
        threads.
        """
        if self._loaded is None and not self._is_closed:
            self._loaded = asyncio.create_task(self._start(threads))

    async def drop_loaded(self) -> None:
        """End the shim with PyTorch: no elastic job is here any more."""
        loaded, self._loaded = self._loaded, None
        await _end(loaded)

    async def hand_over(self, task: Task, on_news: Callable[[], None]) -> ShimConnection:
        """Return a shim that has taken the task. Raises OSError if that fails."""
        try:
            return await self._hand_over(await self._take(task), task, on_news)
        except (ChildProcessError, ConnectionError) as error:
            # It has started nothing; if the next one fails as well, something else is wrong.
            logger.warning("%s; another one takes its place.", error)
            return await self._hand_over(await self._start(), task, on_news)

    async def _hand_over(
        self, process: asyncio.subprocess.Process, task: Task, on_news: Callable[[], None]
    ) -> ShimConnection:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(task.model_dump_json().encode() + b"\n")
            await _unless_stopped(process, process.stdin.drain())
            process.stdin.close()
            if await _unless_stopped(process, process.stdout.readline()) != LISTENING:
                raise ChildProcessError(f"their shim (pid {process.pid}) ended at once; see {self.log_path}")
            return await ShimConnection.connect(task.paths.shim_socket, on_news)
        except BaseException:
            _kill(process)
            raise

    async def close(self) -> None:
        """End the spare shims."""
        self._is_closed = True
        await _end(self._spare)
        await self.drop_loaded()

    async def _take(self, task: Task) -> asyncio.subprocess.Process:
        if task.assignment.spec.placement.min_ranks is not None and self._loaded is not None:
            spare, self._loaded = self._loaded, None
        else:
            self.prepare()
            assert self._spare is not None
            spare, self._spare = self._spare, None
        process = await spare
        return process if process.returncode is None else await self._start()

    async def _start(self, *arguments: str) -> asyncio.subprocess.Process:
        inherited = inherited_environment(os.environ)
        with self.log_path.open("ab") as log, process_group.starting():
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "ringscope_agent.shim.process", *arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=inherited | {process_group.HOME_VARIABLE: str(self._data_dir)},
                start_new_session=True,  # what ends the agent's session must not end the ranks
                preexec_fn=process_group.dies_with(os.getpid()),
            )
            process_group.manage(process.pid)
        collecting = asyncio.create_task(self._collect(process))
        self._collecting.add(collecting)
        collecting.add_done_callback(self._collecting.discard)
        return process

    async def _collect(self, process: asyncio.subprocess.Process) -> None:
        await process.wait()
        process_group.release(process.pid)
