"""Send and receive: every rank sends its buffer to the next one, all at once; nccl-tests' measure of the links."""

from ringscope.schedules.schedule import Chunk, Schedule, Transfer, joined


def ring(ranks: int, count: int) -> Schedule:
    """One step around the ring; a single rank keeps what it has."""
    shift = [Transfer("shift", 0, 0, rank, (rank + 1) % ranks, reduce=False) for rank in range(ranks)]
    return Schedule(ranks, (Chunk(0, count),), joined([shift] if ranks > 1 else []))
