"""Work of a processor in threads of its own: shared fairly, and ended when nobody waits for it any more."""

import asyncio
import ctypes
import threading
from collections.abc import Callable, Hashable
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from ringscope_server.precedence.shares import Shares

T = TypeVar("T")

AT_ONCE = 3  # more of them would only take turns, and keep the event loop from its own


class Runs(Protocol):
    """Whoever runs such work for one who asks."""

    async def run(self, work: Callable[[], T]) -> T:
        """The work's result. Raises BusyError."""


class Worker:
    """Lets each key have one piece of work at a time, and few keys at once."""

    def __init__(self) -> None:
        self._shares = Shares(AT_ONCE, each=1)

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        """The work's result, when its turn has come; cancelled, the work ends as well. Raises BusyError."""
        async with self._shares.taken(key):
            piece = _Piece(work)
            try:
                return await asyncio.shield(piece.result)
            except asyncio.CancelledError:
                piece.stop()
                await _to_its_end(piece.ended)
                raise


class _StoppedError(SystemExit):
    """Raised inside a piece that is to end; a thread that ends with it prints nothing."""


class _Piece(Generic[T]):
    """A thread for one piece of work, in which an exception can be raised from outside.

    Only the event loop's thread raises it, and not once the thread has said that its work is over; the thread ends when
    it has heard that this is known. So the exception never comes while the thread is taken apart.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._work = work
        self._is_known_to_be_over: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="planner", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the work at its next step in Python."""
        if not self.ended.done() and self._thread.ident is not None:
            _raise_in(self._thread.ident, _StoppedError)

    def _run(self) -> None:
        found: Any = None
        trouble: BaseException | None = None
        try:
            found = self._work()
        except BaseException as error:  # whatever it is, it is told to whoever waits
            trouble = error
        while True:
            try:
                self._loop.call_soon_threadsafe(self._is_over, found, trouble)
                self._is_known_to_be_over.get()
                break
            except _StoppedError:
                continue
            except RuntimeError:
                break  # the loop is closed: the server has stopped

    def _is_over(self, found: T, trouble: BaseException | None) -> None:
        if self.ended.done():
            return
        self.ended.set_result(None)
        self._is_known_to_be_over.put(None)
        if self.result.done():
            return
        if isinstance(trouble, _StoppedError):
            self.result.cancel()
        elif trouble is not None:
            self.result.set_exception(trouble)
        else:
            self.result.set_result(found)


async def _to_its_end(ended: "asyncio.Future[None]") -> None:
    """Also where it is cancelled again: the share is given back when the work is over."""
    while not ended.done():
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            continue


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
