"""The control group (version 2) that this process runs in, and what it and those above it let it have."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_SELF = Path("/proc/self")


def own_group() -> str:
    """Its path, with the namespace in which that is seen; empty without one."""
    try:
        lines = (_SELF / "cgroup").read_text().splitlines()
        namespace = str((_SELF / "ns/cgroup").readlink())
    except OSError:
        return ""
    return next((namespace + line[3:] for line in lines if line.startswith("0::")), "")


def most_cores(group: str) -> int | None:
    """Processor time, in whole cores, one at least: ``cpu.max``; None: without a limit."""
    found: list[int] = []
    for folder in _folders(group):
        with suppress(OSError, ValueError):
            quota_us, period_us = (folder / "cpu.max").read_text().split()
            found.append(max(1, int(quota_us) // int(period_us)))  # "max" is no number: no limit
    return min(found, default=None)


def free_bytes(group: str) -> int | None:
    """Memory that is left of ``memory.max``; None: without a limit. Of files only what must stay in memory counts."""
    found: list[int] = []
    for folder in _folders(group):
        with suppress(OSError, ValueError):
            most = int((folder / "memory.max").read_text())
            used = int((folder / "memory.current").read_text())
            found.append(max(0, most - used + _cached_bytes(folder)))
    return min(found, default=None)


def _cached_bytes(folder: Path) -> int:
    """Of files on disks, which the kernel drops when somebody needs memory; those of a tmpfs are not among them."""
    lines = (folder / "memory.stat").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("inactive_file ", "active_file ")))


def _folders(group: str) -> Iterator[Path]:
    path = _GROUPS / group.partition("]/")[2]
    return (folder for folder in (path, *path.parents) if folder.is_relative_to(_GROUPS))
