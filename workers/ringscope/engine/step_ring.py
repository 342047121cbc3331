"""Step rings: the timed iterations of each rank of a node, in memory that is shared with their launcher.

A block of iterations may take minutes, and a report after it shows nothing in the meantime. So a rank writes the end of
each iteration into a ring of fixed size, which costs one store, and the supervisor of the ranks (the shim) reads it
twice a second. The memory has no name in any folder: it is a file of memory alone (memfd_create) that the ranks open
through /proc, so that a full or slow disk cannot interfere, and nothing is left once the shim and its ranks have ended.

A step is a timed iteration; its number is how many were done before it, which ``positions.ITERATIONS`` counts. The end
of step n is at index n + 1 of the ring, modulo its size, so that index n = 0 holds the beginning of the first step.
Before a block the rank writes what it is about to time, and the number of its first step.
"""

import json
import mmap
import os
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from ringscope.contracts.record import IterationBlock, IterationKind, Iterations
from ringscope.engine.positions import ITERATIONS

STEPS = 1 << 18  # capacity of a ring: 5 s of steps of 20 us
BLOCKS = 1 << 14  # a sweep of small messages begins up to 20,000 a second; the ring is read twice a second
PLACES = STEPS - 1  # a mask: the place of an end in the ring
_SLOT_BYTES = 512
_HEAD_BYTES = mmap.PAGESIZE  # the first integer is the number of blocks
_BLOCKS_BYTES = BLOCKS * _SLOT_BYTES
_STAMPS_BYTES = STEPS * 8
_BYTES = _HEAD_BYTES + _BLOCKS_BYTES + 2 * _STAMPS_BYTES

# The meaning of the integers at the beginning of a block's slot; the rest of it is text.
_FIRST_STEP = 0
_STEPS = 1
_OFFSET_NS = 2  # offset from the monotonic clock to the wall clock
BEGIN_NS = 3  # begin of its first step, by the monotonic clock
_IS_SPACED = 4
_TEXT_BYTES = 5
_NUMBERS = Struct("=6q")
_TEXT_AT = _NUMBERS.size
MAX_TEXT_BYTES = _SLOT_BYTES - _TEXT_AT

MAX_STEPS_PER_RECORD = 2000


def described(**fields: Any) -> bytes:
    """Encode what a block times, by the field names of ``record.Iterations`` and its kinds, for
    ``StepRing.announce``.
    """
    text = json.dumps(fields).encode()
    if len(text) > MAX_TEXT_BYTES:
        raise ValueError(f"the description of a block has {len(text)} bytes; there is room for {MAX_TEXT_BYTES}")
    return text


class StepRing:
    """Ring buffer of a rank's step times: ``ends`` of all steps, and ``begins`` of steps after a gap.

    Both hold nanoseconds of the monotonic clock.
    """

    def __init__(self, memory: memoryview) -> None:
        head, self._slots, begins, ends = _parts(memory)
        self._head = head.cast("q")
        self.begins, self.ends = begins.cast("q"), ends.cast("q")
        # The first access to a page takes a microsecond, which must not count in a step.
        for place in range(0, STEPS, mmap.PAGESIZE // 8):
            self.ends[place] = 0

    @classmethod
    def opened(cls, path: str | None, rank: int) -> "StepRing":
        """Map a rank's part of the memory at ``path``; without a path use private memory. Raises OSError."""
        if not path:
            return cls(memoryview(mmap.mmap(-1, _BYTES)))
        with Path(path).open("r+b") as file:
            return cls(memoryview(mmap.mmap(file.fileno(), _BYTES, offset=rank * _BYTES)))

    def announce(self, first_step: int, steps: int, text: bytes, is_spaced: bool) -> memoryview:
        """Announce the next block; return its slot, whose ``BEGIN_NS`` is filled in when the block begins."""
        number = self._head[0]
        start = number % BLOCKS * _SLOT_BYTES
        slot = self._slots[start : start + _SLOT_BYTES]
        numbers = slot[:_TEXT_AT].cast("q")
        numbers[_FIRST_STEP], numbers[_STEPS] = first_step, steps
        numbers[_OFFSET_NS] = time.time_ns() - time.perf_counter_ns()
        numbers[BEGIN_NS] = 0
        numbers[_IS_SPACED] = is_spaced
        numbers[_TEXT_BYTES] = len(text)
        slot[_TEXT_AT : _TEXT_AT + len(text)] = text
        self._head[0] = number + 1
        return numbers


class StepMemory:
    """The rings of all ranks of a job, on the side of the launcher; ``path`` is for the ranks."""

    def __init__(self, ranks: int) -> None:
        """Memory is used only once the ranks write. Raises OSError."""
        self._descriptor = os.memfd_create("ringscope-steps", os.MFD_CLOEXEC)
        os.ftruncate(self._descriptor, ranks * _BYTES)
        self.path = f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def reader(self, rank: int, position: memoryview) -> "StepReader":
        """Return a reader of one rank's ring; ``position`` is where that rank publishes how many steps are done."""
        memory = mmap.mmap(self._descriptor, _BYTES, prot=mmap.PROT_READ, offset=rank * _BYTES)
        return StepReader(rank, memoryview(memory), position)

    def close(self) -> None:
        """Release it; it disappears with the last rank that has it mapped."""
        os.close(self._descriptor)


class _Block(NamedTuple):
    number: int
    first_step: int
    end_step: int
    offset_ns: int
    begin_ns: int
    is_spaced: bool
    text: bytes


class _Part(NamedTuple):
    """Steps of a block, at most as many as one record holds."""

    block: _Block
    begin_step: int
    end_step: int


class StepReader:
    """Reads a rank's new steps, and counts the steps that were overwritten before they were read.

    The writer never waits: a late reader finds newer steps in the ring. So after copying it checks the writer's
    progress again, and discards entries that may have been overwritten in the meantime.
    """

    def __init__(self, rank: int, memory: memoryview, position: memoryview) -> None:
        head, self._slots, begins, ends = _parts(memory)
        self._head = head.cast("q")
        self._begins, self._ends = (np.frombuffer(part, np.int64) for part in (begins, ends))
        self._rank, self._position = rank, position
        self._next_step = self._next_block = 0
        self.dropped_steps = 0

    def read(self) -> Iterator[Iterations]:
        """Return all steps that have ended since, in order: one record, or several if there are many."""
        done = int(self._position[ITERATIONS])
        if done == self._next_step:
            return
        blocks = list(self._new_blocks())
        first = max(self._next_step, done - STEPS + 1)
        stamps = _copied(self._ends, first, done + 1)  # end of the previous step, then of all new steps
        begins, ends = stamps[:-1].copy(), stamps[1:]
        is_spaced = any(block.is_spaced for block in blocks)
        spaced = _copied(self._begins, first, done + 1)[1:] if is_spaced else begins
        first_valid = max(first, int(self._position[ITERATIONS]) + 2 - STEPS)
        parts = []
        for block in blocks:
            begin_step, end_step = max(block.first_step, first_valid), min(block.end_step, done)
            if begin_step >= end_step:
                continue
            if block.is_spaced:
                begins[begin_step - first : end_step - first] = spaced[begin_step - first : end_step - first]
            elif begin_step == block.first_step:
                begins[begin_step - first] = block.begin_ns
            parts += [
                _Part(block, step, min(step + MAX_STEPS_PER_RECORD, end_step))
                for step in range(begin_step, end_step, MAX_STEPS_PER_RECORD)
            ]
        durations = ends - begins
        pauses = np.diff(begins, append=ends[-1:]) - durations if is_spaced else None
        for group in _grouped(parts):
            yield self._record(group, first, begins, durations, pauses)
        self.dropped_steps += done - self._next_step - sum(part.end_step - part.begin_step for part in parts)
        self._next_step = done
        self._next_block = next((block.number for block in blocks if block.end_step > done), self._next_block)

    def _new_blocks(self) -> Iterator[_Block]:
        """Yield the blocks announced since the last read, and blocks that had not ended then."""
        announced = self._head[0]
        for number in range(max(self._next_block, announced - BLOCKS + 1), announced):
            start = number % BLOCKS * _SLOT_BYTES
            first_step, steps, offset_ns, begin_ns, is_spaced, text_bytes = _NUMBERS.unpack_from(self._slots, start)
            text = bytes(self._slots[start + _TEXT_AT : start + _TEXT_AT + text_bytes])
            if self._head[0] - number >= BLOCKS:
                continue  # overwritten while it was read
            yield _Block(number, first_step, first_step + steps, offset_ns, begin_ns, bool(is_spaced), text)
        self._next_block = announced

    def _record(
        self, parts: Sequence[_Part], first: int, begins: np.ndarray, durations: np.ndarray, pauses: np.ndarray | None
    ) -> Iterations:
        """Build a record of consecutive steps; the columns begin with step ``first``."""
        kinds: dict[bytes, int] = {}  # grouped by what a block times
        blocks = []
        for part in parts:
            start_ns = int(begins[part.begin_step - first]) + part.block.offset_ns
            kind = kinds.setdefault(part.block.text, len(kinds))
            steps = part.end_step - part.begin_step
            blocks.append(IterationBlock(kind, steps, start_ns))
        span = slice(parts[0].begin_step - first, parts[-1].end_step - first)
        # Not validated again: the engine wrote this data, and validation would disturb iterations that are being timed.
        return Iterations.model_construct(
            rank=self._rank,
            first_step=parts[0].begin_step,
            **_common(parts[0].block.text),
            kinds=[_kind(text) for text in kinds],
            blocks=blocks,
            duration_ns=array("q", durations[span].tobytes()),
            pause_ns=None if pauses is None else array("q", pauses[span].tobytes()),
        )


def _grouped(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Split the parts into groups that fit one record each."""
    group: list[_Part] = []
    for part in parts:
        is_full = group and part.end_step - group[0].begin_step > MAX_STEPS_PER_RECORD
        if is_full or (group and _common(part.block.text) != _common(group[0].block.text)):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


@lru_cache(maxsize=256)
def _common(text: bytes) -> Mapping[str, Any]:
    """Return the fields that all iterations of a record must share."""
    fields: dict[str, Any] = json.loads(text)
    return {name: fields[name] for name in ("op", "bus_factor")}


@lru_cache(maxsize=256)
def _kind(text: bytes) -> IterationKind:
    fields: dict[str, Any] = json.loads(text)
    return IterationKind.model_construct(**{name: fields[name] for name in IterationKind.model_fields})


def _copied(ring: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Copy the entries from ``start`` to ``stop`` of the ring, whose indices wrap around."""
    at, end = start & PLACES, stop & PLACES
    return ring[at:end].copy() if at < end else np.concatenate([ring[at:STEPS], ring[:end]])


def _parts(memory: memoryview) -> list[memoryview]:
    parts = []
    for size in (_HEAD_BYTES, _BLOCKS_BYTES, _STAMPS_BYTES, _STAMPS_BYTES):
        parts.append(memory[:size])
        memory = memory[size:]
    return parts
