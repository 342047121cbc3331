"""Wait for other ranks by yielding the core, or by sleeping.

A thread that yields sees an answer within microseconds, but counts as busy: it would take half of the core from a
computing thread of the same rank. In that case the waiting thread sleeps.
"""

import os
import threading
import time
from collections.abc import Callable

_NAP_SECONDS = 50e-6  # the kernel extends it to about 100 us
_LONG_NAP_SECONDS = 2e-3  # for waits of seconds: the core is needed for 1 % of the time


class _Thread(threading.local):
    """The wait mode requested for the current thread; the default answers fast."""

    sleeps: Callable[[], bool] | None = None


_thread = _Thread()


def sleep_while(is_wanted: Callable[[], bool]) -> None:
    """Let the current thread sleep in its pauses while ``is_wanted`` returns true."""
    _thread.sleeps = is_wanted


def pause() -> None:
    """Pause between two checks of a condition."""
    if _thread.sleeps is not None and _thread.sleeps():
        time.sleep(_NAP_SECONDS)
    else:
        os.sched_yield()


def sleep_until(is_done: Callable[[], bool]) -> None:
    """Return up to 2 ms after ``is_done`` returns true, and leave the core to others meanwhile."""
    while not is_done():
        time.sleep(_LONG_NAP_SECONDS)
