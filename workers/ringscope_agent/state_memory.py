"""Folders in shared memory for the state of elastic jobs: a next attempt on this node continues from there."""

import contextlib
import hashlib
import logging
import os
import shutil
import stat
import time
from collections.abc import Collection
from pathlib import Path

from ringscope.rank.room import SHARED_MEMORY

logger = logging.getLogger(__name__)

# A job whose node or rank was lost continues within seconds; without slots it continues from its checkpoint later.
KEEP_SECONDS = 600.0
_FOLDER = "job-"


class StateMemory:
    """The folders of one agent, below one that only its user can open.

    Args:
        data_dir: of the agent; another agent on this machine has another one.
    """

    def __init__(self, data_dir: Path, shared_memory: Path = SHARED_MEMORY) -> None:
        name = hashlib.sha256(os.fsencode(data_dir.absolute())).hexdigest()[:16]
        self._root = shared_memory / f"ringscope-state-{name}"

    def prepare(self, job_id: int) -> Path | None:
        """Make a job's folder; None if there is no shared memory, or another user has taken its name."""
        folder = self._root / f"{_FOLDER}{job_id}"
        try:
            self._root.mkdir(mode=0o700, exist_ok=True)
            found = self._root.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
                logger.warning("%s is not a private folder of this user; elastic jobs use checkpoints.", self._root)
                return None
            folder.mkdir(exist_ok=True)
            os.utime(folder)
        except OSError as error:
            logger.warning("%s cannot be used (%s); elastic jobs continue from checkpoints.", self._root, error)
            return None
        return folder

    def tidy(self, in_use: Collection[int], now: float) -> None:
        """Remove the folders of jobs that are not in use and have not changed for a while."""
        kept = {f"{_FOLDER}{job_id}" for job_id in in_use}
        for folder in self._root.glob(f"{_FOLDER}*"):
            if folder.name not in kept and now - _changed_at(folder) > KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove everything: an agent that is being stopped leaves no memory behind."""
        shutil.rmtree(self._root, ignore_errors=True)


def _changed_at(folder: Path) -> float:
    """Return the Unix time of the last change of a folder or of a file in it."""
    with contextlib.suppress(OSError):
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    return time.time()
