"""Measure other load on a node during a run: /proc/stat, minus the CPU time of the run's own processes."""

import contextlib
import os
import resource
import time
from collections import defaultdict
from pathlib import Path

from ringscope.contracts.protocol import Load
from ringscope.contracts.words.units import is_whole_number
from ringscope.engine.cores import machine

MOST_OTHER_SHARE = 0.1  # share of all processors: measurements under more other load are not kept
_PROC = Path("/proc")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Columns of /proc/stat's first line: user, nice, system, and time given to others by a hypervisor (steal). Interrupts
# are left out, because they include those of an all-reduce's own messages.
_BUSY = (0, 1, 2, 7)
# Fields of /proc/PID/stat after the name: the parent, and the times of the process and of the children it has waited
# for.
_PARENT, _TIMES = 1, slice(11, 15)


class LoadMeter:
    """Load since creation, excluding this process and its descendants; no other meter should run in its process."""

    def __init__(self) -> None:
        self._begin = _readings()

    def read(self) -> Load | None:
        """Return the load so far; None if the system does not report it."""
        if self._begin is None or (now := _readings()) is None:
            return None
        seconds, busy_seconds, own_seconds = (
            max(0.0, end - begin) for end, begin in zip(now, self._begin, strict=True)
        )
        return Load(
            machine=machine(),
            processors=os.cpu_count() or 1,
            seconds=seconds,
            busy_seconds=busy_seconds,
            own_seconds=own_seconds,
        )

    def other_share(self) -> float:
        """Return the share of all processors that other processes used so far, 0 to 1; 0 if the system does not
        report it.
        """
        load = self.read()
        if load is None or not load.seconds:
            return 0.0
        return max(0.0, load.busy_seconds - load.own_seconds) / (load.seconds * load.processors)


def crowding() -> float:
    """Return the processes per core, at least 1; 1 if the system does not report it."""
    try:
        runnable = int((_PROC / "loadavg").read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return 1.0
    return max(1.0, runnable / (os.cpu_count() or 1))


def _readings() -> tuple[float, float, float] | None:
    """Return the clock, the machine's busy time and our own, in seconds."""
    try:
        fields = (_PROC / "stat").read_text().partition("\n")[0].split()[1:]
        busy_seconds = sum(int(fields[place]) for place in _BUSY) / _TICKS_PER_SECOND
        # Neither reading counts a process that ends after its parent was read; of two readings the later one includes
        # it.
        return time.monotonic(), busy_seconds, max(_own_seconds(), _own_seconds())
    except (OSError, ValueError, IndexError):
        return None


def _own_seconds() -> float:
    """Return the CPU time of this process and all its descendants, including those that have ended."""
    ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in ended) + _descendants_ticks() / _TICKS_PER_SECOND


def _descendants_ticks() -> int:
    """Return the ticks of the living descendants, including children they have waited for."""
    children: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for folder in _PROC.iterdir():
        if is_whole_number(folder.name):
            with contextlib.suppress(OSError):  # it has ended in the meantime
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                children[int(fields[_PARENT])].append((int(folder.name), sum(map(int, fields[_TIMES]))))
    ticks, parents = 0, [os.getpid()]
    while parents:
        for pid, its_ticks in children[parents.pop()]:
            ticks += its_ticks
            parents.append(pid)
    return ticks
