"""Ranks need sockets wherever TMPDIR is, shared memory, open files and processes of a machine."""

import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ringscope.contracts.errors import UserError
from ringscope.rank import room
from ringscope.rank.room import open_files_fault, processes_fault, shared_memory_fault, socket_room

DEADLINE_SECONDS = 60
NEW_USER = 54_321  # who has no process


@pytest.fixture
def long_folder(tmp_path: Path) -> Path:
    folder = tmp_path / ("d" * 60) / ("e" * 60)
    folder.mkdir(parents=True)
    return folder


def test_a_short_temporary_folder_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        assert socket_room() == Path(folder)


def test_where_its_path_is_too_long_another_one_is(monkeypatch: pytest.MonkeyPatch, long_folder: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(long_folder))
    with (
        tempfile.TemporaryDirectory(prefix="ringscope-ranks-", dir=socket_room()) as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        listener.bind(f"{folder}/shim.sock")


def test_no_folder_at_all_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_is_writable", lambda folder: False)
    with pytest.raises(UserError, match=r"TMPDIR: no folder for sockets can be written \(.*/tmp.*; set TMPDIR to one"):
        socket_room()


def test_bench_measures_with_a_long_tmpdir(long_folder: Path) -> None:
    ringscope = str(Path(sys.executable).with_name("ringscope"))
    command = [ringscope, "bench", "--ranks", "2", "-b", "8", "-e", "8", "-n", "2"]
    environment = os.environ | {"TMPDIR": str(long_folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(long_folder.iterdir())


def shared_memory(monkeypatch: pytest.MonkeyPatch, folder: Path, mebibytes: int) -> None:
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(room, "SHARED_MEMORY", folder)
    stat = os.statvfs_result((4096, 4096, mebibytes * 256, 0, mebibytes * 256, 0, 0, 0, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: stat)


@pytest.mark.parametrize(
    ("mebibytes", "ranks", "fault"),
    [
        (4, 1, ""),
        (1, 1, "has 1 MiB free, and 1 rank needs 4 MiB; enlarge it (docker run --shm-size 1g) or ask for fewer ranks."),
        (64, 12, ""),
        (
            1,
            2,
            "has 1 MiB free, and 2 ranks need 24 MiB; enlarge it (docker run --shm-size 1g) or ask for fewer ranks.",
        ),
    ],
)
def test_shared_memory_is_enough_or_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mebibytes: int, ranks: int, fault: str
) -> None:
    shared_memory(monkeypatch, tmp_path / "shm", mebibytes)
    assert shared_memory_fault(ranks) == (f"{tmp_path}/shm {fault}" if fault else "")


def test_shared_memory_that_cannot_be_written_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    shared_memory(monkeypatch, tmp_path / "shm", 64)
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert shared_memory_fault(2) == (
        f"{tmp_path}/shm cannot be written (Permission denied); let this user write there (chmod 1777)."
    )
    monkeypatch.setattr(room, "SHARED_MEMORY", tmp_path / "none")
    assert shared_memory_fault(2).startswith(f"{tmp_path}/none is missing")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_bench_says_that_a_real_shared_memory_is_too_small() -> None:
    ringscope = str(Path(sys.executable).with_name("ringscope"))
    script = f"mount -t tmpfs -o size=1m none /dev/shm && exec {ringscope} bench --ranks 2 -b 8 -e 8 -n 2"
    command = ["unshare", "--mount", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    assert (done.returncode, done.stderr) == (
        2,
        "/dev/shm has 1 MiB free, and 2 ranks need 24 MiB; enlarge it (docker run --shm-size 1g) or ask for fewer "
        "ranks.\n",
    )


@pytest.mark.parametrize(
    ("limits", "raised"), [((20, 40), None), ((20, 4096), (64, 4096)), ((1024, 4096), None), ((20, -1), (64, -1))]
)
def test_too_few_open_files_are_raised_or_told(
    limits: tuple[int, int], raised: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [limits]
    monkeypatch.setattr(resource, "getrlimit", lambda _: now[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: now.append(wanted))
    told = "A process may open 40 files here (ulimit -n), but 2 ranks may need 64; raise the limit with ulimit -n 64."
    assert open_files_fault(2) == (told if limits[1] == 40 else "")
    assert now[1:] == ([raised] if raised else [])


@pytest.mark.skipif(os.geteuid() != 0, reason="starting a process as another user takes root")
def test_too_few_processes_are_told_to_a_user_and_root_has_no_such_limit() -> None:
    assert processes_fault(1 << 20) == ""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        resource.setrlimit(resource.RLIMIT_NPROC, (20, 20))
        os.setuid(NEW_USER)
        os.write(write, f"{processes_fault(1)}|{processes_fault(4)}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(pid, 0)
    with os.fdopen(read) as told:
        enough, lacking = told.read().split("|")
    assert enough == ""
    assert re.fullmatch(
        r"This user may start \d+ more processes and threads \(ulimit -u\), but 4 ranks may need 40; raise the limit "
        r"with ulimit -u, or end other processes\.",
        lacking,
    )
