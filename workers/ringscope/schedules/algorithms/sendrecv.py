"""Send and receive: all ranks send their buffers to the next rank at the same time, as nccl-tests does to measure
links.
"""

from ringscope.schedules.schedule import Chunk, Schedule, Transfer, joined


def ring(ranks: int, count: int) -> Schedule:
    """One step around the ring; a single rank keeps its buffer."""
    shift = [Transfer("shift", 0, 0, rank, (rank + 1) % ranks, reduce=False) for rank in range(ranks)]
    return Schedule(ranks, (Chunk(0, count),), joined([shift] if ranks > 1 else []))
