"""Processes in a frozen control group: they do nothing, and their state in /proc is S or D as if they waited.

Version 2 freezes by ``cgroup.freeze``, version 1 by ``freezer.state``; ``docker pause`` and others use them.
"""

import contextlib
from functools import lru_cache
from pathlib import Path

from ringscope.engine.control_group import VERSION_2, folders_of, mounts, own_membership
from ringscope_agent.control_group import MEMBERS

_PROC = Path("/proc")
# In each tree: the file that tells that a group, or one above it, is frozen, and by which words.
_SIGNS = {VERSION_2: ("cgroup.events", ("frozen 1",)), "freezer": ("freezer.state", ("FROZEN", "FREEZING"))}


def is_frozen(pid: int) -> bool:
    """Return whether the process is in a frozen group, as far as this process may see that."""
    return bool(_frozen_trees(pid))


def let_go(pid: int) -> None:
    """Take a process that is to be ended out of a frozen group, in which version 1 keeps even SIGKILL from ending it.

    It goes to this process's own group, as thawing the frozen one would let others go on.
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
    """Of each tree the file that tells whether the group is frozen."""
    folders = {tree: folders_of(membership, tree, mounts()) for tree in _SIGNS}
    return [(tree, found[0] / _SIGNS[tree][0]) for tree, found in folders.items() if found]
