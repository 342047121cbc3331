"""A file system of some megabytes that a test fills up."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, mebibytes: int = 32) -> Iterator[Path]:
    """Mounted at a new folder; where that is not allowed the test is skipped."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: Path) -> Path:
    """Take all the room that is left; gives the file to remove."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for piece_bytes in (1 << 12, 1):
            try:
                while True:
                    file.write(bytes(piece_bytes))
            except OSError as error:
                assert error.errno == errno.ENOSPC
    return ballast
