"""The resident set of a process: its pages in main memory, as the kernel counts them."""

import os
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int | None = None) -> int | None:
    """Return the resident set of a process in bytes, by default of this one; None if the system does not report it.

    Pages that it shares with other processes are included; a GPU's memory is not.
    """
    pages = _pages(pid)
    return None if pages is None else pages[0] * _PAGE_BYTES


def anonymous_bytes(pid: int | None = None) -> int | None:
    """Return the part of the resident set that neither belongs to files nor is shared memory: a leak makes it grow."""
    pages = _pages(pid)
    return None if pages is None else (pages[0] - pages[1]) * _PAGE_BYTES


def _pages(pid: int | None) -> tuple[int, int] | None:
    """Return the pages of the resident set, and those of them that belong to files or to shared memory."""
    try:
        fields = (_PROC / ("self" if pid is None else str(pid)) / "statm").read_bytes().split()
        return int(fields[1]), int(fields[2])
    except (OSError, ValueError, IndexError):
        return None
