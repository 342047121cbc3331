"""Pipelined ring: the ring with every chunk cut into segments, so that one is sent while another is added.

It sends as much as the ring. Segment k+1 does not depend on segment k, so executors have two in flight; gloo does the
same (docs/algorithms.md, ring_chunked: at least two segments of at most 1 MiB).
"""

from ringscope.schedules.schedule import Schedule, Transfer, aligned, joined

SEGMENT_ELEMENTS = 1 << 18  # 1 MiB of float32
MAX_SEGMENTS = 64


def ring_pipelined(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements in at least two segments per chunk."""
    segments = segments_of(ranks, count)
    reduce_scatter = (
        [
            Transfer("reduce_scatter", 0, (rank - step) % ranks * segments + part, rank, (rank + 1) % ranks, True)
            for rank in range(ranks)
        ]
        for step in range(ranks - 1)
        for part in range(segments)
    )
    all_gather = (
        [
            Transfer("all_gather", 0, (rank + 1 - step) % ranks * segments + part, rank, (rank + 1) % ranks, False)
            for rank in range(ranks)
        ]
        for step in range(ranks - 1)
        for part in range(segments)
    )
    return Schedule(ranks, aligned(count, ranks * segments), joined(reduce_scatter, all_gather))


def segments_of(ranks: int, count: int) -> int:
    """Return the number of segments of each chunk."""
    return min(max(2, -(-count // (ranks * SEGMENT_ELEMENTS))), MAX_SEGMENTS)
