"""Positions: how far each rank of a node has come, in a file that outlives them.

A rank that is killed can say nothing, and the launcher ends the others at once; one that hangs says nothing either. So
each rank keeps where it is in memory that is mapped from a file, which costs one store per step; whoever started the
ranks reads there how far they came, at any time and without asking them.
"""

import mmap
import sys
from dataclasses import dataclass
from pathlib import Path

_SLOT_BYTES = 128  # two cache lines, because processors fetch lines in pairs

# What the integers of a slot, of 64 bits each, say.
STEP = 0  # of a schedule's running call, + 1; 0 between two calls
ITERATIONS = 1  # timed iterations that are done
UNTIMED = 2  # other work that is done: warm-up operations, checks, sizes
SIZE_BYTES = 3  # of the message at hand
WAITED_NS = 4  # for other ranks, as far as our own schedules wait for them, and a sweep of them around its blocks
_FIELDS = 5


@dataclass(frozen=True, slots=True)
class Position:
    """How far a rank has come, or had when it ended.

    Args:
        step: of the running call; None between two calls, and in a library's own.
    """

    step: int | None
    iterations: int
    untimed: int
    size_bytes: int
    waited_ns: int


def create(path: Path, ranks: int) -> None:
    """An empty file for so many ranks."""
    path.write_bytes(bytes(ranks * _SLOT_BYTES))


def slot(path: str | None, rank: int) -> memoryview:
    """Where a rank writes its position: integers, as named above.

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
    return memoryview(memory)[start : start + 8 * _FIELDS].cast("q")


def read(path: Path) -> list[Position]:
    """The position of each rank; none without a file."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    return [_position(content[at : at + 8 * _FIELDS]) for at in range(0, len(content), _SLOT_BYTES)]


def steps(path: Path) -> dict[int, int]:
    """In which step each rank is, or was when it ended; without those that are in no call of a schedule."""
    return {rank: place.step for rank, place in enumerate(read(path)) if place.step is not None}


def _position(content: bytes) -> Position:
    numbers = [int.from_bytes(content[at : at + 8], sys.byteorder) for at in range(0, 8 * _FIELDS, 8)]
    step = numbers[STEP] - 1 if numbers[STEP] else None
    return Position(step, numbers[ITERATIONS], numbers[UNTIMED], numbers[SIZE_BYTES], numbers[WAITED_NS])
