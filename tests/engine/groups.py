"""Control groups on disk, as this process would find them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ringscope.engine import control_group


class Groups:
    """``mounts`` is what ``/proc/self/mountinfo`` says: (root, folder below ``top``, version 1's controllers)."""

    def __init__(self, patch: pytest.MonkeyPatch, top: Path) -> None:
        self.top, self._self = top / "groups", top / "self"
        (self._self / "ns").mkdir(parents=True)
        (self._self / "ns/cgroup").symlink_to("cgroup:[1234]")
        patch.setattr(control_group, "_SELF", self._self)

    def belong(self, text: str, *mounts: tuple[str, str, str]) -> None:
        """Put this process into the groups of ``text``, the content of ``/proc/self/cgroup``."""
        (self._self / "cgroup").write_text(text)
        lines = [
            f"31 23 0:28 {root} {self.top / folder} rw shared:7 - "
            + (f"cgroup cgroup rw,{controllers}" if controllers else "cgroup2 cgroup2 rw,nsdelegate")
            for root, folder, controllers in mounts
        ]
        (self._self / "mountinfo").write_text("\n".join(["1 0 8:1 / / rw - ext4 /dev/sda1 rw", *lines, ""]))

    def write(self, folder: str, files: Mapping[str, object]) -> None:
        """Give a group's folder its files."""
        path = self.top / folder
        path.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (path / name).write_text(f"{content}\n")


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Groups:
    """There are none yet, whatever the tests run in."""
    return Groups(monkeypatch, tmp_path)
