"""Cores: those that a process may use, their distribution, and the number available to the ranks of a gang.

Ranks wait by spinning, so a rank without its own core takes time from another one: with more ranks than cores, the
times show the kernel's scheduling, not the links.
"""

import os
import platform
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ringscope.engine.control_group import most_cores, own_group

_CPUS = Path("/sys/devices/system/cpu")
_CPU_INFO = Path("/proc/cpuinfo")
_CORES = "; cores "  # separates processor and NumPy in the hardware line
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class RankCores(NamedTuple):
    """The cores that a process may use.

    Args:
        machine: the same for all containers and network namespaces of one running system.
        group: the control group that ``most`` counts for, on that machine.
        cores: physical cores, each named by the first of its processors.
        most: the largest number of them in use at once; None: all.
    """

    machine: str
    group: str
    cores: frozenset[int]
    most: int | None = None

    @property
    def at_once(self) -> int:
        """Return how many ranks can run here at once."""
        return len(self.cores) if self.most is None else min(len(self.cores), self.most)


def own_cores() -> RankCores:
    """Return the cores of this process."""
    return RankCores(machine(), own_group(), frozenset(map(_core, _cpus())), most_cores())


def machine() -> str:
    """Identify the running system: the same in all its containers; empty if it is unknown."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def hardware() -> str:
    """Return processor, cores and NumPy in a line; if it changes, measurements made here are no longer valid."""
    try:
        lines = _CPU_INFO.read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    rank = own_cores()
    return f"{model}{_CORES}{sorted(rank.cores)}, {rank.at_once} at once; NumPy {version('numpy')}"


def is_same_processor(one: str, other: str) -> bool:
    """Return whether two lines of ``hardware`` differ only in the cores: a bound rank has only some of them."""
    return _without_cores(one) == _without_cores(other)


def _without_cores(hardware: str) -> tuple[str, str]:
    processor, _, rest = hardware.partition(_CORES)
    return processor, rest.rpartition(";")[2]


def cores_each(shares: int) -> int:
    """Return how many of this process's processors each of ``shares`` equal parts gets, at least one."""
    return max(1, len(_cpus()) // shares)


def usable_cores(ranks: Iterable[RankCores]) -> int:
    """Return how many cores these ranks can use at once: per machine at most the number of its ranks."""
    of_machines: defaultdict[str, list[RankCores]] = defaultdict(list)
    for rank in ranks:
        of_machines[rank.machine].append(rank)
    return sum(min(len(here), _cores(here)) for here in of_machines.values())


def _cores(ranks: list[RankCores]) -> int:
    """Count the usable cores of one machine: the union of all affinities, limited by the control groups' quotas."""
    every: set[int] = set()
    of_groups: defaultdict[str, set[int]] = defaultdict(set)
    for rank in ranks:
        every |= rank.cores
        of_groups[rank.group] |= rank.cores
    most = {rank.group: rank.most for rank in ranks}
    allowed = sum(len(cores) if (limit := most[group]) is None else limit for group, cores in of_groups.items())
    return min(len(every), allowed)


def _cpus() -> set[int]:
    """Return the processors in this process's affinity; all processors on systems other than Linux."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def _core(cpu: int) -> int:
    """Return the first processor of its core."""
    try:
        siblings = (_CPUS / f"cpu{cpu}/topology/thread_siblings_list").read_text()
    except OSError:
        return cpu
    return int(siblings.replace("-", ",").partition(",")[0])
