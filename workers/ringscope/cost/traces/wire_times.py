"""Wire time of each message in a traced operation, and its ratio to the expected time for its bytes. Pure.

A receiver that waits for its sender's data does not indicate a slow link. So the wire time of a message begins when
both ends are ready: at the later of the two ``start_ns``. It ends at the receiver's ``recv_ns``. Messages that share a
node's link are counted together: a message that shares it with two others of the same size may take three times as long
as alone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ringscope.contracts.operation_trace import TracedRank, TraceRow

Hop = tuple[str, str]  # the nodes that a message leaves and enters
Pair = tuple[int, int, int, tuple[int, ...]]  # step, source, destination, chunks

MIN_HOPS = 3  # number of hops with comparable messages
_LARGE_SHARE = 0.5  # share of the largest message: for smaller ones the latency matters more than the link


class Wire(NamedTuple):
    """One message, in ns since the operation began.

    Args: start_ns: time at which the later end was ready. is_held: the receiver was so late that most of the message
    may have arrived before. error_ns: possible error of the time by the two nodes' clocks; None: unknown.
    """

    hop: Hop
    bytes: int
    start_ns: int
    end_ns: int
    is_held: bool
    error_ns: int | None

    @property
    def length_ns(self) -> int:
        """Return the time on the wire; with inaccurate clocks the end may be before the start, which counts as 0."""
        return max(0, self.end_ns - self.start_ns)


class HopSample(NamedTuple):
    """One large message between two nodes, and the time that the quick hops of its operation took for the same
    bytes.
    """

    hop: Hop
    bytes: int
    wire_ns: int
    ratio: float | None
    error_ns: int | None


def start_of_wire_ns(row: TraceRow, sends: Mapping[Pair, TraceRow]) -> int | None:
    """Return when a received message could begin to move; None if that is unknown, or for a sent message."""
    if row.is_send or row.recv_ns is None:
        return None
    sent = sends.get(_pair(row))
    if sent is not None:
        return max(row.start_ns, sent.start_ns)
    return row.send_ns  # in shared memory the receiver moves the bytes itself


def sends_of(rows: Sequence[TraceRow]) -> dict[Pair, TraceRow]:
    """Return the messages as their senders recorded them."""
    return {_pair(row): row for row in rows if row.is_send}


def wires(rows: Sequence[TraceRow], ranks: Sequence[TracedRank]) -> list[Wire]:
    """Return every message between two nodes that both ends recorded."""
    by_rank, sends = {rank.rank: rank for rank in ranks}, sends_of(rows)
    found = []
    for row in rows:
        sent, target, source = sends.get(_pair(row)), by_rank[row.rank], by_rank.get(row.peer)
        if row.is_send or row.recv_ns is None or sent is None or source is None or source.node == target.node:
            continue
        start_ns = max(row.start_ns, sent.start_ns)
        error_ns = _error_ns(source, target) if start_ns == sent.start_ns else 0
        is_held = row.start_ns - sent.start_ns > row.recv_ns - start_ns
        found.append(Wire((source.node, target.node), row.bytes, start_ns, row.recv_ns, is_held, error_ns))
    return found


def hop_samples(messages: Sequence[Wire]) -> list[HopSample]:
    """Return the large messages of one operation with their ratios; without a ratio if fewer than 3 hops compare."""
    largest = max((wire.bytes for wire in messages), default=0)
    large = [wire for wire in messages if wire.bytes and wire.bytes >= _LARGE_SHARE * largest]
    leaving, reaching = defaultdict(list), defaultdict(list)
    for wire in messages:
        leaving[wire.hop[0]].append(wire)
        reaching[wire.hop[1]].append(wire)
    per_byte = [
        wire.length_ns / max(_moved_bytes(wire, leaving[wire.hop[0]]), _moved_bytes(wire, reaching[wire.hop[1]]))
        for wire in large
    ]
    by_hop: defaultdict[Hop, list[float]] = defaultdict(list)
    for wire, value in zip(large, per_byte, strict=True):
        if not wire.is_held:
            by_hop[wire.hop].append(value)
    quick = lower_quartile([lower_quartile(values) for values in by_hop.values()]) if len(by_hop) >= MIN_HOPS else 0.0
    return [
        HopSample(wire.hop, wire.bytes, wire.length_ns, value / quick if quick else None, wire.error_ns)
        for wire, value in zip(large, per_byte, strict=True)
    ]


def lower_quartile(values: Sequence[float]) -> float:
    """Return the lower quartile, or the smallest of at most four values: a delay of one message says nothing about
    the link.
    """
    return sorted(values)[(len(values) - 1) // 4]


def _moved_bytes(wire: Wire, beside: Sequence[Wire]) -> float:
    """Return the bytes that moved over the same node's link during this message, including its own."""
    return sum(other.bytes * _share_within(other, wire) for other in beside)


def _share_within(other: Wire, wire: Wire) -> float:
    """Return the share of another message that moved during this one, at an even rate."""
    if other is wire:
        return 1.0
    if not other.length_ns:
        return float(wire.start_ns <= other.start_ns <= wire.end_ns)
    return max(0, min(other.end_ns, wire.end_ns) - max(other.start_ns, wire.start_ns)) / other.length_ns


def _error_ns(source: TracedRank, target: TracedRank) -> int | None:
    if source.clock_error_ns is None or target.clock_error_ns is None:
        return None
    return source.clock_error_ns + target.clock_error_ns


def _pair(row: TraceRow) -> Pair:
    ends = (row.rank, row.peer) if row.is_send else (row.peer, row.rank)
    return row.step, *ends, tuple(row.chunks)
