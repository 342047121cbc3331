"""The resident set of a process: its pages in main memory, as the kernel counts them."""

import os
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int | None = None) -> int | None:
    """Return the resident set of a process in bytes, by default of this one; None if the system does not report it.

    Pages that it shares with other processes are included; a GPU's memory is not.
    """
    try:
        pages = int((_PROC / ("self" if pid is None else str(pid)) / "statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * _PAGE_BYTES
