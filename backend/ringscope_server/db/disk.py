"""The disk under the database and the data directory."""

import errno
import os
import tempfile
from pathlib import Path

ROOM_BYTES = 1 << 20
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def has_room(folder: Path) -> bool:
    """Return whether a megabyte fits there; True if that cannot be found out."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
    except OSError as error:
        return error.errno not in FULL
    return True


def is_full(error: BaseException) -> bool:
    """Return whether a file could not be written because the disk is full."""
    return isinstance(error, OSError) and error.errno in FULL
