"""Prices of collectives on many ranks: schedules folded to classes of equal ranks and rounds that repeat. Pure.

Each algorithm stands here once more, as rounds of whole messages instead of transfers of chunks, with what a message
waits for beside the ports. The times are those of ``ringscope.cost.timeline`` for a buffer that divides into equal
chunks, and the tests hold them to it; any other buffer counts as if it were filled up to equal ones. So 16,384 ranks
take milliseconds where their 500 million messages could not even be listed.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ringscope.contracts.topology import Topology
from ringscope.cost import channel_rounds
from ringscope.cost.rounds import ContendedError, Ranks, Rounds, Seconds
from ringscope.schedules.algorithms import channels_of
from ringscope.schedules.algorithms.ring_pipelined import segments_of


class ClassTimes(NamedTuple):
    """A call in the model: its time, when its phases end, and how many steps it has.

    ``sent_bytes`` is what the rank sends that sends most, ``message_bytes`` the mean size of its messages.
    """

    seconds: float
    phase_ends_s: dict[str, float]
    steps: int
    sent_bytes: int
    message_bytes: float


class _Call(NamedTuple):
    """What a fold needs to know: the topology, the elements of the larger of input and result, and their size."""

    topology: Topology
    length: int
    itemsize_bytes: int
    collective: str
    algorithm: str

    @property
    def ranks(self) -> int:
        return self.topology.ranks

    def chunk_bytes(self, chunks: int) -> int:
        """Of each of so many equal chunks."""
        return -(-self.length // chunks) * self.itemsize_bytes

    @property
    def channels(self) -> int:
        """In which the schedule goes."""
        return channels_of(self.collective, self.algorithm, self.topology.rails)

    @property
    def period(self) -> int:
        """Ranks after which the topology looks the same again, for schedules that look alike from every rank."""
        topology = self.topology
        if topology.nodes_per_rack is not None and topology.nodes_per_rack < topology.node_count:
            return topology.nodes_per_rack * topology.ranks_per_node
        return 1 if topology.node_count == 1 else topology.ranks_per_node


def by_classes(
    collective: str, algorithm: str, count: int, itemsize_bytes: int, topology: Topology, servers: int = 1
) -> ClassTimes | None:
    """The time of one call of ``count`` elements; None for what cannot be folded on this topology.

    That are algorithms without such symmetry, and messages that share a link but not their times.
    """
    fold = FOLDED.get((collective, algorithm))
    if fold is None or topology.ranks < 2 or not count or (algorithm == "parameter_server" and servers > 1):
        return None
    try:
        rounds = fold(_Call(topology, count, itemsize_bytes, collective, algorithm))
    except ContendedError:
        return None
    most_bytes = round(float(rounds.sent_bytes.max()))
    return ClassTimes(rounds.seconds, rounds.phase_ends_s, rounds.steps, most_bytes, rounds.steps_bytes / rounds.steps)


def _ring(call: _Call, segments: int = 1) -> Rounds:
    """Also its halves, reduce-scatter and all-gather; with segments the pipelined ring."""
    rounds = Rounds(call.topology, call.period)
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
    rounds = Rounds(topology, classes := max(call.period, per_node))
    src = np.arange(classes)
    beside = src // per_node * per_node + (src + 1) % per_node
    between = (src + per_node) % call.ranks

    def ring(phase: str, ranks: int, dst: Ranks, size_bytes: int, reduce: bool) -> None:
        own_s = rounds.ended_s[dst % classes] if reduce else np.zeros(classes)  # what is added to must be there
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
    """Also its halves. From rank r, rotations by whole periods and more leave what is near; they all cost the same."""
    rounds, src = Rounds(call.topology, call.period), np.arange(call.period)
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
    """Everybody to rank 0 and back, one after another: of those that are as far away one stands for all."""
    rounds, topology, size_bytes = Rounds(call.topology, call.ranks), call.topology, call.chunk_bytes(1)
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
    """Also its halves, reduce to rank 0 and broadcast from it."""
    rounds, ranks = Rounds(call.topology, call.ranks), call.ranks
    size_bytes = call.chunk_bytes(1)
    levels = [(1 << k, np.arange(1 << k, ranks, 2 << k)) for k in range((ranks - 1).bit_length())]
    if call.channels > 1:
        channel_rounds.tree(rounds, call.topology, levels, call.chunk_bytes(call.channels))
        return rounds
    if call.collective != "broadcast":
        for bit, children in levels:
            parents = children - bit
            needs = rounds.ended_s[children], rounds.ended_s[parents]
            rounds.send("reduce", children, parents, size_bytes, True, *needs)
    if call.collective != "reduce":
        for bit, children in reversed(levels):
            parents = children - bit
            rounds.send(
                "broadcast", parents, children, size_bytes, False, rounds.ended_s[parents], rounds.sent_s[children]
            )
    return rounds


def _doubling(call: _Call) -> Rounds:
    return _exchanges(call, halves=False)


def _halving(call: _Call) -> Rounds:
    return _exchanges(call, halves=True)


def _exchanges(call: _Call, halves: bool) -> Rounds:
    """Recursive doubling of the whole buffer, or halving and then doubling; ranks in surplus fold theirs before."""
    rounds, ranks = Rounds(call.topology, call.ranks), call.ranks
    parts = 1 << (ranks.bit_length() - 1)
    surplus = ranks - parts
    odd = 2 * np.arange(surplus) + 1
    active = np.concatenate([odd, np.arange(2 * surplus, ranks)])
    partner = [active[np.arange(parts) ^ 1 << bit] for bit in range(parts.bit_length() - 1)]
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
    ("all_reduce", "hierarchical"): _hierarchical,
    **dict.fromkeys(_HUB_PHASES, _hub),
    ("reduce_scatter", "ring"): _ring,
    ("reduce_scatter", "direct"): _direct,
    ("all_gather", "ring"): _ring,
    ("all_gather", "direct"): _direct,
    ("broadcast", "tree"): _tree,
    ("reduce", "tree"): _tree,
}
