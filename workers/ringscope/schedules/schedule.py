"""Schedules: the transfers of chunks between ranks, step by step. Pure data: transports execute it, tests count it.

A buffer of ``length`` elements is cut into chunks. The transfers of one step are simultaneous: each reads what the
source held before the step, also if two ranks exchange a chunk. Within a step no two transfers write the same chunk of
the same rank. An executor may start a transfer as soon as its input is available.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

LINE_ELEMENTS = 128  # at least 128 bytes, a cache line of a GPU; a schedule does not know how long an element is
LEAST_ALIGNED = 4096  # elements of a chunk, of which a line is a small part
_PACK_ELEMENTS = 16  # at least 16 bytes, the most that a thread of a GPU moves at once


class Chunk(NamedTuple):
    """A run of elements of the buffer."""

    offset: int
    length: int


class Transfer(NamedTuple):
    """``dst`` combines the chunk of ``src`` with its own (reduce), or replaces its own with it.

    ``into`` is the chunk at ``dst`` if it is a different one, of equal length.
    """

    phase: str
    step: int
    chunk: int
    src: int
    dst: int
    reduce: bool
    into: int | None = None

    @property
    def target(self) -> int:
        """Return the chunk of ``dst`` that is written."""
        return self.chunk if self.into is None else self.into


class Move(NamedTuple):
    """A transfer without a step."""

    phase: str
    chunk: int
    src: int
    dst: int
    reduce: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """All transfers of one collective call, step by step.

    ``outputs[r]`` are the chunks that form rank r's result (None: all of them, on every rank); elsewhere the result
    holds intermediate values.
    """

    ranks: int
    chunks: tuple[Chunk, ...]
    steps: tuple[tuple[Transfer, ...], ...]
    outputs: tuple[frozenset[int], ...] | None = None

    @property
    def length(self) -> int:
        """Elements in the buffer."""
        return sum(chunk.length for chunk in self.chunks)

    def transfers(self) -> Iterable[Transfer]:
        """Yield every transfer that moves data, in step order; empty chunks are not sent."""
        return (t for step in self.steps for t in step if self.chunks[t.chunk].length)

    def is_output(self, rank: int, chunk: int) -> bool:
        """Return whether the chunk belongs to the result of ``rank``."""
        return self.outputs is None or chunk in self.outputs[rank]

    def output_chunks(self, rank: int) -> tuple[Chunk, ...]:
        """Return the pieces of the result of ``rank``: one piece if it is all of the buffer."""
        if self.outputs is None:
            return (Chunk(0, self.length),)
        return tuple(self.chunks[i] for i in sorted(self.outputs[rank]))

    def elements_sent(self) -> list[int]:
        """Return the elements that each rank sends."""
        sent = [0] * self.ranks
        for transfer in self.transfers():
            sent[transfer.src] += self.chunks[transfer.chunk].length
        return sent

    def hops(self) -> int:
        """Return the length of the critical path: transfers that each wait for the previous one."""
        hops: dict[tuple[int, int], int] = {}  # path length of the data at (rank, chunk)
        for step in self.steps:
            arriving = [(t, hops.get((t.src, t.chunk), 0) + 1) for t in step if self.chunks[t.chunk].length]
            for transfer, length in arriving:
                target = (transfer.dst, transfer.target)
                hops[target] = max(length, hops.get(target, 0) if transfer.reduce else 0)
        return max(hops.values(), default=0)


@dataclass(frozen=True, slots=True)
class Hub:
    """All transfers of a chunk done by one rank: it adds up ``sources``, then writes to ``destinations``."""

    chunk: int
    rank: int
    transfers: tuple[Transfer, ...]

    @property
    def sources(self) -> tuple[int, ...]:
        """Return the ranks whose chunks it adds to its own."""
        return tuple(t.src for t in self.transfers if t.reduce)

    @property
    def destinations(self) -> tuple[int, ...]:
        """Return the ranks that get the result."""
        return tuple(t.dst for t in self.transfers if not t.reduce)


def partition(count: int, parts: int) -> tuple[Chunk, ...]:
    """Cut ``count`` elements into ``parts`` chunks of equal length, the first ``count mod parts`` longer by one."""
    length, longer = divmod(count, parts)
    return tuple(Chunk(i * length + min(i, longer), length + (i < longer)) for i in range(parts))


def aligned(count: int, parts: int) -> tuple[Chunk, ...]:
    """Cut as ``partition`` does, but long chunks begin at multiples of LINE_ELEMENTS, for algorithms that choose the
    cut.

    NCCL and our kernels move packs of 16 bytes only if all addresses are multiples of 16. The longest chunk is less
    than a line longer than ``partition`` makes it. Chunks below LEAST_ALIGNED elements, and equal ones that begin at
    multiples of 16 elements already, are those of ``partition``.
    """
    if not _is_in_lines(count, parts):
        return partition(count, parts)
    lines, rest = divmod(count, LINE_ELEMENTS)
    *chunks, last = (Chunk(c.offset * LINE_ELEMENTS, c.length * LINE_ELEMENTS) for c in partition(lines, parts))
    return (*chunks, Chunk(last.offset, last.length + rest))


def longest(count: int, parts: int) -> int:
    """Return the length of the longest chunk of ``aligned``, without making the others."""
    if not _is_in_lines(count, parts):
        return -(-count // parts)
    lines, rest = divmod(count, LINE_ELEMENTS)
    return max(-(-lines // parts) * LINE_ELEMENTS, lines // parts * LINE_ELEMENTS + rest)


def _is_in_lines(count: int, parts: int) -> bool:
    return count >= parts * LEAST_ALIGNED and count % (parts * _PACK_ELEMENTS) != 0


def joined(*phases: Iterable[Iterable[Transfer]]) -> tuple[tuple[Transfer, ...], ...]:
    """Join the steps of all phases, numbered consecutively; steps without a transfer are left out."""
    full = [tuple(step) for phase in phases for step in phase]
    return tuple(tuple(t._replace(step=number) for t in step) for number, step in enumerate(filter(None, full)))


def pack(moves: Iterable[Move]) -> tuple[tuple[Transfer, ...], ...]:
    """Assign steps to moves that are listed in an order in which they could run one by one.

    Each move gets the earliest step in which its input is available, the data that it overwrites is no longer needed,
    and its source sends and its destination receives nothing else: one port each way, as in the cost model.
    """
    steps: defaultdict[int, list[Transfer]] = defaultdict(list)
    ready: defaultdict[tuple[int, int], int] = defaultdict(int)  # (rank, chunk) -> first step that sees the last write
    unread: defaultdict[tuple[int, int], int] = defaultdict(int)  # (rank, chunk) -> first step after its last reader
    sending: set[tuple[int, int]] = set()  # (step, rank)
    receiving: set[tuple[int, int]] = set()
    for move in moves:
        source, target = (move.src, move.chunk), (move.dst, move.chunk)
        step = max(ready[source], ready[target], unread[target])
        while (step, move.src) in sending or (step, move.dst) in receiving:
            step += 1
        sending.add((step, move.src))
        receiving.add((step, move.dst))
        steps[step].append(Transfer(move.phase, step, *move[1:]))
        ready[target] = step + 1
        unread[source] = max(unread[source], step + 1)
    return joined(steps[number] for number in sorted(steps))


def hubs(schedule: Schedule) -> tuple[Hub, ...] | None:
    """Return one hub per non-empty chunk, or None if any chunk has none.

    A chunk has a hub if one rank takes part in all of its transfers, and first reduces everything that it receives,
    then only sends. With memory that every rank can access, the hub works without its partners. A chunk without
    additions has no hub: its readers are faster in parallel.
    """
    by_chunk: dict[int, list[Transfer]] = {i: [] for i, chunk in enumerate(schedule.chunks) if chunk.length}
    for transfer in schedule.transfers():
        by_chunk[transfer.chunk].append(transfer)
    found = [_hub(chunk, transfers) for chunk, transfers in by_chunk.items()]
    complete = tuple(hub for hub in found if hub is not None)
    return complete if len(complete) == len(found) else None


def _hub(chunk: int, transfers: list[Transfer]) -> Hub | None:
    if not transfers or any(t.target != t.chunk for t in transfers):
        return None
    for rank in (transfers[0].dst, transfers[0].src):
        incoming = [t for t in transfers if t.dst == rank]
        outgoing = [t for t in transfers if t.src == rank]
        if (
            incoming
            # This also checks the order: everything is received before anything is sent.
            and incoming + outgoing == transfers
            and all(t.reduce for t in incoming)
            and not any(t.reduce for t in outgoing)
        ):
            return Hub(chunk, rank, tuple(transfers))
    return None
