"""Work of a processor in child processes: shared fairly, and killed when nobody waits for it any more.

The children are forked by a server of their own (``multiprocessing``'s forkserver), which has imported what they need:
a new one is there in some milliseconds, and holds no descriptor of this process. They end with it.
"""

import asyncio
import pickle
import signal
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, Protocol, TypeVar

from ringscope_server.overload.concurrency_limit import ConcurrencyLimit

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 3  # more of them would only take turns with each other, and with the event loop
_PROCESSES = get_context("forkserver")


class ProcessLostError(Exception):
    """A child was killed by somebody else while it worked."""


class Runs(Protocol):
    """Whatever runs work of a processor for one who asks."""

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns. Raises BusyError and ProcessLostError."""


class ProcessPool:
    """Lets each key have one piece of work at a time, and few keys at once.

    Args:
        preload: the modules whose functions are called; those are imported once for all children.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._limit = ConcurrencyLimit(AT_ONCE, each=1)
        self._preload = list(preload)
        self._threads = ThreadPoolExecutor(AT_ONCE, "process pool")  # each waits for one child
        self._children: set[_Child] = set()
        self._idle: list[_Child] = []

    async def warm(self) -> None:
        """Start the first child, so that the first piece of work does not wait for imports."""
        await self.run(None, int)

    async def run(self, key: Hashable, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns, once it has a place; if this is cancelled, its process is killed.

        The function is one of a module, and it and all that it takes and gives can be pickled. Raises what it raises,
        BusyError where too many wait, and ProcessLostError.
        """
        async with self._limit.taken(key):
            child = await self._child()
            working = asyncio.get_running_loop().run_in_executor(self._threads, child.call, function, args, kwargs)
            try:
                is_done, found = await asyncio.shield(working)
            except BaseException:
                self._end(child)
                await _to_its_end(working)
                raise
            self._idle.append(child)
        if is_done:
            return found  # type: ignore[no-any-return]
        raise found

    def close(self) -> None:
        """Kill all children."""
        for child in [*self._children]:
            self._end(child)
        self._idle.clear()
        self._threads.shutdown(wait=False)

    async def _child(self) -> "_Child":
        """The one that was used last, whose caches know most, or a new one."""
        while self._idle:
            child = self._idle.pop()
            if child.is_alive():
                return child
            self._end(child)
        starting = asyncio.get_running_loop().run_in_executor(self._threads, _Child, self._preload)
        starting.add_done_callback(self._note)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            await _to_its_end(starting)
            if not starting.cancelled() and starting.exception() is None:
                self._idle.append(starting.result())
            raise

    def _note(self, starting: "asyncio.Future[_Child]") -> None:
        if not starting.cancelled() and starting.exception() is None:
            self._children.add(starting.result())

    def _end(self, child: "_Child") -> None:
        self._children.discard(child)
        child.kill()


class _Child:
    """One process and the pipe to it. To start it and to call it block."""

    def __init__(self, preload: list[str]) -> None:
        _PROCESSES.set_forkserver_preload(preload)
        self._pipe, theirs = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=_serve, args=(theirs,), name="ringscope process pool", daemon=True)
        self._process.start()
        theirs.close()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool, Any]:
        """Call the function there; return whether it returned, and its result or exception. Raises ProcessLostError."""
        try:
            self._pipe.send((function, args, kwargs))
            told: tuple[bool, Any] = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise ProcessLostError from error
        return told

    def is_alive(self) -> bool:
        """Return whether the process can be called."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


def _serve(pipe: Connection) -> None:
    """The whole life of a child: call what is asked for, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the server ends this one
    while True:
        try:
            function, args, kwargs = pipe.recv()
        except EOFError:
            return
        try:
            told = True, function(*args, **kwargs)
        except Exception as error:
            told = False, error
        try:
            pipe.send(told)
        except BrokenPipeError:
            return
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            pipe.send((False, RuntimeError(f"{told[1]!r} cannot be sent: {error}")))


async def _to_its_end(running: "asyncio.Future[Any]") -> None:
    """Also where it is cancelled again: the place is given back when the work is over."""
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            continue
    if not running.cancelled():
        running.exception()  # it is known, and nobody needs it
