"""Hierarchical: reduce-scatter inside every node, all-reduce between the nodes, all-gather inside.

Of p ranks on k nodes with g each, a rank sends 2(g-1)/g of the buffer over the links inside its node, and only
2(k-1)/(k g) over the links between nodes; every phase is a ring. Nodes may have different numbers of ranks: the buffer
is then cut at the chunk borders of all nodes. Source: Horovod's torus all-reduce; Mikami et al. 2018.
"""

from collections.abc import Sequence
from itertools import pairwise

from ringscope.schedules.schedule import Chunk, Schedule, Transfer, aligned, joined

Nodes = Sequence[Sequence[int]]
Steps = list[list[Transfer]]


def hierarchical(ranks: int, count: int, nodes: Nodes | None = None) -> Schedule:
    """All-reduce of ``count`` elements; ``nodes`` lists the ranks of each node (None: all on one node)."""
    groups = [list(range(ranks))] if nodes is None else [list(node) for node in nodes]
    if sorted(rank for group in groups for rank in group) != list(range(ranks)):
        raise ValueError(f"nodes: {groups} does not name every rank from 0 to {ranks - 1} once; name each once.")
    chunks = _chunks(count, groups)
    parts = [_parts(chunks, count, len(group)) for group in groups]
    inside = [_ring(group, own) for group, own in zip(groups, parts, strict=True)]
    return Schedule(
        ranks,
        chunks,
        joined(
            _together([reduce_scatter for reduce_scatter, _ in inside]),
            _between(groups, parts, len(chunks)),
            _together([all_gather for _, all_gather in inside]),
        ),
    )


def _chunks(count: int, groups: list[list[int]]) -> tuple[Chunk, ...]:
    """Return the pieces between all borders of the nodes' chunks, each cut into one piece per node."""
    borders = {0, count}
    for size in {len(group) for group in groups}:
        borders |= {part.offset for part in aligned(count, size)}
    pieces = []
    for start, stop in pairwise(sorted(borders)):
        pieces += [Chunk(start + c.offset, c.length) for c in aligned(stop - start, len(groups))]
    return tuple(pieces) or (Chunk(0, 0),)


def _parts(chunks: tuple[Chunk, ...], count: int, size: int) -> list[list[int]]:
    """Return the chunks of each of ``size`` equal parts of the buffer."""
    return [
        [i for i, c in enumerate(chunks) if c.length and part.offset <= c.offset < part.offset + part.length]
        for part in aligned(count, size)
    ]


def _ring(group: list[int], parts: list[list[int]]) -> tuple[Steps, Steps]:
    """Return reduce-scatter and all-gather among ``group``; its i-th member owns part i in between."""
    size = len(group)

    def steps(phase: str, first: int, reduce: bool) -> Steps:
        return [
            [
                Transfer(phase, 0, chunk, rank, group[(i + 1) % size], reduce)
                for i, rank in enumerate(group)
                for chunk in parts[(i + first - step) % size]
            ]
            for step in range(size - 1)
        ]

    return steps("reduce_scatter", -1, True), steps("all_gather", 0, False)


def _between(groups: list[list[int]], parts: list[list[list[int]]], chunks: int) -> Steps:
    """Build, for every piece, a ring through its owners on all nodes; its chunks have different owners in between."""
    owners = [
        {chunk: rank for rank, own in zip(group, part, strict=True) for chunk in own}
        for group, part in zip(groups, parts, strict=True)
    ]
    rings = []
    for first in range(0, chunks, len(groups)):
        piece = range(first, first + len(groups))
        moving = [chunk for chunk in piece if chunk in owners[0]]
        if moving:
            reduce_scatter, all_gather = _ring(
                [owner[moving[0]] for owner in owners], [[c] if c in owners[0] else [] for c in piece]
            )
            rings.append(
                [[t._replace(phase=f"between_{t.phase}") for t in step] for step in reduce_scatter + all_gather]
            )
    return _together(rings)


def _together(parallel: list[Steps]) -> Steps:
    """Merge phases: step i of all of them at the same time."""
    longest = max(map(len, parallel), default=0)
    return [[t for steps in parallel if i < len(steps) for t in steps[i]] for i in range(longest)]
