"""The data directory, and the lock file that keeps a second server off the same SQLite file."""

import fcntl
import os
import tempfile
from pathlib import Path
from typing import TextIO


class DataDirError(Exception):
    """The data directory cannot be used; the message is one sentence for the operator."""


def make_data_dir(path: Path) -> None:
    """Create the directory if needed. Raises DataDirError when it cannot be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise DataDirError(
            f"The data directory {path} cannot be written ({error.strerror}); "
            "make it writable or choose another with --data-dir."
        ) from error


def lock_data_dir(path: Path) -> TextIO:
    """Create the directory if needed and hold its lock until the returned file is closed.

    Raises DataDirError when the directory cannot be written or another server holds the lock.
    """
    make_data_dir(path)
    file = (path / "server.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise DataDirError(
            f"Another server (process {owner}) already uses the data directory {path}; "
            "stop it or choose another directory with --data-dir."
        ) from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
