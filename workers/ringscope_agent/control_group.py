"""A control group for the processes of one attempt, if the system lets the shim make one.

A process starts in its parent's group, whatever its session, environment or descriptors. The group needs no controller
and limits nothing. Linux only: cgroup version 2, or a hierarchy of version 1.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from ringscope.engine.control_group import VERSION_2, folders_of, mounts, own_membership

MEMBERS = "cgroup.procs"
# The hierarchies of version 1 that a process can always enter; cpuset, for example, must be filled in before.
_HIERARCHIES = (VERSION_2, "freezer", "pids", "name=systemd")


class ControlGroup:
    """One group, given by its folder; ``make`` makes one and ``known`` finds one that an earlier process has made."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def make(cls, name: str, note: Path) -> "ControlGroup | None":
        """Make a group below that of this process, and write its path to ``note`` first.

        Return None if the system offers none.
        """
        for place in own_groups():
            group = cls(place / name)
            try:
                note.write_text(str(group.path))
                group.path.mkdir(exist_ok=True)
                os.close(os.open(group.path / MEMBERS, os.O_WRONLY))
            except OSError:
                group.remove()
                continue
            return group
        note.unlink(missing_ok=True)
        return None

    @classmethod
    def known(cls, note: Path) -> "ControlGroup | None":
        """Return the group whose path is written in ``note``; None if none was made.

        A group is removed only when it is empty or the machine restarts, so a missing group has no processes.
        """
        try:
            path = Path(note.read_text())
        except OSError:
            return None
        return cls(path)

    def enter(self) -> None:
        """Move this process into the group. Raises OSError if the system forbids it."""
        (self.path / MEMBERS).write_text("0")

    def add(self, pid: int) -> None:
        """Move a process into the group. Raises OSError if the system forbids it."""
        (self.path / MEMBERS).write_text(str(pid))

    def pids(self) -> set[int]:
        """Return the processes in the group and in the groups below it."""
        found: set[int] = set()
        for folder, _, _ in os.walk(self.path):
            with contextlib.suppress(OSError, ValueError):  # it was removed meanwhile
                found |= {int(line) for line in Path(folder, MEMBERS).read_text().split()}
        return found - {0}  # a process of another namespace has no number here

    def kill(self) -> None:
        """Kill all processes of the group at once, if the kernel can (version 2, since Linux 5.14)."""
        with contextlib.suppress(OSError):
            kill = self.path / "cgroup.kill"
            if kill.exists():
                kill.write_text("1")

    def thaw(self) -> bool:
        """Thaw the group, whichever version froze it; return whether any process was frozen."""
        was_frozen = False
        for folder, _, _ in os.walk(self.path):
            for name, word, thawed in (("cgroup.freeze", "1", "0"), ("freezer.state", "FR", "THAWED")):
                with contextlib.suppress(OSError):
                    if (file := Path(folder, name)).read_text().startswith(word):
                        file.write_text(thawed)
                        was_frozen = True
        return was_frozen

    def remove(self) -> None:
        """Remove the group if no process is left in it."""
        for folder, _, _ in os.walk(self.path, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()


def own_groups() -> Iterator[Path]:
    """Return the folders of the groups that this process is in, version 2 first."""
    membership, trees = own_membership(), mounts()
    for hierarchy in _HIERARCHIES:
        yield from folders_of(membership, hierarchy, trees)[:1]
