"""Chains: cut a buffer so that all links of a chain are busy at the same time."""

from ringscope.schedules.schedule import Chunk, aligned

SEGMENT_ELEMENTS = 1 << 15  # 128 KiB of float32
MAX_SEGMENTS = 64


def segments(count: int) -> tuple[Chunk, ...]:
    """Cut ``count`` elements into consecutive segments."""
    return aligned(count, min(max(1, count // SEGMENT_ELEMENTS), MAX_SEGMENTS))
