"""Sends without a receive, and receives without a send, among the operations that have not ended. Pure.

The numbers of point-to-point operations are counted by each rank alone, so only operations that wait are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ringscope.hangs.model import Dump, Operation


@dataclass(frozen=True)
class Unmatched:
    """An operation of ``rank`` that waits for ``peer``; ``other`` is what the peer waits in instead for this rank."""

    rank: int
    peer: int
    operation: Operation
    other: Operation | None
    has_dump: bool


def unmatched(dumps: Sequence[Dump]) -> list[Unmatched]:
    """Return every pair of ranks of which one waits for the other, which does not wait for it or has another size."""
    known = {dump.rank: dump for dump in dumps}
    waiting: dict[tuple[str, int, int, str], Operation] = {}
    for dump in dumps:
        for operation in dump.operations:
            if operation.peer and not operation.is_complete:
                kind = operation.name.partition(" ")[0]
                waiting.setdefault((operation.group, *_global(dump, operation), kind), operation)
    found = []
    for (group, source, target, kind), operation in waiting.items():
        rank, peer = (source, target) if kind == "send" else (target, source)
        other = waiting.get((group, source, target, "recv" if kind == "send" else "send"))
        if other is None or (kind == "send" and _count(operation) != _count(other)):
            found.append(Unmatched(rank, peer, operation, other, peer in known))
    return found


def _global(dump: Dump, operation: Operation) -> tuple[int, int]:
    """Return source and destination as global ranks."""
    source, target = operation.peer or (0, 0)
    group = dump.groups.get(operation.group)
    ranks = group.ranks if group else ()
    return (ranks[source], ranks[target]) if max(source, target) < len(ranks) else (source, target)


def _count(operation: Operation) -> int:
    sizes = operation.output_sizes if operation.name.startswith("recv") else operation.input_sizes
    return sum(prod(shape) for shape in sizes)
