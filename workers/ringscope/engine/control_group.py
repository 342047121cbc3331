"""Control groups of a process, of either version, and the limits that they and their ancestors set.

Version 2 has one tree for all controllers, version 1 one for each; a hybrid system mounts both. The mounts determine
where a group's folder is: in a container that often differs from the path in ``/proc/self/cgroup``. The processors of a
``cpuset`` are not read here, because the kernel keeps every process's affinity within them.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_SELF = Path("/proc/self")
VERSION_2 = ""  # represents a controller in the tree of version 2
_NO_LIMIT_BYTES = 1 << 60  # version 1 has no word for "no limit", but a number close to the maximum of 64 bits


class Mount(NamedTuple):
    """A mounted tree of groups: the group at its top, and its controllers."""

    root: str
    folder: Path
    controllers: frozenset[str]  # none: version 2


def own_group() -> str:
    """Return the path of its group, with the namespace in which that path is valid; empty without one.

    In version 1 it is the group that limits processor time.
    """
    paths = _paths()
    path = paths.get("cpu", paths.get(""))
    try:
        return str((_SELF / "ns/cgroup").readlink()) + path if path is not None else ""
    except OSError:
        return ""


def most_cores() -> int | None:
    """Return the limit of processor time, in whole cores, at least one: ``cpu.max``, ``cpu.cfs_quota_us``; None: no
    limit.
    """
    found: list[int] = []
    for folder in _folders("cpu"):
        with suppress(OSError, ValueError):  # "max" means no limit
            quota_us, period_us = _quota(folder)
            if quota_us > 0:
                found.append(max(1, quota_us // period_us))
    return min(found, default=None)


def most_bytes() -> int | None:
    """Return the limit of memory: ``memory.max``, ``memory.limit_in_bytes``; None: no limit."""
    limits = (_first_number(folder, "memory.max", "memory.limit_in_bytes") for folder in _folders("memory"))
    return min((limit for limit in limits if limit is not None and limit < _NO_LIMIT_BYTES), default=None)


def free_bytes() -> int | None:
    """Return the memory that is left below the limit; None: no limit. File caches count only as far as they cannot
    be dropped.
    """
    found: list[int] = []
    for folder in _folders("memory"):
        most = _first_number(folder, "memory.max", "memory.limit_in_bytes")
        used = _first_number(folder, "memory.current", "memory.usage_in_bytes")
        if most is not None and used is not None and most < _NO_LIMIT_BYTES:
            with suppress(OSError, ValueError):
                found.append(max(0, most - used + _cached_bytes(folder)))
    return min(found, default=None)


def free_processes() -> int | None:
    """Return how many processes and threads may still be started: ``pids.max``; None: no limit."""
    found: list[int] = []
    for folder in _folders("pids"):
        most, used = _first_number(folder, "pids.max"), _first_number(folder, "pids.current")
        if most is not None and used is not None:
            found.append(max(0, most - used))
    return min(found, default=None)


def _quota(folder: Path) -> tuple[int, int]:
    """Microseconds of processor time, and the period in which they may be used."""
    with suppress(FileNotFoundError):
        quota_us, period_us = (folder / "cpu.max").read_text().split()
        return int(quota_us), int(period_us)
    return int((folder / "cpu.cfs_quota_us").read_text()), int((folder / "cpu.cfs_period_us").read_text())


def _first_number(folder: Path, *names: str) -> int | None:
    """Return the number in the first of these files that exists; None: no number, which means no limit."""
    for name in names:
        with suppress(OSError, ValueError):
            return int((folder / name).read_text())
    return None


def _cached_bytes(folder: Path) -> int:
    """Return the bytes of cached disk files, which the kernel drops when memory is needed; a tmpfs does not count."""
    lines = [line.split() for line in (folder / "memory.stat").read_text().strip().splitlines()]
    sizes = {name: int(size) for name, size in lines}
    # Version 1 counts a group without its descendants, unless the name begins with total_.
    return sum(sizes.get(f"total_{name}", sizes.get(name, 0)) for name in ("inactive_file", "active_file"))


def _folders(controller: str) -> Iterator[Path]:
    """Yield the group's folder and all folders above it, in each version's tree that may limit the controller."""
    paths = _paths()
    for mount in mounts():
        if not mount.controllers or controller in mount.controllers:
            yield from _within(mount, paths.get(controller if mount.controllers else VERSION_2))


def folders_of(membership: str, controller: str, trees: Iterable[Mount]) -> list[Path]:
    """Return the folder of a process's group and all above it, in the first of these trees that has the controller.

    Args:
        membership: the content of the process's ``/proc/PID/cgroup``.
        controller: a controller of version 1, such as ``freezer`` or ``name=systemd``, or ``VERSION_2``.
    """
    path = _paths_in(membership).get(controller)
    has = (mount for mount in trees if (controller in mount.controllers if controller else not mount.controllers))
    return next((found for mount in has if (found := list(_within(mount, path)))), [])


def own_membership() -> str:
    """Return the content of ``/proc/self/cgroup``; empty if the system has none."""
    try:
        return (_SELF / "cgroup").read_text()
    except OSError:
        return ""


def _within(mount: Mount, path: str | None) -> Iterator[Path]:
    """Yield the folder of the group at ``path``, and all folders above it inside the mount; nothing without a path."""
    if path is None:
        return
    below = PurePosixPath(path)
    # A path outside the mount is the system's own: the container's group is then the top of the mount.
    inside = below.relative_to(mount.root) if below.is_relative_to(mount.root) else PurePosixPath()
    folder = mount.folder / inside
    yield from (one for one in (folder, *folder.parents) if one.is_relative_to(mount.folder))


def _paths() -> dict[str, str]:
    """Return this process's group by controller; version 2 has the empty name."""
    return _paths_in(own_membership())


def _paths_in(membership: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    return found


def mounts() -> list[Mount]:
    """Return the trees of groups that are mounted here."""
    found: list[Mount] = []
    with suppress(OSError):
        for line in (_SELF / "mountinfo").read_text().splitlines():
            mounted, _, system = line.partition(" - ")
            kind, _, options = system.split(" ", 2)
            if kind in ("cgroup", "cgroup2"):
                _, _, _, root, folder, *_ = mounted.split(" ")
                controllers = frozenset(options.split(",")) if kind == "cgroup" else frozenset[str]()
                found.append(Mount(root, Path(folder.replace("\\040", " ")), controllers))
    return found
