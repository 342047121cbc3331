"""Wait for other ranks by yielding the core, or by sleeping.

A thread that yields sees an answer within microseconds, but counts as busy: it would take half of the core from a
computing thread of the same rank. Such a waiting thread is asked to sleep.
"""

import os
import threading
import time
from collections.abc import Callable

_NAP_SECONDS = 50e-6  # the kernel makes about 100 us of it


class _Thread(threading.local):
    """The wait mode requested for the current thread; the default answers fast."""

    sleeps: Callable[[], bool] | None = None


_thread = _Thread()


def sleep_while(is_wanted: Callable[[], bool]) -> None:
    """Ask the current thread to sleep in its pauses as long as ``is_wanted`` says so."""
    _thread.sleeps = is_wanted


def pause() -> None:
    """Pause between two checks of a condition."""
    if _thread.sleeps is not None and _thread.sleeps():
        time.sleep(_NAP_SECONDS)
    else:
        os.sched_yield()
