"""Interface of a transport, and the buffers it works on."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from platform import node
from typing import Any, Protocol, runtime_checkable

import ml_dtypes
import numpy as np
import psutil
from numpy.typing import NDArray

from ringscope.contracts.traced import RankTrace
from ringscope.contracts.words.units import format_size
from ringscope.engine.control_group import free_bytes
from ringscope.engine.errors import OutOfMemoryError
from ringscope.schedules.schedule import Chunk, Schedule

Array = NDArray[Any]
assert np.dtype(ml_dtypes.bfloat16).name == "bfloat16"  # this import registers the name bfloat16 in NumPy

# Cache for pure functions of a schedule: a schedule is often planned again, at another place in memory.
remembered = lru_cache(maxsize=4)

DEFAULT_TIMEOUT_SECONDS = 300.0  # how long a rank waits for another one, which may be loading its data


@dataclass(frozen=True, slots=True)
class Buffer:
    """One piece of registered memory: this rank's part, and the parts of all ranks if they are reachable.

    ``parts[r]`` belongs to rank r, all are flat and of equal length; a transport without access to its peers' memory
    has only ``local``.
    """

    local: Array
    parts: tuple[Array, ...]

    def head(self, count: int) -> "Buffer":
        """Return the first ``count`` elements, without a copy."""
        return self.section(0, count)

    def section(self, start: int, count: int) -> "Buffer":
        """Return ``count`` elements from ``start`` on, without a copy."""
        stop = start + count
        return Buffer(self.local[start:stop], tuple(part[start:stop] for part in self.parts))

    def view(self, dtype: str) -> "Buffer":
        """Return the same memory as another dtype."""
        return Buffer(self.local.view(dtype), tuple(part.view(dtype) for part in self.parts))


class Scratch:
    """Scratch memory for received data. The plans of a transport share it, because only one of them runs at a time."""

    def __init__(self, empty: Callable[[int, str], Array]) -> None:
        """``empty(size, dtype)`` allocates, as the functions of NumPy and CuPy do."""
        self._empty = empty
        self._memory = empty(0, "uint8")

    def take(self, count: int, dtype: np.dtype[Any]) -> Array:
        """Return ``count`` elements; earlier arrays stay valid, but may share this memory."""
        size_bytes = count * dtype.itemsize
        if self._memory.nbytes < size_bytes:
            self._memory = self._empty(size_bytes, "uint8")
        return self._memory[:size_bytes].view(dtype)


class Plan(Protocol):
    """A collective call prepared for fixed buffers: running it allocates nothing."""

    def run(self) -> None:
        """Execute once; return when this rank's result is complete and its buffers may be changed."""

    def free(self) -> None:
        """Release the plan's resources."""


@runtime_checkable
class TraceablePlan(Plan, Protocol):
    """A plan that can trace its execution."""

    def trace(self) -> RankTrace:
        """Execute once, as ``run`` does, and return each transfer of this rank; it takes longer than ``run``."""


class DeviceClock(Protocol):
    """Two events on a GPU's stream, and the time between them by the GPU's own clock."""

    def begin(self) -> None:
        """Record the first event after everything that was enqueued."""

    def end(self) -> None:
        """Record the second event after everything that was enqueued."""

    def elapsed_us(self) -> float:
        """Return the time between both in microseconds, once the stream was waited for."""


@runtime_checkable
class EnqueuedPlan(Plan, Protocol):
    """A plan on a GPU's stream: several executions can be enqueued, which run in order, before one wait for all."""

    @property
    def clock(self) -> DeviceClock:
        """The clock of its stream."""

    def enqueue(self) -> None:
        """Enqueue one execution; the buffers must not be changed until ``wait`` has returned."""

    def wait(self) -> None:
        """Return when everything that was enqueued is complete."""


@runtime_checkable
class CapturedPlan(EnqueuedPlan, Protocol):
    """A plan on a GPU's stream whose calls can be captured as a CUDA graph."""

    def capture(self, calls: Callable[[], None], name: str) -> Callable[[], None]:
        """Return a call that enqueues all that ``calls`` would, as one graph; ``calls`` enqueue plans of one stream,
        and ``name`` names them in errors.
        """


@runtime_checkable
class LibraryPlan(Plan, Protocol):
    """A plan of a library's own functions."""

    @property
    def function(self) -> str:
        """The functions that execute it, as a row names them: ncclAlltoAll."""


class Transport(Protocol):
    """Executes any schedule over one kind of link."""

    @property
    def name(self) -> str:
        """The transport's name in job specs and records."""

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate registered bytes, equally many on every rank (collective)."""

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Prepare ``schedule`` from ``send`` into ``recv``; the same buffer twice means in place."""

    def free(self) -> None:
        """Free all memory (collective)."""


def cut(memory: Array, chunk: Chunk) -> Array:
    """Return the elements of a chunk, without a copy."""
    return memory[chunk.offset : chunk.offset + chunk.length]


def bits(memory: Array) -> Array:
    """Return the same elements as unsigned integers, so that code that only moves them does not depend on the dtype.

    A complex number becomes two integers.
    """
    return memory.view(f"u{memory.itemsize // (2 if memory.dtype.kind == 'c' else 1)}")


def components(memory: Any) -> Any:
    """Return a complex NumPy or CuPy array as its real numbers; any other array unchanged."""
    return memory.view(f"f{memory.itemsize // 2}") if memory.dtype.kind == "c" else memory


def free_places(mount: str | None = None) -> dict[str, int]:
    """Return the free bytes of this node's memory, of its control group and of the tmpfs ``mount``, by their names."""
    places = {"memory": int(psutil.virtual_memory().available)}
    in_group = free_bytes()
    if in_group is not None:
        places["its control group"] = in_group
    if mount is not None and os.path.isdir(mount):  # noqa: PTH112 (a mount point, not a path to work with)
        stat = os.statvfs(mount)
        places[mount] = stat.f_bavail * stat.f_frsize
    return places


def require_memory(size_bytes: int, mount: str | None = None) -> None:
    """Raise OutOfMemoryError if this node, its control group or the tmpfs ``mount`` has less than ``size_bytes`` free.

    Linux overcommits memory and later kills a process that uses it, so this check runs before the allocation.
    """
    place, left_bytes = min(free_places(mount).items(), key=lambda item: item[1])
    if size_bytes > left_bytes:
        option = " (of a container with --shm-size)" if mount == "/dev/shm" else ""
        enlarge = f", or enlarge {mount}{option}" if place == mount else ""
        raise OutOfMemoryError(
            f"The buffers of the ranks on {node()} need {format_size(size_bytes)} but {place} has "
            f"{format_size(left_bytes)} free; lower max_bytes or the number of ranks{enlarge}."
        )
