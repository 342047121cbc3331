"""The textbook's formulas for the time of a collective in seconds: a cross-check of ``ringscope.cost.timeline``. Pure.

``ranks`` p, ``size_bytes`` n on each rank, ``link`` (α, 1/β) between every two ranks, ``reduce_s_per_byte`` γ. Where a
formula is exact, the tests compare the schedule's time with it; servers that overlap push and pull, and BytePS'
distribution of the load, have no schedule, so `ringscope plan` uses these formulas for them.
"""

from collections.abc import Callable
from math import ceil, log2

from ringscope.contracts.words.topology import Link
from ringscope.schedules.algorithms.chain import segments
from ringscope.schedules.schedule import longest

Formula = Callable[[int, int, Link, float], float]


def gather(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Return the time of a gather to one rank, which adds everything: the first half of ``naive``."""
    return (ranks - 1) * (_message_s(size_bytes, link) + size_bytes * reduce_s_per_byte)


def naive(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Gather to one rank, then one copy after another to all others."""
    return gather(ranks, size_bytes, link, reduce_s_per_byte) + (ranks - 1) * _message_s(size_bytes, link)


def ring(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Reduce-scatter and all-gather of p chunks; also ``direct`` (Patarasuk and Yuan 2009)."""
    part = (ranks - 1) / ranks * size_bytes
    return 2 * (ranks - 1) * link.latency_s + 2 * part / link.bytes_per_s + part * reduce_s_per_byte


def whole_elements_ring(
    ranks: int, elements: int, itemsize_bytes: int, link: Link, reduce_s_per_byte: float = 0.0
) -> float:
    """The ring if elements cannot be split: it waits for its longest chunk in every step."""
    chunk_bytes = longest(elements, ranks) * itemsize_bytes
    return (ranks - 1) * (2 * _message_s(chunk_bytes, link) + chunk_bytes * reduce_s_per_byte)


def pipelined_ring(
    ranks: int, segments: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0
) -> tuple[float, float]:
    """Return the bounds of a ring's time with ``segments`` per chunk: additions overlap with sends, or not.

    If adding takes at most as long as sending, the bounds differ by the addition of one segment.
    """
    per_byte, part = 1 / link.bytes_per_s, (ranks - 1) / ranks * size_bytes
    latencies_s = 2 * (ranks - 1) * segments * link.latency_s
    most = latencies_s + part * (max(per_byte, reduce_s_per_byte) + per_byte)
    return latencies_s + 2 * part * per_byte, most + size_bytes / (ranks * segments) * min(per_byte, reduce_s_per_byte)


def recursive_doubling(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """The whole buffer is exchanged log2 p times; ranks beyond a power of two are folded (Thakur et al. 2005)."""
    rounds = ranks.bit_length() - 1
    folds = ranks != 1 << rounds
    messages, additions = rounds + 2 * folds, rounds + folds
    return messages * _message_s(size_bytes, link) + additions * size_bytes * reduce_s_per_byte


def halving_doubling(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Recursive halving, then doubling (Rabenseifner 2004); folding costs a whole buffer each way."""
    rounds = ranks.bit_length() - 1
    folds = ranks != 1 << rounds
    part = ((1 << rounds) - 1) / (1 << rounds)
    sent = (2 * part + 2 * folds) * size_bytes / link.bytes_per_s
    return 2 * (rounds + folds) * link.latency_s + sent + (part + folds) * size_bytes * reduce_s_per_byte


def tree(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Binomial tree: reduce to its root, broadcast from there."""
    rounds = ceil(log2(ranks))
    return rounds * (2 * _message_s(size_bytes, link) + size_bytes * reduce_s_per_byte)


def hierarchical(
    nodes: int, ranks_per_node: int, size_bytes: int, intra: Link, inter: Link, reduce_s_per_byte: float = 0.0
) -> float:
    """Reduce-scatter inside, ring between, all-gather inside; a network card for each rank (Mikami et al. 2018)."""
    inside = ring(ranks_per_node, size_bytes, intra, reduce_s_per_byte)
    return inside + ring(nodes, size_bytes // ranks_per_node, inter, reduce_s_per_byte)


def reduce_scatter(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Each rank ends with one of p parts: half of the ring."""
    part = (ranks - 1) / ranks * size_bytes
    return (ranks - 1) * link.latency_s + part / link.bytes_per_s + part * reduce_s_per_byte


def all_gather(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Each rank starts with one of p parts: the other half of the ring."""
    return reduce_scatter(ranks, size_bytes, link)


def alltoall(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Exchanges in pairs; with an odd number of ranks one is idle in each of the p rounds."""
    rounds = ranks - 1 + ranks % 2 if ranks > 1 else 0
    return rounds * _message_s(size_bytes / ranks, link)


def sendrecv(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """One message of every rank, all at the same time."""
    return _message_s(size_bytes, link) if ranks > 1 else 0.0


def chain(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Broadcast or reduce along a chain, in consecutive segments of float32."""
    if ranks < 2 or not size_bytes:
        return 0.0
    count = len(segments(size_bytes // 4))
    sending_s, adding_s = _message_s(size_bytes / count, link), size_bytes / count * reduce_s_per_byte
    return (ranks - 1) * (sending_s + adding_s) + (count - 1) * max(sending_s, adding_s)


def parameter_servers(workers: int, servers: int, size_bytes: int, link: Link, duplex: bool = False) -> float:
    """Synchronous push and pull with servers on separate machines, each with an equal share.

    ``duplex``: shares are cut so finely that pull overlaps with push. With one worker nothing is exchanged.
    """
    if workers < 2:
        return 0.0
    one_way_s = link.latency_s + max(1.0, workers / servers) * size_bytes / link.bytes_per_s
    return one_way_s if duplex else 2 * one_way_s


def assisted_servers(workers: int, helpers: int, size_bytes: int, link: Link) -> float:
    """BytePS: every worker is also a server, and ``helpers`` machines without a GPU take as much load as balances all
    links.

    The formula covers bandwidth only; 0 helpers give the ring's volume, one per worker half of it (Jiang et al. 2020).
    """
    if workers < 2:
        return 0.0
    share = 2 * workers * (workers - 1) / (workers**2 + helpers * workers - 2 * helpers)
    return share * size_bytes / link.bytes_per_s


def _message_s(size_bytes: float, link: Link) -> float:
    return link.latency_s + size_bytes / link.bytes_per_s


def _half(formula: Formula, adds: bool) -> Formula:
    """One direction of an all-reduce that goes to a root and back with equal messages: a broadcast, or a reduce."""

    def time_s(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
        there_s = formula(ranks, size_bytes, link, 0.0) / 2
        adding_s = formula(ranks, size_bytes, link, reduce_s_per_byte) - 2 * there_s
        return there_s + adding_s * adds

    return time_s


def _without_adding(formula: Formula) -> Formula:
    return lambda ranks, size_bytes, link, reduce_s_per_byte: formula(ranks, size_bytes, link, 0.0)


# Exact if the buffer divides into equal chunks and all ranks are joined by equal links.
FORMULAS: dict[str, dict[str, Formula]] = {
    "all_reduce": {
        "naive": naive,
        "ring": ring,
        "direct": ring,
        "recursive_doubling": recursive_doubling,
        "halving_doubling": halving_doubling,
        "tree": tree,
    },
    "reduce_scatter": {"ring": reduce_scatter, "direct": reduce_scatter},
    "all_gather": {"ring": all_gather, "direct": all_gather},
    "broadcast": {"ring": _without_adding(chain), "tree": _half(tree, False), "naive": _half(naive, False)},
    "reduce": {"ring": chain, "tree": _half(tree, True), "naive": _half(naive, True)},
    "alltoall": {"direct": alltoall},
    "sendrecv": {"ring": sendrecv},
}
