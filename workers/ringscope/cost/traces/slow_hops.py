"""Find slow hops between nodes, and the node that slow hops share, by wire times of traced operations. Pure.

A hop is slow if it takes at least twice as long for its bytes as the quick hops of the same operation, or three times
if there are fewer than 5 messages. The lower quartile of its messages counts, so that one delayed message has no
effect. Messages with a large clock error do not count if the hop has others. A node's link is slow if nearly all
messages that it sends to several nodes are slow, or nearly all that it receives from several, or nearly all of both, or
if every slow hop is one of this node and these are three or more and most of its hops: the other ends of these hops are
then healthy. Other slow hops are named as hops, since either end may be the cause.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ringscope.cost.traces.wire_times import Hop, HopSample, lower_quartile

MIN_RATIO = 2.0
FEW_MESSAGES = 5  # messages of a hop: with fewer, a busy machine may have delayed even the quickest one
MIN_RATIO_OF_FEW = 3.0
MIN_NS = 2_000_000  # by which a message takes longer than on a quick hop
_MOST = 0.75  # share of a node's hops: one of many may have been measured at a lucky moment
_MOST_OF_ALL = 0.6  # the same where no hop without this node is slow
_SHOWN = 2


class HopTime(NamedTuple):
    """Wire time of a hop: the lower quartile of its messages.

    Args: ratio: wire time relative to that of the quick hops for the same bytes; None: unknown.
    """

    hop: Hop
    messages: int
    bytes: int
    wire_ns: int
    ratio: float | None
    is_slow: bool


class SlowLinks(NamedTuple):
    """Nodes whose own link is slow, each with its slow hops, and the remaining slow hops."""

    nodes: dict[str, list[HopTime]]
    hops: list[HopTime]


def hop_times(samples: Iterable[HopSample], min_ns: int = MIN_NS) -> list[HopTime]:
    """Return every hop of large messages, by its nodes' names; a slow hop takes at least ``min_ns`` longer."""
    by_hop: defaultdict[Hop, list[HopSample]] = defaultdict(list)
    for sample in samples:
        by_hop[sample.hop].append(sample)
    return [_hop_time(by_hop[hop], min_ns) for hop in sorted(by_hop)]


def slow_links(hops: Sequence[HopTime]) -> SlowLinks:
    """Return the nodes to name, and the hops that none of them explains."""
    found = SlowLinks({}, [])
    left = [hop for hop in hops if hop.is_slow]
    while True:
        slow = {hop.hop for hop in left}
        shares = {node: _share(node, hops, slow) for node in {node for hop in slow for node in hop}}
        node = max(sorted(shares), key=lambda node: shares[node], default="")
        if not node or shares[node] == (0.0, 0):
            break
        found.nodes[node] = [hop for hop in left if node in hop.hop]
        left = [hop for hop in left if node not in hop.hop]
    return SlowLinks(dict(sorted(found.nodes.items())), left)


def sentences(links: SlowLinks, what: str) -> list[str]:
    """Return a sentence for each node, then one for each hop; ``what`` was measured, such as "ring at 4 MiB"."""
    return [
        *(node_sentence(node, hops, what) for node, hops in links.nodes.items()),
        *(hop_sentence(hop, what) for hop in links.hops),
    ]


def node_sentence(node: str, hops: Sequence[HopTime], what: str) -> str:
    """Say that the node's link is slow."""
    told = " and ".join(f"{hop.wire_ns / 1e6:.3g} ms {_way(hop, node)}" for hop in _worst(hops))
    more = f" ({len(hops)} hops in all)" if len(hops) > _SHOWN else ""
    return (
        f"The link of node {node} is slow: in {what} a message was on the wire for {told}{more}, {_times(hops)} times "
        "as long as on the quick hops."
    )


def hop_sentence(hop: HopTime, what: str) -> str:
    """Say that the path between two nodes is slow."""
    source, target = hop.hop
    return (
        f"The hop from node {source} to node {target} is slow: in {what} a message was on the wire for "
        f"{hop.wire_ns / 1e6:.3g} ms, {_times([hop])} times as long as on the quick hops; either end may be the cause."
    )


def _worst(hops: Sequence[HopTime]) -> list[HopTime]:
    return sorted(hops, key=lambda hop: -(hop.ratio or 0.0))[:_SHOWN]


def _times(hops: Sequence[HopTime]) -> str:
    return f"{lower_quartile([hop.ratio or 0.0 for hop in hops]):.2g}"


def _way(hop: HopTime, node: str) -> str:
    source, target = hop.hop
    return f"to {target}" if source == node else f"from {source}"


def _share(node: str, hops: Sequence[HopTime], slow: Collection[Hop]) -> tuple[float, int]:
    """Return the share of this node's hops that are slow, and their number; (0, 0): the node is not the cause."""
    ways = [
        [hop for hop in hops if node in hop.hop],
        [hop for hop in hops if hop.hop[0] == node],
        [hop for hop in hops if hop.hop[1] == node],
    ]
    counts = [(sum(hop.hop in slow for hop in way), len(way)) for way in ways]
    sure = [(count / total, count) for count, total in counts if count >= 2 and count >= _MOST * total]
    count, total = counts[0]
    if count == len(slow) >= 3 and count >= _MOST_OF_ALL * total:
        sure.append((count / total, count))
    return max(sure, default=(0.0, 0))


def _hop_time(samples: Sequence[HopSample], min_ns: int) -> HopTime:
    known = _well_timed([sample for sample in samples if sample.ratio is not None], min_ns)
    ratio = lower_quartile([sample.ratio or 0.0 for sample in known]) if known else None
    wire_ns = round(lower_quartile([sample.wire_ns for sample in known or samples]))
    is_slow = False
    if ratio is not None and ratio >= (MIN_RATIO if len(known) >= FEW_MESSAGES else MIN_RATIO_OF_FEW):
        longer_ns = wire_ns * (1 - 1 / ratio)
        is_slow = longer_ns > max(min_ns, *(sample.error_ns or 0 for sample in known))
    return HopTime(samples[0].hop, len(samples), max(sample.bytes for sample in samples), wire_ns, ratio, is_slow)


def _well_timed(samples: Sequence[HopSample], min_ns: int) -> list[HopSample]:
    """Return the messages whose clock error is small, or about as small as the hop's smallest one.

    One large clock error must not hide a slow hop. The choice depends only on the error, never on the time: choosing
    long messages would blame a healthy hop.
    """
    errors = [sample.error_ns for sample in samples if sample.error_ns is not None]
    limit_ns = max(min_ns, 2 * min(errors, default=0))
    return [sample for sample in samples if sample.error_ns is not None and sample.error_ns <= limit_ns]
