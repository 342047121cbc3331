"""The textbook's formulas for the time of an all-reduce in seconds: a cross-check of ``ringscope.cost``. Pure.

``ranks`` p, ``size_bytes`` n on each rank, ``link`` (α, 1/β) between every two ranks, ``reduce_s_per_byte`` γ. Where a
formula is exact, the tests hold the schedule's time to it; servers that overlap pushing with pulling, and BytePS' share
of the load, have no schedule, so `ringscope plan` prices them from here.
"""

from collections.abc import Callable
from math import ceil, log2

from ringscope.topology import Link

Formula = Callable[[int, int, Link, float], float]


def gather(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Everybody sends everything to one rank, which adds it up: the first half of ``naive``."""
    return (ranks - 1) * (_message_s(size_bytes, link) + size_bytes * reduce_s_per_byte)


def naive(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Gather to one rank, then one copy after another to all others."""
    return gather(ranks, size_bytes, link, reduce_s_per_byte) + (ranks - 1) * _message_s(size_bytes, link)


def ring(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Reduce-scatter and all-gather of p chunks; also ``direct`` (Patarasuk and Yuan 2009)."""
    part = (ranks - 1) / ranks * size_bytes
    return 2 * (ranks - 1) * link.latency_s + 2 * part / link.bytes_per_s + part * reduce_s_per_byte


def recursive_doubling(ranks: int, size_bytes: int, link: Link, reduce_s_per_byte: float = 0.0) -> float:
    """Everything exchanged log2 p times; ranks beyond a power of two are folded (Thakur et al. 2005)."""
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


def parameter_servers(workers: int, servers: int, size_bytes: int, link: Link, duplex: bool = False) -> float:
    """Synchronous push and pull with servers on machines of their own, each holding an equal share.

    ``duplex``: shares are cut so finely that pulling overlaps with pushing. Nothing to exchange with one worker.
    """
    if workers < 2:
        return 0.0
    one_way_s = link.latency_s + max(1.0, workers / servers) * size_bytes / link.bytes_per_s
    return one_way_s if duplex else 2 * one_way_s


def assisted_servers(workers: int, helpers: int, size_bytes: int, link: Link) -> float:
    """BytePS: every worker also serves, and ``helpers`` machines without a GPU take the load that equalises all links.

    Bandwidth only; 0 helpers give the ring's volume, as many as workers half of it (Jiang et al. 2020).
    """
    if workers < 2:
        return 0.0
    share = 2 * workers * (workers - 1) / (workers**2 + helpers * workers - 2 * helpers)
    return share * size_bytes / link.bytes_per_s


def _message_s(size_bytes: int, link: Link) -> float:
    return link.latency_s + size_bytes / link.bytes_per_s


ALL_REDUCE: dict[str, Formula] = {
    "naive": naive,
    "ring": ring,
    "direct": ring,
    "recursive_doubling": recursive_doubling,
    "halving_doubling": halving_doubling,
    "tree": tree,
}
