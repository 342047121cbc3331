"""Trees, and chains as trees without branches, as rounds of whole messages, in one channel or several. Pure.

Each rank is a separate class. Everything that a rank sends to another one in one step is one message, for any number of
channels. The schedules are those of ``ringscope.schedules.algorithms``, in the channels of its ``channels``.
"""

from itertools import pairwise

import numpy as np

from ringscope.contracts.words.topology import Topology
from ringscope.cost.packed_trees import Edges, packed_trees
from ringscope.cost.rounds import Ranks, Rounds, Step, Way
from ringscope.cost.turns import turns

_PHASES = {True: "reduce", False: "broadcast"}
_LEAST_IN_TURN = 0.01  # share of all messages: with fewer, turns that are computed beforehand save nothing


def binomial(rounds: Rounds, topology: Topology, channels: int, collective: str, size_bytes: int) -> None:
    """Follow the tree of an all-reduce, or one direction of it; ``size_bytes``: a channel's part."""
    ranks = topology.ranks
    levels = [(1 << k, np.arange(1 << k, ranks, 2 << k)) for k in range((ranks - 1).bit_length())]
    up = [Edges(child, child - bit, np.ones(len(child), bool)) for bit, child in levels]
    down = [Edges(one.dst, one.src, ~one.is_sum) for one in reversed(up)]
    steps = [*(up if collective != "broadcast" else ()), *(down if collective != "reduce" else ())]
    edges = Edges(*(np.concatenate(column) for column in zip(*steps, strict=True)))
    trees = _Trees(rounds, _rank_at(topology, channels), edges, 1, 1, size_bytes)
    first = 0
    for step in steps:
        trees.send(np.arange(first, first := first + len(step.src)), np.zeros(len(step.src), np.int64))


def double(rounds: Rounds, topology: Topology, channels: int, segments: int, size_bytes: int) -> None:
    """Follow both trees, each with ``segments`` segments of its half; ``size_bytes``: a channel's part of one."""
    packed = packed_trees(topology.ranks, segments)
    trees = _Trees(rounds, _rank_at(topology, channels), packed.edges, 2, segments, size_bytes)
    for edges, chunk in packed.steps:
        trees.send(edges.astype(np.int64), chunk.astype(np.int64))


def chain(rounds: Rounds, topology: Topology, channels: int, collective: str, segments: int, size_bytes: int) -> None:
    """Follow a chain from or to rank 0 in several channels; ``size_bytes``: a channel's part of a segment."""
    ranks, is_sum = topology.ranks, collective == "reduce"
    at = _rank_at(topology, channels)
    turn = np.arange(ranks)[:, None] + (at == 0).argmax(axis=0) + is_sum
    edge = np.arange(ranks - 1)
    edges = Edges(edge, edge + 1, np.full(ranks - 1, is_sum))
    chains = _Trees(rounds, np.take_along_axis(at, turn % ranks, axis=0), edges, 1, segments, size_bytes)
    for step in range(ranks - 2 + segments):
        moving = edge[max(0, step - segments + 1) : step + 1]
        chains.send(moving, step - moving)


class _Trees:
    """Edges of trees between positions; ``rank_at`` has the rank of each channel at each position.

    They carry ``segments`` chunks; for each chunk and position the time of its last addition is stored.
    """

    def __init__(
        self,
        rounds: Rounds,
        rank_at: Ranks,
        edges: Edges,
        trees: int,
        segments: int,
        size_bytes: int,
    ) -> None:
        self._ranks, self._channels = ranks, channels = rank_at.shape
        self._rounds, self._edges, self._size_bytes = rounds, edges, size_bytes
        src, dst = rank_at[edges.src], rank_at[edges.dst]
        # Messages that are possible, and for each edge and channel the message to which it belongs.
        known, message = np.unique((src * ranks + dst) * 2 + edges.is_sum[:, None], return_inverse=True)
        pair, is_sum = known // 2, known % 2 == 1
        src, dst = pair // ranks, pair % ranks
        rounds.expect(src, dst)
        order, self._ends = _by_turns(rounds.way(src, dst))
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        self._message = number[message].reshape(-1, channels)
        self._way, self._is_sum = rounds.way(src[order], dst[order]), is_sum[order]
        self._other = number[_others(pair)[order]]
        self._ended_s = np.zeros((trees * segments * ranks, channels))  # for each chunk at each position
        # For each message: whether it is in the step, its position there, and the first piece that it carries.
        self._is_moving = np.zeros(len(known), bool)
        self._place, self._piece = (np.zeros(len(known), np.int64) for _ in range(2))
        parts = self._message.ravel()
        rounds.count_sent(self._way.sender.take(parts), np.full(len(parts), segments * size_bytes))

    def send(self, edges: Ranks, chunk: Ranks) -> None:
        """Follow one step: each of the edges carries a part of its chunk in each channel."""
        message = self._message.take(edges, axis=0).ravel()
        src = chunk * self._ranks + self._edges.src.take(edges)
        dst = chunk * self._ranks + self._edges.dst.take(edges)
        moving, borders = self._ordered(message, chunk)
        self._place[moving] = np.arange(len(moving))
        of, needs = self._place.take(message), np.zeros(len(moving))
        read_s = np.maximum(self._ended_s.take(src, axis=0), self._ended_s.take(dst, axis=0))
        np.maximum.at(needs, of, read_s.ravel())
        size_bytes = self._size_bytes * np.bincount(of, minlength=len(moving))
        step = Step(moving, borders, size_bytes, self._is_sum.take(moving), needs)
        ended_s = self._rounds.send_in_turn(self._way, step, _PHASES)
        self._ended_s[dst] = ended_s.take(of).reshape(-1, self._channels)

    def _ordered(self, message: Ranks, chunk: Ranks) -> tuple[Ranks, list[slice]]:
        """Return the messages of a step and the turns of the first ones.

        Of two messages between the same ranks, the one with the earlier first piece has the earlier turn.
        """
        self._is_moving[message] = True
        moving = np.flatnonzero(self._is_moving)
        other = self._other.take(moving)
        twice = np.flatnonzero(self._is_moving.take(other) & (other > moving))
        self._is_moving[moving] = False
        borders = [0, *np.searchsorted(moving, self._ends).tolist()]
        if twice.size:
            piece = (chunk[:, None] * self._channels + np.arange(self._channels)).ravel()
            self._piece[moving] = piece.max() + 1
            np.minimum.at(self._piece, message, piece)
            one, two = moving[twice], other[twice]
            is_wrong = self._piece[one] > self._piece[two]
            first, second = twice[is_wrong], np.searchsorted(moving, two[is_wrong])
            moving[first], moving[second] = moving[second], moving[first]
        return moving, [slice(*pair) for pair in pairwise(borders) if pair[0] < pair[1]]


def _rank_at(topology: Topology, channels: int) -> Ranks:
    """Return the rank at each position of the chain or tree, in each channel."""
    each, place = topology.ranks_per_node, np.arange(topology.ranks)[:, None]
    by = np.arange(1, channels + 1) if channels > 1 else np.zeros(1, np.int64)
    return place - place % each + (place + by) % each


def _by_turns(way: Way) -> tuple[Ranks, list[int]]:
    """Return the messages ordered by the first turns, and where each of these turns ends."""
    found: list[Ranks] = []
    for now in turns(way.out, way.into):
        if len(now) < _LEAST_IN_TURN * len(way.out):
            break
        found.append(now)
    is_left = np.ones(len(way.out), bool)
    for now in found:
        is_left[now] = False
    return np.concatenate([*found, np.flatnonzero(is_left)]), np.cumsum([len(now) for now in found]).tolist()


def _others(pair: Ranks) -> Ranks:
    """Return, for each of the sorted messages, an adjacent one between the same two ranks, or the message itself."""
    other = np.arange(len(pair))
    first = np.flatnonzero(pair[1:] == pair[:-1])
    other[first], other[first + 1] = first + 1, first
    return other
