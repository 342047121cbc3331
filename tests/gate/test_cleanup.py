"""Nothing stays behind of a run whose tests were killed, and a run that lives is left alone."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import cleanup as leftovers

WAITS = [sys.executable, "-c", "input()"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def dead_folder(home: Path) -> Path:
    """The folder of a run that was killed."""
    runner = subprocess.Popen([sys.executable, "-c", ""])
    runner.wait()
    run_folder = home / f"{leftovers.PREFIX}{runner.pid}"
    run_folder.mkdir()
    return run_folder


def started(*arguments: str, **variables: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*WAITS, *arguments], stdin=subprocess.PIPE, env=os.environ | variables)


@pytest.fixture
def stranger(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process of a run that still runs: this one."""
    run_folder = leftovers.make_folder()
    with started(**leftovers.environment(run_folder)) as process:
        yield process
        process.communicate(b"\n")


def test_a_killed_runs_processes_and_files_are_cleared_away(
    dead_folder: Path, stranger: subprocess.Popen[bytes]
) -> None:
    (dead_folder / "data").mkdir()
    by_environment = started(**leftovers.environment(dead_folder))
    by_argument = started(str(dead_folder / "data"))
    assert leftovers.clear_dead_folders() == [dead_folder]
    for process in (by_environment, by_argument):
        process.communicate(timeout=60)
    assert not dead_folder.exists()
    assert stranger.poll() is None


def test_what_outlives_its_test_is_ended_and_told(home: Path) -> None:
    run_folder = leftovers.make_folder()
    process = started("a-server", **leftovers.environment(run_folder))
    [told] = leftovers.end_processes(run_folder)
    assert told.startswith(f"{process.pid} ")
    assert "a-server" in told
    process.communicate(timeout=60)
    assert leftovers.end_processes(run_folder) == []


def test_a_segment_that_nobody_maps_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "SHARED_MEMORY", tmp_path)
    old, mapped, fresh = (tmp_path / f"mpich_shm_{name}" for name in ("old", "mapped", "fresh"))
    for path in (old, mapped, fresh):
        path.write_bytes(bytes(4096))
    for path in (old, mapped):
        os.utime(path, (1, 1))
    code = f"import mmap; f = open({str(mapped)!r}, 'r+b'); m = mmap.mmap(f.fileno(), 0); print(flush=True); input()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert leftovers.remove_segments() == 1
        process.communicate(b"\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mpich_shm_fresh", "mpich_shm_mapped"]


def test_a_room_lies_in_memory_where_there_is_plenty_and_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, disk = tmp_path / "memory", tmp_path / "disk"
    for home in (memory, disk):
        home.mkdir()
    monkeypatch.setattr(leftovers, "SHARED_MEMORY", memory)
    monkeypatch.setattr(leftovers, "SPARE_BYTES", 0)
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    run_folder = leftovers.make_folder("x", in_memory=True)
    assert run_folder.parent == memory
    assert leftovers.own_folders() == [run_folder]
    assert leftovers.make_folder("y").parent == disk
    monkeypatch.setattr(leftovers, "SPARE_BYTES", 1 << 62)
    assert leftovers.make_folder("z", in_memory=True).parent == disk
    monkeypatch.setenv("TMPDIR", str(disk))
    monkeypatch.setattr(leftovers, "SPARE_BYTES", 0)
    assert leftovers.make_folder("u", in_memory=True).parent == disk
