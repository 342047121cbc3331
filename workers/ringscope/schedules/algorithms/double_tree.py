"""Double tree: two binary trees, each for one half of the buffer, cut into consecutive segments.

Except for the roots, an inner rank of one tree is a leaf of the other, so that every rank sends about two halves up and
down, and both directions of every link are busy: 2n in total at the latency of a tree. Tree 1 is NCCL's
(src/graph/trees.cc); tree 2 is its mirror for even p, and shifted by one rank for odd p. Source: Sanders, Speck and
Traff 2009.
"""

from ringscope.schedules.schedule import Move, Schedule, aligned, pack

SEGMENT_ELEMENTS = 1 << 16  # 256 KiB of float32
MAX_SEGMENTS = 32


def double_tree(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements; the even chunks use tree 1, the odd ones tree 2."""
    segments = segments_of(count)
    trees = parents(ranks)
    orders = [_leaves_first(tree) for tree in trees]
    moves = []
    for segment in range(segments):
        for which, (tree, order) in enumerate(zip(trees, orders, strict=True)):
            chunk = 2 * segment + which
            moves += [Move("reduce", chunk, rank, tree[rank], True) for rank in order]
            moves += [Move("broadcast", chunk, tree[rank], rank, False) for rank in reversed(order)]
    return Schedule(ranks, aligned(count, 2 * segments), pack(moves))


def segments_of(count: int) -> int:
    """Return the number of segments of each half."""
    return min(max(1, count // (2 * SEGMENT_ELEMENTS)), MAX_SEGMENTS)


def parents(ranks: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the parent of every rank except the root, in both trees."""
    first = {rank: _parent(rank, ranks) for rank in range(1, ranks)}
    last = ranks - 1
    if ranks % 2 == 0:
        return first, {last - rank: last - parent for rank, parent in first.items()}
    return first, {(rank + 1) % ranks: (parent + 1) % ranks for rank, parent in first.items()}


def _parent(rank: int, ranks: int) -> int:
    """Return NCCL's binary tree: the parent of a rank with lowest set bit b has lowest set bit 2b, if there is one."""
    bit = rank & -rank
    parent = (rank ^ bit) | bit << 1
    return parent if parent < ranks else rank ^ bit


def _leaves_first(tree: dict[int, int]) -> list[int]:
    """Return all ranks except the root, deepest first."""

    def depth(rank: int) -> int:
        return 1 + depth(tree[rank]) if rank in tree else 0

    return sorted(tree, key=depth, reverse=True)
