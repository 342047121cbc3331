"""The data directory, and the lock file that keeps a second server off the same SQLite file."""

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ringscope_server.db.disk import is_full


class DataDirError(Exception):
    """The data directory cannot be used; the message is one sentence for the operator."""


def make_data_dir(path: Path) -> None:
    """Create the directory if needed. Raises DataDirError when it cannot be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> DataDirError:
    """Return the error for a file in the data directory that could not be written."""
    if is_full(error):
        return DataDirError(f"The disk of the data directory {path} is full; make room on it and start again.")
    return DataDirError(
        f"The data directory {path} cannot be written ({error.strerror}); "
        "make it writable or choose another with --data-dir."
    )


def lock_data_dir(path: Path) -> TextIO:
    """Create the directory if needed and hold its lock until the returned file is closed.

    Raises DataDirError when the directory cannot be written or another server holds the lock.
    """
    make_data_dir(path)
    try:
        file = (path / "server.lock").open("a+")
    except OSError as error:
        raise unwritable(path, error) from error
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
    try:
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
    except OSError as error:
        _give_up(file)
        raise unwritable(path, error) from error
    _close_to_others(path)
    return file


def _close_to_others(path: Path) -> None:
    # Earlier servers made these files readable to others; new files are private by the process' mask.
    for file in path.glob("ringscope.sqlite3*"):
        with suppress(OSError):
            file.chmod(0o600)


def _give_up(file: TextIO) -> None:
    # What could not be written is tried again when the file is closed.
    with suppress(OSError):
        file.close()
