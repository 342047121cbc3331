"""Real control groups for tests, where this system lets them be made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from ringscope.engine.control_group import VERSION_2, folders_of, mounts, own_membership
from ringscope_agent.control_group import MEMBERS, ControlGroup

FREEZERS = {VERSION_2: ("cgroup.freeze", "1", "0"), "freezer": ("freezer.state", "FROZEN", "THAWED")}


class Freezer:
    """A group whose members can be frozen."""

    def __init__(self, path: Path, tree: str) -> None:
        self._path = path
        self._file, self._freeze, self._thaw = FREEZERS[tree]

    def freeze(self, *pids: int) -> None:
        """Put processes in and freeze all that are in."""
        for pid in pids:
            (self._path / MEMBERS).write_text(str(pid))
        (self._path / self._file).write_text(self._freeze)

    def thaw(self) -> None:
        """Let the members go on."""
        (self._path / self._file).write_text(self._thaw)


@contextmanager
def freezer_of(tree: str) -> Iterator[Freezer]:
    """A group in this tree; the test is skipped where none can be made."""
    own = folders_of(own_membership(), tree, mounts())[:1]
    group = ControlGroup(own[0] / f"ringscope-test-{uuid4().hex[:8]}") if own else None
    try:
        if group is not None:
            group.path.mkdir()
    except OSError:
        group = None
    if group is None or not (group.path / FREEZERS[tree][0]).exists():
        pytest.skip(f"no group can be made here that is frozen by {FREEZERS[tree][0]}")
    freezer = Freezer(group.path, tree)
    try:
        yield freezer
    finally:
        freezer.thaw()
        for pid in group.pids():
            (own[0] / MEMBERS).write_text(str(pid))
        group.remove()


def needed(group: ControlGroup | None) -> ControlGroup:
    """The group, if one could be made; the test is skipped otherwise."""
    if group is None:
        pytest.skip("this system lets no control group be made")
    return group


@contextmanager
def made_group(note: Path) -> Iterator[ControlGroup]:
    """A group as a shim makes one."""
    group = needed(ControlGroup.make(f"ringscope-test-{uuid4().hex[:8]}", note))
    try:
        yield group
    finally:
        group.kill()
        group.remove()
