"""Cut a model's layers into consecutive parts by their times. Pure."""

from collections.abc import Sequence
from itertools import accumulate


def cut(times_us: Sequence[float], parts: int) -> list[range]:
    """Return the layers of each part, at least one each, so that the slowest part takes as little time as possible.

    Of several such cuts it is the one with the smallest sum of squares of the parts' times. ValueError for fewer layers
    than parts.
    """
    layers = len(times_us)
    if layers < parts:
        raise ValueError(f"{layers} layers for {parts} parts")
    sums = [0.0, *accumulate(times_us)]
    # best[i]: the slowest part's time, the sum of squares and the ends of the parts so far, which end before layer i
    best: dict[int, tuple[float, float, tuple[int, ...]]] = {0: (0.0, 0.0, ())}
    for part in range(1, parts + 1):
        found = {}
        for end in range(part, layers - parts + part + 1):
            candidates = []
            for start, (slowest, squares, ends) in best.items():
                if start < end:
                    time_us = sums[end] - sums[start]
                    candidates.append((max(slowest, time_us), squares + time_us**2, (*ends, end)))
            found[end] = min(candidates)
        best = found
    ends = best[layers][2]
    return [range(start, end) for start, end in zip((0, *ends), ends, strict=False)]
