"""Measure the speed of this machine in a fraction of a second: ``python -m ringscope.engine.probe`` prints it.

It runs in a separate process, because it shares one core with a copy of itself.
"""

import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ringscope.contracts.words.machine import REFERENCE, Machine
from ringscope.engine.cores import hardware, own_cores

Array = npt.NDArray[np.float32]

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_NEAR_BYTES, _MOST_FAR_BYTES = 128 << 10, 64 << 20
_SECONDS_EACH = 0.04
_TURNS = 200
_OVER = 2
_TURN_SECONDS = 1.0  # beside programs that use the core, each turn may last for some milliseconds
_FEW_CALLS = 200
_NS_PER_US = 1e3


def measure() -> Machine:
    """Times are the best of many, so that other load on the machine does not count."""
    cache_bytes = _cache_bytes()
    far_bytes = min(max(8 * cache_bytes, 8 << 20), _MOST_FAR_BYTES)
    small, other = np.ones(2, np.float32), np.ones(2, np.float32)

    def calls() -> None:
        for _ in range(_FEW_CALLS):
            np.add(small, other, out=other)

    return Machine(
        hardware=hardware(),
        cores=own_cores().at_once,
        call_us=_best_ns(calls) / _FEW_CALLS / _NS_PER_US,
        turn_us=_turn_us(),
        cache_bytes=cache_bytes,
        add_gb_per_s=_rate(_NEAR_BYTES, _add),
        copy_gb_per_s=_rate(_NEAR_BYTES, np.copyto),
        far_add_gb_per_s=_rate(far_bytes, _add),
        far_copy_gb_per_s=_rate(far_bytes, np.copyto),
    )


def _add(target: Array, source: Array) -> None:
    np.add(target, source, out=target)


def _rate(size_bytes: int, work: Callable[[Array, Array], None]) -> float:
    target, source = (np.ones(size_bytes // 4, np.float32) for _ in range(2))
    return size_bytes / _best_ns(lambda: work(target, source))


def _best_ns(work: Callable[[], object]) -> float:
    """Return the shortest of at least three runs, repeated for _SECONDS_EACH."""
    best, end, runs = float("inf"), time.perf_counter() + _SECONDS_EACH, 0
    while runs < 3 or time.perf_counter() < end:
        start_ns = time.perf_counter_ns()
        work()
        best, runs = min(best, time.perf_counter_ns() - start_ns), runs + 1
    return max(best, 1.0)


def _cache_bytes() -> int:
    """Return a core's largest share of any data cache; the reference machine's if the system does not report it."""
    shares = []
    for index in _CACHES.glob("index*"):
        try:
            kind, size, sharing = ((index / name).read_text().strip() for name in ("type", "size", "shared_cpu_map"))
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K"):
            processors = int(sharing.replace(",", ""), 16).bit_count()
            shares.append((int(size[:-1]) << 10) // max(1, processors))
    return max(shares, default=REFERENCE.cache_bytes)


def _turn_us() -> float:
    """Return half the round-trip time of two processes that wait for each other on one core and yield it."""
    if not hasattr(os, "sched_setaffinity"):
        return REFERENCE.turn_us
    whose = memoryview(mmap.mmap(-1, 8)).cast("q")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    here = os.getpid()
    child = os.fork()
    if child == 0:
        _return_turns(whose, here)
        os._exit(0)
    best_ns, end, rounds = float("inf"), time.perf_counter() + _TURN_SECONDS, 0
    while rounds < 6 and (rounds == 0 or time.perf_counter() < end):
        start_ns = time.perf_counter_ns()
        for _ in range(_TURNS):
            whose[0] = 1
            while whose[0] == 1:
                os.sched_yield()
        best_ns, rounds = min(best_ns, time.perf_counter_ns() - start_ns), rounds + 1
    whose[0] = _OVER
    os.waitpid(child, 0)
    return max(0.1, best_ns / _TURNS / 2 / _NS_PER_US)


def _return_turns(whose: memoryview, parent: int) -> None:
    """Give each turn back to the other process until it says that it is over, or has been ended."""
    while os.getppid() == parent:
        for _ in range(_TURNS):
            if whose[0] == _OVER:
                return
            if whose[0] == 1:
                whose[0] = 0
            os.sched_yield()


if __name__ == "__main__":
    sys.stdout.write(measure().model_dump_json())
