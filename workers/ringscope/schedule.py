"""Schedules: who sends which chunk to whom in which step. Pure data: transports execute it, tests count it.

A buffer of ``length`` elements is cut into chunks. The transfers of one step are simultaneous: each reads what
the source held before the step. Within a step no two transfers write one chunk of one rank, and none reads a
chunk that another writes at the same rank. An executor may start a transfer as soon as what it reads is there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Chunk(NamedTuple):
    """A run of elements of the buffer."""

    offset: int
    length: int


class Transfer(NamedTuple):
    """One message: ``dst`` adds the chunk of ``src`` to its own (reduce), or replaces its own by it."""

    phase: str
    step: int
    chunk: int
    src: int
    dst: int
    reduce: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """All transfers of one collective call, step by step."""

    ranks: int
    chunks: tuple[Chunk, ...]
    steps: tuple[tuple[Transfer, ...], ...]

    @property
    def length(self) -> int:
        """Elements in the buffer."""
        return sum(chunk.length for chunk in self.chunks)

    def transfers(self) -> Iterable[Transfer]:
        """Every transfer that moves something, in step order; empty chunks travel nowhere."""
        return (t for step in self.steps for t in step if self.chunks[t.chunk].length)

    def elements_sent(self) -> list[int]:
        """Elements that each rank sends."""
        sent = [0] * self.ranks
        for transfer in self.transfers():
            sent[transfer.src] += self.chunks[transfer.chunk].length
        return sent


@dataclass(frozen=True, slots=True)
class Hub:
    """How one rank does all transfers of a chunk alone: add up ``sources``, then write to ``destinations``."""

    chunk: int
    rank: int
    sources: tuple[int, ...]
    destinations: tuple[int, ...]


def partition(count: int, parts: int) -> tuple[Chunk, ...]:
    """``count`` elements in ``parts`` chunks of equal length, the first ``count mod parts`` one longer."""
    length, longer = divmod(count, parts)
    return tuple(Chunk(i * length + min(i, longer), length + (i < longer)) for i in range(parts))


def hubs(schedule: Schedule) -> tuple[Hub, ...] | None:
    """One hub per non-empty chunk, or None when some chunk has none.

    A chunk has a hub when one rank takes part in all of its transfers and first only reduces what comes in,
    then only sends out. With memory that every rank can reach, the hub then needs no partner's help.
    """
    by_chunk: dict[int, list[Transfer]] = {i: [] for i, chunk in enumerate(schedule.chunks) if chunk.length}
    for transfer in schedule.transfers():
        by_chunk[transfer.chunk].append(transfer)
    found = [_hub(chunk, transfers) for chunk, transfers in by_chunk.items()]
    complete = tuple(hub for hub in found if hub is not None)
    return complete if len(complete) == len(found) else None


def _hub(chunk: int, transfers: list[Transfer]) -> Hub | None:
    if not transfers:
        return None
    for rank in (transfers[0].dst, transfers[0].src):
        incoming = [t for t in transfers if t.dst == rank]
        outgoing = [t for t in transfers if t.src == rank]
        if (
            incoming + outgoing == transfers  # also the order: all that comes in, before anything goes out
            and all(t.reduce for t in incoming)
            and not any(t.reduce for t in outgoing)
        ):
            return Hub(chunk, rank, tuple(t.src for t in incoming), tuple(t.dst for t in outgoing))
    return None
