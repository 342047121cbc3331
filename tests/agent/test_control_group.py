"""Control groups, on whatever this system offers."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually
from tests.agent.groups import made_group

from ringscope.engine import control_group
from ringscope_agent.control_group import ControlGroup, own_groups


@pytest.fixture
def group(tmp_path: Path) -> Iterator[ControlGroup]:
    with made_group(tmp_path / "note") as group:
        yield group


async def test_what_a_member_starts_is_a_member_whatever_it_drops(group: ControlGroup, tmp_path: Path) -> None:
    program = "import os\nif os.fork() == 0:\n os.setsid(); os.execve('/bin/sleep', ['sleep', '1000'], {})"
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program], preexec_fn=group.enter, check=True)
    [pid] = group.pids()
    assert pid != os.getpid()
    known = ControlGroup.known(tmp_path / "note")
    assert known is not None
    assert known.pids() == {pid}
    group.remove()
    assert group.path.exists(), "one with a process in it stays"
    os.kill(pid, 9)
    await eventually(lambda: not group.pids())
    await eventually(lambda: group.remove() is None and not group.path.exists())
    assert known.pids() == set()


def test_where_the_system_offers_none_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cgroup").write_text("0::/a\n4:memory:/b\n")
    (tmp_path / "mountinfo").write_text("1 2 0:3 / /nowhere rw - cgroup2 cgroup2 rw\n")
    monkeypatch.setattr(control_group, "_SELF", tmp_path)
    note = tmp_path / "note"
    assert ControlGroup.make("ringscope-test", note) is None
    assert ControlGroup.known(note) is None


@pytest.mark.parametrize(
    ("mounts", "places"),
    [
        ("cgroup2 cgroup2 rw", ["/mnt/v2/a"]),
        ("cgroup cgroup rw,freezer", ["/mnt/v2/b"]),
        ("cgroup cgroup rw,memory", []),
        ("cgroup cgroup rw,name=systemd", ["/mnt/v2/c"]),
    ],
)
def test_both_versions_are_found_where_they_are_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: str, places: list[str]
) -> None:
    (tmp_path / "cgroup").write_text("0::/pod/a\n4:memory:/pod/x\n3:freezer:/pod/b\n1:name=systemd:/pod/c\n")
    (tmp_path / "mountinfo").write_text(f"1 2 0:3 /pod /mnt/v2 rw - {mounts}\n")
    monkeypatch.setattr(control_group, "_SELF", tmp_path)
    assert list(map(str, own_groups())) == places
