"""Trees as rounds of whole messages, in one channel or several: each rank is a class of its own. Pure.

What a rank sends in one step to another one is a message, however many channels have a part in it. The schedules are
those of ``ringscope.schedules.algorithms``, in the channels of its ``channels``.
"""

import numpy as np
from numpy.typing import NDArray

from ringscope.contracts.topology import Topology
from ringscope.cost.packed_trees import Edges, packed_trees
from ringscope.cost.rounds import Ranks, Rounds

_PHASES = {True: "reduce", False: "broadcast"}


def binomial(rounds: Rounds, topology: Topology, channels: int, collective: str, size_bytes: int) -> None:
    """The tree of all-reduce, or one way of it; ``size_bytes``: a channel's part."""
    ranks = topology.ranks
    levels = [(1 << k, np.arange(1 << k, ranks, 2 << k)) for k in range((ranks - 1).bit_length())]
    up = [Edges(child, child - bit, np.ones(len(child), bool)) for bit, child in levels]
    down = [Edges(one.dst, one.src, ~one.is_sum) for one in reversed(up)]
    steps = [*(up if collective != "broadcast" else ()), *(down if collective != "reduce" else ())]
    edges = Edges(*(np.concatenate(column) for column in zip(*steps, strict=True)))
    trees = _Trees(rounds, topology, channels, edges, 1, size_bytes)
    first = 0
    for step in steps:
        trees.send(np.arange(first, first := first + len(step.src)), np.zeros(len(step.src), np.int64))


def double(rounds: Rounds, topology: Topology, channels: int, segments: int, size_bytes: int) -> None:
    """Both trees, each with ``segments`` of its half; ``size_bytes``: a channel's part of one."""
    packed = packed_trees(topology.ranks, segments)
    trees = _Trees(rounds, topology, channels, packed.edges, 2 * segments, size_bytes)
    for edges, chunk in packed.steps:
        trees.send(edges, chunk)


class _Trees:
    """Edges of trees in each channel, and when each chunk was last added up at each rank."""

    def __init__(
        self, rounds: Rounds, topology: Topology, channels: int, edges: Edges, chunks: int, size_bytes: int
    ) -> None:
        self._rounds, self._channels, self._size_bytes = rounds, channels, size_bytes
        ranks, each = topology.ranks, topology.ranks_per_node
        by = np.arange(1, channels + 1) if channels > 1 else np.zeros(1, np.int64)
        rank = np.arange(ranks)[:, None]
        rank_at = rank - rank % each + (rank + by) % each  # of each place, in each channel
        self._edges = edges
        src, dst = rank_at[edges.src], rank_at[edges.dst]
        key = (src * ranks + dst) * 2 + edges.is_sum[:, None]
        # Messages that there may be, in the order of their ranks; of each edge and channel, which one it is part of.
        known, message = np.unique(key, return_inverse=True)
        self._message = message.reshape(key.shape)
        self._pair, self._is_sum = known // 2, (known % 2).astype(bool)
        rounds.expect(self._pair // ranks, self._pair % ranks)
        self._way = rounds.way(self._pair // ranks, self._pair % ranks)
        self._ended_s = np.zeros((chunks * ranks, channels))  # of each chunk at each place
        self._ranks = ranks
        self._place = np.zeros(len(known), np.int64)

    def send(self, edges: NDArray[np.signedinteger], chunk: NDArray[np.signedinteger]) -> None:
        """One step: each of the edges carries a part of its chunk in each channel."""
        message = self._message.take(edges, axis=0)
        at = chunk.astype(np.int64) * self._ranks
        src, dst = at + self._edges.src.take(edges), at + self._edges.dst.take(edges)
        moving = self._ordered(message, chunk)
        self._place[moving] = np.arange(len(moving))
        of, needs = self._place.take(message), np.zeros(len(moving))
        np.maximum.at(needs, of, np.maximum(self._ended_s.take(src, axis=0), self._ended_s.take(dst, axis=0)))
        size_bytes = self._size_bytes * np.bincount(of.ravel(), minlength=len(moving))
        way, is_sum = self._way.some(moving), self._is_sum.take(moving)
        ended_s = self._rounds.send_in_turn(way, _PHASES, size_bytes, is_sum, needs)
        self._ended_s[dst] = ended_s.take(of)

    def _ordered(self, message: Ranks, chunk: NDArray[np.signedinteger]) -> Ranks:
        """The messages of a step; of two between the same ranks that one first whose first part is."""
        is_moving = np.zeros(len(self._pair), bool)
        is_moving[message] = True
        moving = np.flatnonzero(is_moving)
        twice = np.flatnonzero(self._pair[moving[1:]] == self._pair[moving[:-1]])
        if twice.size:
            piece = chunk[:, None] * self._channels + np.arange(self._channels)
            first = np.full(len(self._pair), piece.max() + 1)
            np.minimum.at(first, message, piece)
            wrong = twice[first[moving[twice]] > first[moving[twice + 1]]]
            moving[wrong], moving[wrong + 1] = moving[wrong + 1], moving[wrong]
        return moving
