"""Each job has a folder for its checkpoints, which outlives its attempts and is removed if unused for long."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope_agent.checkpoints import Checkpoints, jobs_used
from ringscope_agent.state_memory import StateMemory

HOUR = 3600.0
NOW = time.time()


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path, keep_seconds=HOUR)


def of(assignment: Callable[..., Assignment], **spec: object) -> Assignment:
    """Attempt 7 of job 47."""
    return assignment().model_copy(update={"spec": JobSpec.model_validate(spec)})


def left(checkpoints: Checkpoints, job_id: int, age_seconds: float) -> Path:
    """A folder with a file that was last written so long ago."""
    folder = checkpoints.folder(job_id)
    folder.mkdir(parents=True)
    (folder / "step-4.pt").write_bytes(b"x")
    for path in (folder / "step-4.pt", folder):
        os.utime(path, (NOW - age_seconds, NOW - age_seconds))
    return folder


def test_the_ranks_of_every_attempt_of_a_job_find_the_same_folder(
    checkpoints: Checkpoints, assignment: Callable[..., Assignment], tmp_path: Path
) -> None:
    job = of(assignment, kind="training")
    folder = tmp_path / "checkpoints" / "job-47"
    assert checkpoints.prepare(job) == {"RINGSCOPE_CHECKPOINTS": str(folder)}
    (folder / "step-4.pt").write_bytes(b"x")
    again = job.model_copy(update={"attempt_id": 8})
    assert checkpoints.prepare(again) == {"RINGSCOPE_CHECKPOINTS": str(folder)}
    assert (folder / "step-4.pt").read_bytes() == b"x"


def test_who_resumes_is_shown_the_other_jobs_folder(
    checkpoints: Checkpoints, assignment: Callable[..., Assignment], tmp_path: Path
) -> None:
    job = of(assignment, kind="training", training={"resume_from": 12})
    assert checkpoints.prepare(job)["RINGSCOPE_RESUME"] == str(tmp_path / "checkpoints" / "job-12")
    assert jobs_used(job) == {12, 47}


def test_a_benchmark_has_none(checkpoints: Checkpoints, assignment: Callable[..., Assignment], tmp_path: Path) -> None:
    assert checkpoints.prepare(assignment()) == {}
    assert not (tmp_path / "checkpoints").exists()


def test_only_folders_that_are_old_and_not_in_use_go(checkpoints: Checkpoints) -> None:
    old, used, young = left(checkpoints, 1, 2 * HOUR), left(checkpoints, 2, 2 * HOUR), left(checkpoints, 3, HOUR / 2)
    (doomed,) = checkpoints.doom({2}, NOW)
    assert not old.exists() and (doomed / "step-4.pt").exists()
    assert used.exists() and young.exists()
    assert checkpoints.doom({2}, NOW) == [doomed], "what could not be removed is tried again"


def test_a_file_that_is_written_keeps_its_folder(checkpoints: Checkpoints) -> None:
    folder = left(checkpoints, 1, 2 * HOUR)
    os.utime(folder / "step-4.pt", (NOW, NOW))
    assert checkpoints.doom((), NOW) == []


def test_the_time_counts_from_the_jobs_end(checkpoints: Checkpoints) -> None:
    left(checkpoints, 1, 2 * HOUR)
    checkpoints.mark_used(1)
    checkpoints.mark_used(99)
    assert checkpoints.doom((), time.time()) == []
    assert len(checkpoints.doom((), time.time() + 2 * HOUR)) == 1


def test_only_an_elastic_job_has_a_folder_in_shared_memory(
    checkpoints: Checkpoints, assignment: Callable[..., Assignment], tmp_path: Path
) -> None:
    checkpoints.memory = StateMemory(tmp_path, tmp_path)
    assert "RINGSCOPE_MEMORY" not in checkpoints.prepare(of(assignment, kind="training"))
    job = of(assignment, kind="training", placement={"ranks": 2, "min_ranks": 1})
    assert Path(checkpoints.prepare(job)["RINGSCOPE_MEMORY"]).is_dir()
