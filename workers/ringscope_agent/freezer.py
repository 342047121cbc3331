"""Processes in a frozen control group: they do not run, and /proc shows state S or D as if they waited.

Version 2 freezes by ``cgroup.freeze``, version 1 by ``freezer.state``; ``docker pause`` and others use them.
"""

import contextlib
from functools import lru_cache
from pathlib import Path

from ringscope.engine.control_group import VERSION_2, folders_of, mounts, own_membership
from ringscope_agent.control_group import MEMBERS

_PROC = Path("/proc")
# For each hierarchy: the file that shows whether a group, or one above it, is frozen, and its words for that.
_SIGNS = {VERSION_2: ("cgroup.events", ("frozen 1",)), "freezer": ("freezer.state", ("FROZEN", "FREEZING"))}


def is_frozen(pid: int) -> bool:
    """Return whether the process is in a frozen group, as far as this process may see it."""
    return bool(_frozen_trees(pid))


def let_go(pid: int) -> None:
    """Move a process that is to be ended out of a frozen group; version 1 would hold back even SIGKILL.

    It moves to this process's own group, because thawing the frozen one would resume other processes.
    """
    for tree in _frozen_trees(pid):
        for own in folders_of(own_membership(), tree, mounts())[:1]:
            with contextlib.suppress(OSError):  # this user may not, or the process has ended
                (own / MEMBERS).write_text(str(pid))


def _frozen_trees(pid: int) -> list[str]:
    try:
        membership = (_PROC / str(pid) / "cgroup").read_text()
    except OSError:
        return []
    return [tree for tree, file in _files(membership) if _says(file, _SIGNS[tree][1])]


def _says(file: Path, words: tuple[str, ...]) -> bool:
    try:
        content = file.read_text()
    except OSError:
        return False
    return any(word in content for word in words)


@lru_cache(maxsize=64)
def _files(membership: str) -> list[tuple[str, Path]]:
    """Return for each hierarchy the file that shows whether the group is frozen."""
    folders = {tree: folders_of(membership, tree, mounts()) for tree in _SIGNS}
    return [(tree, found[0] / _SIGNS[tree][0]) for tree, found in folders.items() if found]
