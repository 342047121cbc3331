"""Positions: how far each rank of a node has come, in a file that outlives them.

A rank that is killed can say nothing, and the launcher ends the others at once; one that hangs says nothing either. So
each rank keeps where it is in memory that is mapped from a file, which costs one store per step; whoever started the
ranks reads there how far they came, at any time and without asking them.
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

_SLOT_BYTES = 256  # pairs of cache lines, because processors fetch lines in pairs
_TEXT_AT = 16  # as a number of integers; the rest of the slot is the text of the stage
_TEXT_BYTES = _SLOT_BYTES - 8 * _TEXT_AT

# What the integers of a slot, of 64 bits each, say.
STEP = 0  # of a schedule's running call, + 1; 0 between two calls
ITERATIONS = 1  # timed iterations that are done
UNTIMED = 2  # other work that is done: warm-up operations, checks, sizes
SIZE_BYTES = 3  # of the message at hand
WAITED_NS = 4  # for other ranks, as far as our own schedules wait for them, and a sweep of them around its blocks
AWAITS = 5  # the rank, + 1, for which this one has been seen waiting in a call; 0: for none
INSIDE = 6  # the number of the guarded call, from 1 on, in which a watchdog sees this rank; 0: in none
FINISHED = 7  # the number of the communicator's guarded calls, + 1, once the rank's program is over; 0 before
STAGE_SINCE_NS = 8  # when the stage began, in nanoseconds since 1970; 0 at the steps
LOAD_SECONDS = 9  # how long the ranks of the job may wait for each other while they are in a stage; 0: not known
COLLECTIVE = 10  # the collective of mpi4py in which a script was last seen, as an index into COLLECTIVES + 1; 0: none
_FIELDS = 11

# Collectives that no rank can leave before every rank has entered them, by mpi4py's names.
COLLECTIVES = (
    *("Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Barrier"),
    *("Reduce_scatter", "Reduce_scatter_block", "allgather", "allreduce", "alltoall", "barrier"),
)

# Launchers set a process's rank before MPI does.
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
Slot = memoryview | MutableSequence[int]


@dataclass(frozen=True, slots=True)
class Position:
    """Progress of a rank, now or when it ended.

    Args:
        step: the step of the running call; None between two calls, and in a library's call.
        awaits: the rank for which it waits in a call of the engine; None where it waits for none, or only shortly.
        calls: the number of the guarded call, from 1 on, in which it was seen; 0: in none.
        has_finished: true if its program is over; its process may still wait for the others to end.
        stage: its work before or between its steps, such as "importing torch"; empty during steps.
        collective: the collective of mpi4py over all ranks in which a script was last seen; empty: in none.
    """

    step: int | None
    iterations: int
    untimed: int
    size_bytes: int
    waited_ns: int
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
    """Return the memory that a rank writes its position to: integers at the indices named above.

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
    """The slot of this process, by the rank that its launcher has put into the environment."""
    rank = next((os.environ[name] for name in _RANK_VARIABLES if is_whole_number(os.environ.get(name, ""))), "0")
    return slot(path, int(rank))


def set_stage(position: Slot, text: str) -> None:
    """Say what this rank does before its steps or between them; empty: it is at its steps."""
    encoded = text.encode()[:_TEXT_BYTES].decode(errors="ignore").encode()
    position[STAGE_SINCE_NS] = time.time_ns() if text else 0
    if isinstance(position, memoryview):
        position[_TEXT_AT:] = memoryview(encoded.ljust(_TEXT_BYTES, b"\0")).cast("q")


@contextmanager
def stage(position: Slot, text: str) -> Iterator[None]:
    """Say what this rank does inside of a block, and afterwards that it is at its steps."""
    set_stage(position, text)
    try:
        yield
    finally:
        set_stage(position, "")


def patience_seconds(position: Slot, timeout_seconds: float) -> float:
    """Return the timeout for other ranks: longer while this rank loads, as the others may also take longer to load."""
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
    """The position of each rank; none without a file."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    return [_position(content[at : at + _SLOT_BYTES]) for at in range(0, len(content), _SLOT_BYTES)]


def steps(path: Path) -> dict[int, int]:
    """Return the step of each rank, now or when it ended, without ranks that are in no call of a schedule."""
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
        awaits=numbers[AWAITS] - 1 if numbers[AWAITS] else None,
        calls=numbers[INSIDE],
        has_finished=bool(numbers[FINISHED]),
        stage=text,
        stage_since_ns=numbers[STAGE_SINCE_NS],
        collective=COLLECTIVES[numbers[COLLECTIVE] - 1] if numbers[COLLECTIVE] else "",
    )
