"""Prices of collectives on many ranks: schedules folded to classes of equal ranks and rounds that repeat. Pure.

This module describes each algorithm a second time, as rounds of whole messages instead of transfers of chunks, with
each message's dependencies in addition to the ports. The times equal those of ``ringscope.cost.timeline`` for a buffer
that divides into equal chunks, which tests check; any other buffer counts as if it were padded to equal chunks. So
16,384 ranks take milliseconds, although their 500 million messages could not even be listed.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ringscope.contracts.words.topology import Topology
from ringscope.cost import channel_rounds, tree_rounds
from ringscope.cost.rounds import InexactError, Ranks, Rounds, Seconds
from ringscope.schedules.algorithms import CUT_BY_RESULT, channels_of
from ringscope.schedules.algorithms.chain import segments as chain_segments
from ringscope.schedules.algorithms.double_tree import segments_of as tree_segments
from ringscope.schedules.algorithms.ring_pipelined import segments_of
from ringscope.schedules.schedule import longest

_MOST_IN_PAIRS = 2048  # most ranks in a round in which all pairs exchange: each round then takes about 0.2 ms


class ClassTimes(NamedTuple):
    """A call in the model: its time, the ends of its phases, and its number of steps.

    ``sent_bytes`` is the amount sent by the rank that sends most, ``message_bytes`` the mean size of its messages. With
    ``is_bound`` the time is an upper bound.
    """

    seconds: float
    phase_ends_s: dict[str, float]
    steps: int
    sent_bytes: int
    message_bytes: float
    is_bound: bool = False


class _Call(NamedTuple):
    """The inputs of a fold: the topology, the elements of the larger of input and result, and their size in bytes."""

    topology: Topology
    length: int
    itemsize_bytes: int
    collective: str
    algorithm: str
    is_bound: bool

    def rounds(self, classes: int) -> Rounds:
        """Return empty rounds for ``classes`` classes of ranks."""
        return Rounds(self.topology, classes, self.is_bound)

    @property
    def ranks(self) -> int:
        return self.topology.ranks

    def chunk_bytes(self, chunks: int) -> int:
        """Return the bytes of the longest of ``chunks`` chunks."""
        is_given = self.collective in CUT_BY_RESULT
        elements = -(-self.length // chunks) if is_given else longest(self.length, chunks)
        return elements * self.itemsize_bytes

    @property
    def channels(self) -> int:
        """Return the number of channels of the schedule."""
        return channels_of(self.collective, self.algorithm, self.topology.rails)

    @property
    def period(self) -> int:
        """Return the number of ranks after which the topology repeats, for schedules in which all ranks are equal."""
        topology = self.topology
        if topology.nodes_per_rack is not None and topology.nodes_per_rack < topology.node_count:
            return topology.nodes_per_rack * topology.ranks_per_node
        return 1 if topology.node_count == 1 else topology.ranks_per_node


def by_classes(
    collective: str, algorithm: str, count: int, itemsize_bytes: int, topology: Topology, servers: int = 1
) -> ClassTimes | None:
    """Return the time of one call of ``count`` elements, or an upper bound of it; None if it cannot be folded.

    It is a bound if messages share a link at different times, or if there are too many messages to follow.
    """
    fold = FOLDED.get((collective, algorithm))
    if fold is None or topology.ranks < 2 or not count or (algorithm == "parameter_server" and servers > 1):
        return None
    try:
        rounds = fold(_Call(topology, count, itemsize_bytes, collective, algorithm, is_bound := False))
    except InexactError:
        rounds = fold(_Call(topology, count, itemsize_bytes, collective, algorithm, is_bound := True))
    most_bytes, message_bytes = round(float(rounds.sent_bytes.max())), rounds.steps_bytes / rounds.steps
    return ClassTimes(rounds.seconds, rounds.phase_ends_s, rounds.steps, most_bytes, message_bytes, is_bound)


def _ring(call: _Call, segments: int = 1) -> Rounds:
    """Compute the ring, its halves reduce-scatter and all-gather, and with segments the pipelined ring."""
    rounds = call.rounds(call.period)
    if call.channels > 1:
        part_bytes = call.chunk_bytes(call.ranks * segments * call.channels)
        channel_rounds.ring(rounds, call.topology, call.period, _phases(call), part_bytes, segments)
        return rounds
    src = np.arange(call.period)
    dst = (src + 1) % call.ranks
    size_bytes = call.chunk_bytes(call.ranks * segments)
    arrived = [np.zeros(call.period) for _ in range(segments)]  # when each segment of the last chunk was added up
    for phase in _phases(call):

        def pass_on(phase: str = phase) -> None:
            for ended_s in arrived:
                rounds.send(phase, src, dst, size_bytes, phase == "reduce_scatter", ended_s)
                ended_s[:] = rounds.ended_s

        rounds.repeat(call.ranks - 1, pass_on, call.period, arrived)
    return rounds


def _ring_pipelined(call: _Call) -> Rounds:
    return _ring(call, segments_of(call.ranks, -(-call.length // call.channels)))


def _hierarchical(call: _Call) -> Rounds:
    topology = call.topology
    nodes, per_node = topology.node_count, topology.ranks_per_node
    rounds = call.rounds(classes := max(call.period, per_node))
    src = np.arange(classes)
    beside = src // per_node * per_node + (src + 1) % per_node
    between = (src + per_node) % call.ranks

    def ring(phase: str, ranks: int, dst: Ranks, size_bytes: int, reduce: bool) -> None:
        # the data to which others are added must have arrived
        own_s = rounds.ended_s[dst % classes] if reduce else np.zeros(classes)
        around = classes // per_node if dst is between else per_node
        rounds.repeat(
            ranks - 1, lambda: rounds.send(phase, src, dst, size_bytes, reduce, rounds.ended_s, own_s), around
        )

    part_bytes, chunk_bytes = call.chunk_bytes(nodes * per_node) * nodes, call.chunk_bytes(nodes * per_node)
    ring("reduce_scatter", per_node, beside, part_bytes, True)
    ring("between_reduce_scatter", nodes, between, chunk_bytes, True)
    ring("between_all_gather", nodes, between, chunk_bytes, False)
    ring("all_gather", per_node, beside, part_bytes, False)
    return rounds


def _direct(call: _Call) -> Rounds:
    """Compute the algorithm and its halves; rotations past nearby ranks all cost the same, so one is computed."""
    rounds, src = call.rounds(call.period), np.arange(call.period)
    period, ranks, size_bytes = call.period, call.ranks, call.chunk_bytes(call.ranks)
    near = min(period, ranks)
    turns = max(0, ranks - 2 * period) // period

    for phase in _phases(call):
        own_s = rounds.ended_s.copy()

        def rotate(first: int, end: int, phase: str = phase, own_s: Seconds = own_s) -> None:
            for shift in range(first, end):
                dst = (src + shift) % ranks
                is_sum = phase == "reduce_scatter"
                needs = rounds.ended_s[dst % period] if is_sum else own_s
                rounds.send(phase, src, dst, size_bytes, is_sum, needs)

        rotate(1, near)
        rounds.repeat(turns, partial(rotate, period, 2 * period))
        rotate(near + turns * period, ranks)
    return rounds


def _hub(call: _Call) -> Rounds:
    """Send everything to rank 0 and back, one message after another; ranks at equal distance share one result."""
    rounds, topology, size_bytes = call.rounds(call.ranks), call.topology, call.chunk_bytes(1)
    hub, phases = np.zeros(1, np.int64), _HUB_PHASES[call.collective, call.algorithm]
    per_rack = topology.ranks_per_node * (topology.nodes_per_rack or topology.node_count)
    borders = sorted({1, topology.ranks_per_node, per_rack, call.ranks})
    for phase in phases:
        is_sum = phase in ("gather", "push", "reduce")
        for first, end in pairwise(borders):
            peer = np.array([first])
            src, dst = (peer, hub) if is_sum else (hub, peer)
            send = partial(_one, rounds, phase, src, dst, size_bytes, is_sum)
            rounds.repeat(end - first, send)
    rounds.sent_bytes[:] = size_bytes * (phases[0] in ("gather", "push", "reduce"))
    rounds.sent_bytes[0] = size_bytes * (call.ranks - 1) * (phases[-1] in ("broadcast", "pull"))
    return rounds


def _one(rounds: Rounds, phase: str, src: Ranks, dst: Ranks, size_bytes: int, is_sum: bool) -> None:
    rounds.send(phase, src, dst, size_bytes, is_sum, rounds.ended_s[:1])


def _tree(call: _Call) -> Rounds:
    """Compute the tree, or one of its halves: reduce to rank 0, or broadcast from it."""
    rounds = call.rounds(call.ranks)
    tree_rounds.binomial(rounds, call.topology, call.channels, call.collective, call.chunk_bytes(call.channels))
    return rounds


def _double_tree(call: _Call) -> Rounds:
    rounds, segments = call.rounds(call.ranks), tree_segments(-(-call.length // call.channels))
    size_bytes = call.chunk_bytes(2 * segments * call.channels)
    tree_rounds.double(rounds, call.topology, call.channels, segments, size_bytes)
    return rounds


def _chain(call: _Call) -> Rounds:
    """Compute a chain from rank 0 to the last rank, or from rank 1 around to rank 0, in consecutive segments.

    Links and adders are stations that all segments pass in turn, and each takes equally long for every segment: the
    last segment is done after one pass through all stations plus, for each segment before it, the time of the slowest
    station. This does not hold for several channels, which are followed step by step.
    """
    rounds, ranks, is_sum = call.rounds(call.ranks), call.ranks, call.collective == "reduce"
    segments = len(chain_segments(-(-call.length // call.channels)))
    size_bytes = call.chunk_bytes(segments * call.channels)
    if call.channels > 1:
        tree_rounds.chain(rounds, call.topology, call.channels, call.collective, segments, size_bytes)
        return rounds
    src = (np.arange(ranks - 1) + is_sum) % ranks
    way = rounds.way(src, (src + 1) % ranks)  # one of them leaves a node, so that none shares a link
    message_s = way.latency_s + size_bytes / way.bytes_per_s
    adding_s = size_bytes * call.topology.reduce_s_per_byte if is_sum else 0.0
    slowest_s = max(float(message_s.max()), adding_s)
    rounds.phase_ends_s[call.collective] = float(message_s.sum()) + adding_s * len(src) + slowest_s * (segments - 1)
    rounds.steps, rounds.steps_bytes = ranks - 2 + segments, (ranks - 2.0 + segments) * size_bytes
    rounds.sent_bytes[src] = segments * size_bytes
    return rounds


def _shift(call: _Call) -> Rounds:
    rounds, src = call.rounds(call.period), np.arange(call.period)
    rounds.send("shift", src, (src + 1) % call.ranks, call.chunk_bytes(1), False)
    return rounds


def _tournament(call: _Call) -> Rounds:
    """Exchange between all pairs. No two rounds are equal unless all links are equal."""
    ranks, size_bytes, topology = call.ranks, call.chunk_bytes(call.ranks), call.topology
    is_even, turns = ranks % 2 == 0, ranks - 1 + ranks % 2
    if call.is_bound:
        return _slowest_pairs(call, turns, size_bytes)
    if ranks > _MOST_IN_PAIRS and not (topology.is_flat or topology.node_count == 1):
        raise InexactError
    rounds, rank, turn = call.rounds(ranks), np.arange(turns), iter(range(turns))

    def meet() -> None:
        now = next(turn)
        partner = (now - rank) % turns
        alone = partner == rank
        src, dst = rank[~alone], partner[~alone]
        if is_even:
            one, last = rank[alone], np.array([turns])
            src, dst = np.concatenate([src, one, last]), np.concatenate([dst, last, one])
        rounds.send("exchange", src, dst, size_bytes, False)

    if topology.is_flat or topology.node_count == 1:
        rounds.repeat(turns, meet)
    else:
        for _ in range(turns):
            meet()
    rounds.sent_bytes[:] = size_bytes * (ranks - 1)
    return rounds


def _slowest_pairs(call: _Call, turns: int, size_bytes: int) -> Rounds:
    """Bound the time: all ranks wait for each other after each round, and each round takes the slowest path."""
    rounds, topology = call.rounds(call.ranks), call.topology
    per_rack = topology.ranks_per_node * (topology.nodes_per_rack or topology.node_count)
    peer = np.array(sorted({1, topology.ranks_per_node, per_rack} & set(range(1, call.ranks))))
    way = rounds.way(np.zeros_like(peer), peer)
    slowest = int((way.latency_s + size_bytes / way.bytes_per_s).argmax())
    pair = np.zeros(1, np.int64), peer[slowest : slowest + 1]
    rounds.repeat(turns, lambda: rounds.send("exchange", *pair, size_bytes, False))
    rounds.sent_bytes[:] = size_bytes * (call.ranks - 1)
    return rounds


def _doubling(call: _Call) -> Rounds:
    return _exchanges(call, halves=False)


def _halving(call: _Call) -> Rounds:
    return _exchanges(call, halves=True)


def _exchanges(call: _Call, halves: bool) -> Rounds:
    """Compute recursive doubling of the whole buffer, or halving and then doubling; surplus ranks are folded before."""
    rounds, ranks = call.rounds(call.ranks), call.ranks
    parts = 1 << (ranks.bit_length() - 1)
    surplus = ranks - parts
    odd = 2 * np.arange(surplus) + 1
    active = np.concatenate([odd, np.arange(2 * surplus, ranks)])
    partner = [active[np.arange(parts) ^ 1 << bit] for bit in range(parts.bit_length() - 1)]
    src = [active] * len(partner) + [odd - 1, odd]
    rounds.expect(np.concatenate(src), np.concatenate([*partner, odd, odd - 1]))
    whole_bytes = call.chunk_bytes(parts) * parts if halves else call.chunk_bytes(1)

    def exchange(phase: str, bit: int, size_bytes: int, reduce: bool) -> None:
        dst = partner[bit]
        needs = rounds.ended_s[active], rounds.ended_s[dst], rounds.sent_s[dst]
        rounds.send(phase, active, dst, size_bytes, reduce, *(needs if reduce and not halves else needs[:2]))

    if surplus:
        rounds.send("fold", odd - 1, odd, whole_bytes, True)
    if halves:
        for bit in range(len(partner)):
            exchange("reduce_scatter", bit, whole_bytes >> (bit + 1), True)
        for bit in reversed(range(len(partner))):
            exchange("all_gather", bit, whole_bytes >> (bit + 1), False)
    else:
        for bit in range(len(partner)):
            exchange("exchange", bit, whole_bytes, True)
    if surplus:
        rounds.send("unfold", odd, odd - 1, whole_bytes, False, rounds.ended_s[odd], rounds.sent_s[odd - 1])
    return rounds


def _phases(call: _Call) -> tuple[str, ...]:
    return ("reduce_scatter", "all_gather") if call.collective == "all_reduce" else (call.collective,)


_HUB_PHASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("all_reduce", "naive"): ("gather", "broadcast"),
    ("all_reduce", "parameter_server"): ("push", "pull"),
    ("reduce", "naive"): ("reduce",),
    ("broadcast", "naive"): ("broadcast",),
}
FOLDED: dict[tuple[str, str], Callable[[_Call], Rounds]] = {
    ("all_reduce", "ring"): _ring,
    ("all_reduce", "ring_pipelined"): _ring_pipelined,
    ("all_reduce", "direct"): _direct,
    ("all_reduce", "recursive_doubling"): _doubling,
    ("all_reduce", "halving_doubling"): _halving,
    ("all_reduce", "tree"): _tree,
    ("all_reduce", "double_tree"): _double_tree,
    ("all_reduce", "hierarchical"): _hierarchical,
    **dict.fromkeys(_HUB_PHASES, _hub),
    ("reduce_scatter", "ring"): _ring,
    ("reduce_scatter", "direct"): _direct,
    ("all_gather", "ring"): _ring,
    ("all_gather", "direct"): _direct,
    ("broadcast", "tree"): _tree,
    ("broadcast", "ring"): _chain,
    ("reduce", "tree"): _tree,
    ("reduce", "ring"): _chain,
    ("alltoall", "direct"): _tournament,
    ("sendrecv", "ring"): _shift,
}
