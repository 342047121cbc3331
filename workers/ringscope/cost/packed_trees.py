"""Compute the steps of ``ringscope.schedules.algorithms.double_tree`` for many ranks, level by level. Pure.

All moves of one level of a tree have different senders and receivers, except siblings, which share a parent. So all
first siblings of a level are placed at once, then all second ones. The steps equal those of ``pack``.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringscope.schedules.algorithms.double_tree import parents

Numbers = NDArray[np.int64]
Short = NDArray[np.int32]


class Edges(NamedTuple):
    """Source and destination of each message, and whether the receiver adds."""

    src: Numbers
    dst: Numbers
    is_sum: NDArray[np.bool_]


class PackedTrees(NamedTuple):
    """Edges of both trees, up and down, and for each step the active edges with their chunks."""

    edges: Edges
    steps: tuple[tuple[Short, Short], ...]


@lru_cache(maxsize=2)
def packed_trees(ranks: int, segments: int) -> PackedTrees:
    """Pack the double tree of at least two ranks. The even chunks use tree 1, the odd ones tree 2."""
    ways = [_levels(tree) for tree in parents(ranks)]
    src = np.concatenate([level.src for way in ways for level in way])
    dst = np.concatenate([level.dst for way in ways for level in way])
    is_sum = np.concatenate([level.is_sum for way in ways for level in way])
    table, found, first_edge = _Table(ranks), [], (0, sum(map(_size, ways[0])))
    for chunk in range(2 * segments):
        table.begin_chunk()
        steps = [table.place(level) for level in ways[chunk % 2]]
        edges = first_edge[chunk % 2] + np.arange(sum(map(len, steps)), dtype=np.int32)
        found.append((np.concatenate(steps), edges, np.full(len(edges), chunk, np.int32)))
    step, edge, of = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(step, kind="stable")
    borders = np.flatnonzero(np.diff(step[order])) + 1
    return PackedTrees(
        Edges(src, dst, is_sum),
        tuple(zip(np.split(edge[order], borders), np.split(of[order], borders), strict=True)),
    )


def _size(level: Edges) -> int:
    return len(level.src)


def _levels(tree: dict[int, int]) -> list[Edges]:
    """List the levels, up from the deepest and then down again; siblings are in separate levels."""
    children, over = np.array(list(tree)), np.array(list(tree.values()))
    parent = np.full(int(max(children.max(), over.max())) + 1, -1)
    parent[children] = over
    depth, at = np.zeros(len(children), np.int64), children
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[at], -1)
    up = [Edges(src, parent[src], np.ones(len(src), bool)) for src in _siblings_apart(children, depth, parent)]
    return [*up, *(Edges(one.dst, one.src, ~one.is_sum) for one in reversed(up))]


def _siblings_apart(children: Numbers, depth: Numbers, parent: Numbers) -> Iterator[Numbers]:
    for level in range(int(depth.max()), 0, -1):
        left = children[depth == level]
        while left.size:
            _, eldest = np.unique(parent[left], return_index=True)
            yield left[eldest]
            left = np.delete(left, eldest)


class _Table:
    """The steps in which ranks send and receive, for the moves placed so far."""

    def __init__(self, ranks: int) -> None:
        self._sends, self._receives = (np.zeros((ranks, 64), bool) for _ in range(2))
        self._end = 0  # the step after the last one with an event
        self._ready, self._unread = (np.zeros(ranks, np.int64) for _ in range(2))  # chunk that is being placed

    def begin_chunk(self) -> None:
        """Begin another chunk, which no rank has sent yet."""
        self._ready[:] = self._unread[:] = 0

    def place(self, level: Edges) -> Numbers:
        """Return the first step of each move in which its input is available and both ports are free."""
        src, dst = level.src, level.dst
        ready = np.maximum(np.maximum(self._ready[src], self._ready[dst]), self._unread[dst])
        first, end = int(ready.min()), max(self._end, int(ready.max())) + 1
        if end > self._sends.shape[1]:
            more = np.zeros_like(self._sends)
            self._sends, self._receives = np.hstack([self._sends, more]), np.hstack([self._receives, more])
        is_taken = self._sends[src, first:end] | self._receives[dst, first:end]
        is_taken |= np.arange(first, end) < ready[:, None]
        step: Numbers = is_taken.argmin(axis=1) + first  # the last of them is free
        self._sends[src, step] = self._receives[dst, step] = True
        self._end = max(self._end, int(step.max()) + 1)
        self._ready[dst] = step + 1
        self._unread[src] = np.maximum(self._unread[src], step + 1)
        return step
