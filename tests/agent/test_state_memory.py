"""Folders in shared memory for the state of elastic jobs: private, and removed in time."""

import os
import time
from pathlib import Path

import pytest

from ringscope_agent.state_memory import KEEP_SECONDS, StateMemory

NOW = time.time()


@pytest.fixture
def memory(tmp_path: Path) -> StateMemory:
    return StateMemory(tmp_path / "data", tmp_path)


def test_every_attempt_of_a_job_finds_the_same_private_folder(memory: StateMemory, tmp_path: Path) -> None:
    folder = memory.prepare(7)
    assert folder is not None and folder == memory.prepare(7) and folder.is_relative_to(tmp_path)
    assert folder.parent.stat().st_mode & 0o077 == 0
    assert folder != memory.prepare(8)
    assert folder != StateMemory(tmp_path / "other", tmp_path).prepare(7), "another agent on this machine"


def test_a_folder_that_others_could_write_is_not_used(memory: StateMemory, tmp_path: Path) -> None:
    folder = memory.prepare(7)
    assert folder is not None
    folder.parent.chmod(0o777)
    assert memory.prepare(7) is None
    folder.rmdir()
    folder.parent.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.parent.symlink_to(elsewhere)
    assert memory.prepare(7) is None


def test_without_shared_memory_there_is_none(tmp_path: Path) -> None:
    assert StateMemory(tmp_path, tmp_path / "missing").prepare(7) is None


def test_the_folder_of_a_job_goes_when_nobody_has_used_it_for_a_while(memory: StateMemory) -> None:
    folders = {job_id: memory.prepare(job_id) for job_id in (1, 2, 3)}
    for job_id in (1, 2):
        (folder := folders[job_id]) and os.utime(folder, (NOW - KEEP_SECONDS - 1,) * 2)
    memory.tidy({2}, NOW)
    assert [job_id for job_id, folder in folders.items() if folder is not None and folder.is_dir()] == [2, 3]


def test_an_agent_that_stops_leaves_nothing(memory: StateMemory, tmp_path: Path) -> None:
    assert memory.prepare(7) is not None
    memory.close()
    assert list(tmp_path.iterdir()) == []
