"""A control group for the processes of one attempt, where this system lets the keeper make one.

What a process starts is born into its group, whatever session, environment, parent or descriptors it has. The group
needs no controller and limits nothing. Linux only: cgroup version 2, or a hierarchy of version 1.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_MEMBERS = "cgroup.procs"
# Those of version 1 that a process can always enter: cpuset, for one, must be filled in before.
_HIERARCHIES = ("freezer", "pids", "name=systemd")
_SELF = Path("/proc/self")


class ControlGroup:
    """One group, by its folder; ``make`` makes one and ``known`` finds one that an earlier process has made."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def make(cls, name: str, note: Path) -> "ControlGroup | None":
        """Make a group below the one that this process is in, and write its place to ``note`` first.

        None where the system offers none.
        """
        for place in _own_groups():
            group = cls(place / name)
            try:
                note.write_text(str(group.path))
                group.path.mkdir(exist_ok=True)
                os.close(os.open(group.path / _MEMBERS, os.O_WRONLY))
            except OSError:
                group.remove()
                continue
            return group
        note.unlink(missing_ok=True)
        return None

    @classmethod
    def known(cls, note: Path) -> "ControlGroup | None":
        """The group whose place is written in ``note``; None where none was made.

        A group is removed only when it is empty, or with the start of the machine: one that is gone has no processes.
        """
        try:
            path = Path(note.read_text())
        except OSError:
            return None
        return cls(path)

    def enter(self) -> None:
        """Move this process into the group. Raises OSError where the system forbids it."""
        (self.path / _MEMBERS).write_text("0")

    def pids(self) -> set[int]:
        """The processes in the group and in the groups below it."""
        found: set[int] = set()
        for folder, _, _ in os.walk(self.path):
            with contextlib.suppress(OSError, ValueError):  # it was removed meanwhile
                found |= {int(line) for line in Path(folder, _MEMBERS).read_text().split()}
        return found - {0}  # a process of another namespace has no number here

    def kill(self) -> None:
        """Kill all of its processes at once, where the kernel can (version 2, from Linux 5.14 on)."""
        with contextlib.suppress(OSError):
            kill = self.path / "cgroup.kill"
            if kill.exists():
                kill.write_text("1")

    def remove(self) -> None:
        """Remove the group, if no process is left in it."""
        for folder, _, _ in os.walk(self.path, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()


def _own_groups() -> Iterator[Path]:
    """The folders of the groups that this process is in: version 2 first."""
    try:
        memberships = (_SELF / "cgroup").read_text().splitlines()
        mounts = list(_mounts())
    except OSError:
        return
    own = {}
    for line in memberships:
        number, controllers, path = line.split(":", 2)
        for name in [""] if number == "0" else controllers.split(","):
            own[name] = path
    for wanted in ("", *_HIERARCHIES):
        for kind, options, root, point in mounts:
            is_it = kind == "cgroup2" if wanted == "" else kind == "cgroup" and wanted in options
            if is_it and wanted in own and (place := _below(own[wanted], root)) is not None:
                yield point / place
                break


def _below(path: str, root: str) -> str | None:
    """Where ``path`` lies in a mount that shows the hierarchy from ``root`` on; None where it does not show it."""
    if root == "/":
        return path.lstrip("/")
    if path == root or path.startswith(f"{root}/"):
        return path[len(root) :].lstrip("/")
    return None


def _mounts() -> Iterator[tuple[str, list[str], str, Path]]:
    """Type, options, root and mount point of each hierarchy that is mounted here."""
    for line in (_SELF / "mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        fields, (kind, _, *options) = left.split(), right.split()
        if kind in ("cgroup", "cgroup2"):
            yield kind, ",".join(options).split(","), fields[3], Path(fields[4])
