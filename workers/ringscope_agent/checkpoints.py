"""Checkpoints of jobs on this node: a folder for each job, shared by its attempts, and the removal of old ones."""

import asyncio
import contextlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.rank_process import CHECKPOINTS_VARIABLE, MEMORY_VARIABLE, RESUME_VARIABLE
from ringscope_agent.state_memory import StateMemory

logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
_FOLDER, _DOOMED = "job-", "removed-"


class Checkpoints:
    """The checkpoint folders below the data directory, and those in shared memory of elastic jobs.

    Args:
        keep_seconds: how long a folder stays after its last change.
    """

    def __init__(self, data_dir: Path, keep_seconds: float) -> None:
        self._root = data_dir / "checkpoints"
        self.memory = StateMemory(data_dir)
        self._keep_seconds = keep_seconds

    def folder(self, job_id: int) -> Path:
        """Return the folder of a job's checkpoints."""
        return self._root / f"{_FOLDER}{job_id}"

    def prepare(self, assignment: Assignment) -> dict[str, str]:
        """Make the folders that an attempt's ranks use and return them as environment variables. Raises OSError."""
        if assignment.spec.benchmark is not None:
            return {}
        own = self.folder(assignment.job_id)
        own.mkdir(parents=True, exist_ok=True)
        os.utime(own)
        variables = {CHECKPOINTS_VARIABLE: str(own)}
        if assignment.spec.placement.min_ranks is not None and (memory := self.memory.prepare(assignment.job_id)):
            variables[MEMORY_VARIABLE] = str(memory)
        training = assignment.spec.training
        if training is not None and training.resume_from is not None:
            variables[RESUME_VARIABLE] = str(self.folder(training.resume_from))
        return variables

    def mark_used(self, job_id: int) -> None:
        """Mark the job's folder as used now; its time to stay counts from here."""
        if (folder := self.folder(job_id)).is_dir():
            os.utime(folder)

    async def tidy_now_and_then(self, in_use: Callable[[], Collection[int]]) -> None:
        """Remove old folders until cancelled; ``in_use`` returns the jobs whose folders must stay."""
        while True:
            self.memory.tidy(in_use(), time.time())
            for folder in self.doom(in_use(), time.time()):
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            await asyncio.sleep(LOOK_SECONDS)

    def doom(self, in_use: Collection[int], now: float) -> list[Path]:
        """Rename old folders at once so that no job can use them; return the renamed ones, which are to be removed."""
        doomed = list(self._root.glob(f"{_DOOMED}*"))  # also of an earlier life
        kept = {self.folder(job_id) for job_id in in_use}
        for folder in self._root.glob(f"{_FOLDER}*"):
            if folder not in kept and now - _changed_at(folder) > self._keep_seconds:
                logger.info("Checkpoints %s are old; removing them.", folder)
                with contextlib.suppress(OSError):  # the next look tries again
                    doomed.append(folder.rename(folder.with_name(f"{_DOOMED}{folder.name}")))
        return doomed


def jobs_used(assignment: Assignment) -> set[int]:
    """Return the jobs whose checkpoints an attempt writes or may read."""
    training = assignment.spec.training
    resumed = {training.resume_from} if training is not None and training.resume_from is not None else set()
    return {assignment.job_id} | resumed


def _changed_at(folder: Path) -> float:
    """Return the Unix time of the last change; a file may have been written into a folder that was made long ago."""
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except OSError:  # it changes at this moment
        return time.time()
