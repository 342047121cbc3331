"""Positions: the progress of each rank of a node, in a file that outlives the ranks.

A rank that is killed or hangs cannot report anything, and the launcher ends the others at once. So each rank stores its
position in memory that is mapped from a file, at the cost of one store per step; the process that started the ranks can
read their progress there at any time without asking them.
"""

import mmap
import os
import sys
import time
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ringscope.contracts.words.units import is_whole_number
from ringscope.contracts.words.waits import COLLECTIVES

_SLOT_BYTES = 256  # pairs of cache lines, because processors prefetch lines in pairs
_TEXT_AT = 16  # number of integers; the rest of the slot is the text of the stage
_TEXT_BYTES = _SLOT_BYTES - 8 * _TEXT_AT

# The meaning of the integers of a slot, 64 bits each.
STEP = 0  # step of a schedule's running call, + 1; 0 between two calls
ITERATIONS = 1  # finished timed iterations
UNTIMED = 2  # other finished work: warm-up operations, checks, sizes
SIZE_BYTES = 3  # size of the current message
WAITED_NS = 4  # time waiting for other ranks: in our own schedules, and in a sweep around its blocks
AWAITS = 5  # the rank, + 1, for which this rank is waiting in a call; 0: none
INSIDE = 6  # number of the guarded call, from 1, in which a watchdog sees this rank; 0: none
FINISHED = 7  # number of the communicator's guarded calls, + 1, once the rank's program has ended; 0 before
STAGE_SINCE_NS = 8  # when the stage began, in nanoseconds since 1970; 0 during steps
LOAD_SECONDS = 9  # how long the job's ranks may wait for each other while they are in a stage; 0: unknown
COLLECTIVE = 10  # a library's collective in which a script was last seen, as an index into COLLECTIVES + 1; 0: none
INPUT_NS = 11  # time waiting for the samples of training steps
_FIELDS = 12

# Launchers set a process's rank before MPI does.
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
Slot = memoryview | MutableSequence[int]


@dataclass(frozen=True, slots=True)
class Position:
    """Progress of a rank, now or when it ended.

    Args: step: the step of the running call; None between two calls, and in a library's call. awaits: the rank for
    which it waits in a call of the engine; None if it does not wait, or only briefly. calls: the number of the guarded
    call, from 1 on, in which it was seen; 0: in none. has_finished: true if its program is over; its process may still
    wait for the others to end. stage: its work before or between its steps, such as "importing torch"; empty during
    steps. collective: the library's collective over all ranks in which a script was last seen; empty: in none.
    """

    step: int | None
    iterations: int
    untimed: int
    size_bytes: int
    waited_ns: int
    input_ns: int = 0
    awaits: int | None = None
    calls: int = 0
    has_finished: bool = False
    stage: str = ""
    stage_since_ns: int = 0
    collective: str = ""


def create(path: Path, ranks: int) -> None:
    """Create an empty file for ``ranks`` ranks."""
    path.write_bytes(bytes(ranks * _SLOT_BYTES))


def slot(path: str | None, rank: int) -> memoryview:
    """Return the memory to which a rank writes its position: integers at the indices named above.

    Without a file that is large enough, it is private memory that no other process reads.
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
    return memoryview(memory)[start : start + _SLOT_BYTES].cast("q")


def slot_before_mpi(path: str | None) -> memoryview:
    """Return the slot of this process, by the rank that its launcher has set in the environment."""
    rank = next((os.environ[name] for name in _RANK_VARIABLES if is_whole_number(os.environ.get(name, ""))), "0")
    return slot(path, int(rank))


def set_stage(position: Slot, text: str) -> None:
    """Set what this rank does before or between its steps; empty: it executes steps."""
    encoded = text.encode()[:_TEXT_BYTES].decode(errors="ignore").encode()
    position[STAGE_SINCE_NS] = time.time_ns() if text else 0
    if isinstance(position, memoryview):
        position[_TEXT_AT:] = memoryview(encoded.ljust(_TEXT_BYTES, b"\0")).cast("q")


@contextmanager
def stage(position: Slot, text: str) -> Iterator[None]:
    """Set what this rank does inside a block; afterwards it executes steps."""
    set_stage(position, text)
    try:
        yield
    finally:
        set_stage(position, "")


def patience_seconds(position: Slot, timeout_seconds: float) -> float:
    """Return the timeout for other ranks: longer while this rank loads, because the others may also take longer to
    load.
    """
    return max(timeout_seconds, position[LOAD_SECONDS]) if position[STAGE_SINCE_NS] else timeout_seconds


def finished_calls(path: str | None, rank: int) -> int | None:
    """Return the number of guarded calls that a rank of this node made before its program ended; None while it runs."""
    if path is None:
        return None
    try:
        with Path(path).open("rb") as file:
            content = os.pread(file.fileno(), 8, rank * _SLOT_BYTES + 8 * FINISHED)
    except OSError:
        return None
    number = int.from_bytes(content, sys.byteorder)
    return number - 1 if number else None


def read(path: Path) -> list[Position]:
    """Return the position of each rank; none without a file."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    return [_position(content[at : at + _SLOT_BYTES]) for at in range(0, len(content), _SLOT_BYTES)]


def steps(path: Path) -> dict[int, int]:
    """Return the step of each rank that is in a call of a schedule, now or when it ended."""
    return {rank: place.step for rank, place in enumerate(read(path)) if place.step is not None}


def _position(content: bytes) -> Position:
    numbers = [int.from_bytes(content[at : at + 8], sys.byteorder) for at in range(0, 8 * _FIELDS, 8)]
    text = content[8 * _TEXT_AT :].rstrip(b"\0").decode(errors="replace")
    return Position(
        step=numbers[STEP] - 1 if numbers[STEP] else None,
        iterations=numbers[ITERATIONS],
        untimed=numbers[UNTIMED],
        size_bytes=numbers[SIZE_BYTES],
        waited_ns=numbers[WAITED_NS],
        input_ns=numbers[INPUT_NS],
        awaits=numbers[AWAITS] - 1 if numbers[AWAITS] else None,
        calls=numbers[INSIDE],
        has_finished=bool(numbers[FINISHED]),
        stage=text,
        stage_since_ns=numbers[STAGE_SINCE_NS],
        collective=COLLECTIVES[numbers[COLLECTIVE] - 1] if numbers[COLLECTIVE] else "",
    )
