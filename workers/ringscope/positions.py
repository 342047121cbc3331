"""Positions: in which step of a call each rank of a node is, in a file that outlives them.

A rank that is killed can say nothing, and the launcher ends the others at once. So each rank keeps its step in memory
that is mapped from a file, which costs one store per step; whoever started the ranks reads there how far they came.
"""

import mmap
import sys
from pathlib import Path

_SLOT_BYTES = 128  # two cache lines, because processors fetch lines in pairs


def create(path: Path, ranks: int) -> None:
    """An empty file for so many ranks."""
    path.write_bytes(bytes(ranks * _SLOT_BYTES))


def slot(path: str | None, rank: int) -> memoryview:
    """Where a rank writes its step + 1, or 0 between two calls: one integer of 64 bits.

    Without a file that has room for it, memory that nobody else reads.
    """
    memory: mmap.mmap | bytearray = bytearray(_SLOT_BYTES)
    start = 0
    if (
        path is not None
        and (file_path := Path(path)).is_file()
        and file_path.stat().st_size >= (rank + 1) * _SLOT_BYTES
    ):
        with file_path.open("r+b") as file:
            memory, start = mmap.mmap(file.fileno(), 0), rank * _SLOT_BYTES
    return memoryview(memory)[start : start + 8].cast("q")


def steps(path: Path) -> dict[int, int]:
    """In which step each rank is, or was when it ended; without those that are in no call of a schedule."""
    try:
        content = path.read_bytes()
    except OSError:
        return {}
    numbers = (int.from_bytes(content[at : at + 8], sys.byteorder) for at in range(0, len(content), _SLOT_BYTES))
    return {rank: number - 1 for rank, number in enumerate(numbers) if number}
