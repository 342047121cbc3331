"""How a thread passes the time while it waits for other ranks: by offering its core, or asleep.

Who offers the core sees an answer within microseconds, but counts as busy: beside a thread of the same rank that
computes it would take its core half of the time. Such a thread is asked to sleep.
"""

import os
import threading
import time
from collections.abc import Callable

_NAP_SECONDS = 50e-6  # the kernel makes about 100 us of it


class _Thread(threading.local):
    """What the current thread was asked; by default to answer fast."""

    sleeps: Callable[[], bool] | None = None


_thread = _Thread()


def sleep_while(is_wanted: Callable[[], bool]) -> None:
    """Ask the current thread to sleep in its pauses as long as ``is_wanted`` says so."""
    _thread.sleeps = is_wanted


def pause() -> None:
    """Between two looks at what is awaited."""
    if _thread.sleeps is not None and _thread.sleeps():
        time.sleep(_NAP_SECONDS)
    else:
        os.sched_yield()
