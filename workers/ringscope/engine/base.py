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
assert np.dtype(ml_dtypes.bfloat16).name == "bfloat16"  # the import is what makes NumPy know this name

# For pure functions of a schedule: one is often planned again, at another place in memory.
remembered = lru_cache(maxsize=4)

DEFAULT_TIMEOUT_SECONDS = 300.0  # how long a rank waits for another one, which may be loading its data


@dataclass(frozen=True, slots=True)
class Buffer:
    """One piece of registered memory: this rank's part, and the parts of all ranks where they can be reached.

    ``parts[r]`` belongs to rank r, all are flat and of equal length; a transport that cannot see its peers'
    memory has only ``local``.
    """

    local: Array
    parts: tuple[Array, ...]

    def head(self, count: int) -> "Buffer":
        """The first ``count`` elements, without a copy."""
        return self.section(0, count)

    def section(self, start: int, count: int) -> "Buffer":
        """``count`` elements from ``start`` on, without a copy."""
        stop = start + count
        return Buffer(self.local[start:stop], tuple(part[start:stop] for part in self.parts))

    def view(self, dtype: str) -> "Buffer":
        """Return the same memory as another dtype."""
        return Buffer(self.local.view(dtype), tuple(part.view(dtype) for part in self.parts))


class Scratch:
    """Memory for what arrives aside. The plans of a transport share it, because only one of them runs at a time."""

    def __init__(self, empty: Callable[[int, str], Array]) -> None:
        """``empty(size, dtype)`` allocates, as NumPy's and CuPy's do."""
        self._empty = empty
        self._memory = empty(0, "uint8")

    def take(self, count: int, dtype: np.dtype[Any]) -> Array:
        """``count`` elements; what was taken before stays valid memory, but may be the same."""
        size_bytes = count * dtype.itemsize
        if self._memory.nbytes < size_bytes:
            self._memory = self._empty(size_bytes, "uint8")
        return self._memory[:size_bytes].view(dtype)


class Plan(Protocol):
    """A collective call prepared for fixed buffers: running it allocates nothing."""

    def run(self) -> None:
        """Execute once; returns when this rank's result is there and its buffers may be changed."""

    def free(self) -> None:
        """Give back what the plan holds."""


@runtime_checkable
class TraceablePlan(Plan, Protocol):
    """A plan that can trace its execution."""

    def trace(self) -> RankTrace:
        """Execute once, as ``run`` does, and return each transfer of this rank; takes longer than ``run``."""


class Transport(Protocol):
    """Executes any schedule over one kind of link."""

    @property
    def name(self) -> str:
        """The transport's name in job specs and records."""

    def allocate(self, size_bytes: int) -> Buffer:
        """Registered bytes, as large on every rank (collective)."""

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Prepare ``schedule`` from ``send`` into ``recv``; the same buffer twice means in place."""

    def free(self) -> None:
        """Give back all memory (collective)."""


def cut(memory: Array, chunk: Chunk) -> Array:
    """The elements of a chunk, without a copy."""
    return memory[chunk.offset : chunk.offset + chunk.length]


def bits(memory: Array) -> Array:
    """Return the same elements as unsigned integers, so that code that only moves them need not know the dtype.

    Two integers for a complex number.
    """
    return memory.view(f"u{memory.itemsize // (2 if memory.dtype.kind == 'c' else 1)}")


def components(memory: Any) -> Any:
    """The real numbers that a NumPy or CuPy array of complex ones consists of; any other array as it is."""
    return memory.view(f"f{memory.itemsize // 2}") if memory.dtype.kind == "c" else memory


def require_memory(size_bytes: int, mount: str | None = None) -> None:
    """Raise OutOfMemoryError when this node, its control group or the tmpfs ``mount`` cannot give ``size_bytes``.

    Linux hands out memory that it does not have and later kills a process for it: better say so before.
    """
    places = {"memory": int(psutil.virtual_memory().available)}
    in_group = free_bytes()
    if in_group is not None:
        places["its control group"] = in_group
    if mount is not None and os.path.isdir(mount):  # noqa: PTH112 (a mount point, not a path to work with)
        stat = os.statvfs(mount)
        places[mount] = stat.f_bavail * stat.f_frsize
    place, left_bytes = min(places.items(), key=lambda item: item[1])
    if size_bytes > left_bytes:
        enlarge = f", or enlarge {mount}" if place == mount else ""
        raise OutOfMemoryError(
            f"The buffers of the ranks on {node()} need {format_size(size_bytes)} but {place} has "
            f"{format_size(left_bytes)} free; lower max_bytes or the number of ranks{enlarge}."
        )
