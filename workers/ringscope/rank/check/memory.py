"""Memory bandwidth of this machine: all cores copy at the same time, and the copies are compared."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

_LEAST_BYTES, _MOST_BYTES = 1 << 20, 16 << 20  # for each thread: more than its share of the caches
_MOST_THREADS = 16  # they saturate the memory of one socket
_SHARE_OF_MEMORY = 0.25  # share of what is available, for sources and targets together
_FEWEST_ROUNDS, _MOST_OVERTIME = 30, 3  # enough for an interval, within so many times the time given
_MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True)
class Copied:
    """The rate of each round in GB/s of copied bytes, and the number of bytes that a copy has wrong."""

    rates: list[float]
    wrong_bytes: int
    threads: int


def copied(seconds: float, cores: int) -> Copied:
    """Copy for so long on ``cores`` threads at once."""
    threads = max(1, min(cores, _MOST_THREADS))
    size = min(_MOST_BYTES, max(_LEAST_BYTES, int(_available() * _SHARE_OF_MEMORY / 2 / threads)))
    random = np.random.default_rng()
    sources = [random.integers(0, 256, size, np.uint8) for _ in range(threads)]
    targets = [np.zeros(size, np.uint8) for _ in range(threads)]
    rates: list[float] = []
    start = threading.Barrier(threads + 1)
    finish = threading.Barrier(threads + 1)
    is_over = threading.Event()

    def copy(source: npt.NDArray[np.uint8], target: npt.NDArray[np.uint8]) -> None:
        while True:
            start.wait()
            if is_over.is_set():
                return
            np.copyto(target, source)
            finish.wait()

    with ThreadPoolExecutor(threads) as pool:
        for source, target in zip(sources, targets, strict=True):
            pool.submit(copy, source, target)
        began, rounds = time.monotonic(), 0
        while (spent := time.monotonic() - began) < seconds or (
            rounds < _FEWEST_ROUNDS and spent < _MOST_OVERTIME * seconds
        ):
            began_ns = time.perf_counter_ns()
            start.wait()
            finish.wait()
            took_ns = time.perf_counter_ns() - began_ns
            rounds += 1
            if rounds > 1:  # the first round faults the pages in
                rates.append(threads * size / max(1, took_ns))
        is_over.set()
        start.wait()
    wrong = sum(int(np.count_nonzero(source != target)) for source, target in zip(sources, targets, strict=True))
    return Copied(rates, wrong if rounds else 0, threads)


def _available() -> int:
    """Return the bytes of memory that are available; enough for the largest copies if the system does not say it."""
    try:
        lines = dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines() if ":" in line)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError, IndexError):
        return 2 * _MOST_THREADS * _MOST_BYTES * int(1 / _SHARE_OF_MEMORY)
