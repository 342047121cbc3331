"""Late ranks: ranks that come last to collectives, by more than the clock error. Pure.

A late rank is not slow in the collective: its own collective looks short, and long to all ranks that wait for it. So
the arrivals are compared step by step, as in ``ringscope_server.results.arrivals``: lateness is measured from the
median rank. A rank is late in a window of steps if it is the last one in at least half of them and the median of its
lateness there is at least 2 ms, half a step, and more than the error of its node's clock and the median rank's. Less is
not reported. The rank must also lose that time itself, outside of collectives: a rank that only comes late because its
previous step ended later, as behind a slow link, is not to blame.
"""

from collections import Counter

from ringscope.contracts.words.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.step_windows import MIN_US, StepWindow
from ringscope_server.insights.windows import median_of
from ringscope_server.results.arrivals import Arrival, arrival

MIN_RANKS = 3
MIN_PART_OF_STEP = 0.5
MIN_PART_OF_STEPS = 0.5
WINDOWS = 3


def of_window(window: StepWindow, min_us: float = MIN_US) -> list[Finding]:
    """Return the late rank of a window of steps, if there is one; less than ``min_us`` does not count."""
    arrivals = [found for step in window.steps if (found := arrival([each.start for each in step])) is not None]
    if not arrivals or len(window.steps[0]) < MIN_RANKS:
        return []
    rank, times = Counter(found.last_rank for found in arrivals).most_common(1)[0]
    its = [found for found in arrivals if found.last_rank == rank]
    if times < MIN_PART_OF_STEPS * len(arrivals) or any(found.error_us is None for found in its):
        return []
    late_us, error_us = median_of([found.late_us for found in its]), max(found.error_us or 0.0 for found in its)
    step_us = median_of([each.duration_us for step in window.steps for each in step])
    if late_us <= max(min_us, error_us, MIN_PART_OF_STEP * step_us) or _lost_us(window, rank) < min_us:
        return []
    return [_finding(window, rank, its, late_us, error_us, step_us)]


def _lost_us(window: StepWindow, rank: int) -> float:
    """Return how much longer than the median rank it was outside of collectives; 0 if that is not known."""
    lost = []
    for step in window.steps:
        outside = {each.start.rank: each.outside_us for each in step if each.outside_us is not None}
        if rank in outside and len(outside) == len(step):
            lost.append(outside[rank] - median_of(list(outside.values())))
    return median_of(lost)


def _finding(
    window: StepWindow, rank: int, its: list[Arrival], late_us: float, error_us: float, step_us: float
) -> Finding:
    node = next(each.start.node for each in window.steps[0] if each.start.rank == rank)
    block = window.block
    error = f", give or take {error_us / 1e3:.1f} ms" if error_us else ""
    message = (
        f"Rank {rank} on node {node} comes late: {late_us / 1e3:.1f} ms after the median rank{error}, in {len(its)} of "
        f"{len(window.steps)} steps of {block.algorithm} at {format_size(block.size_bytes)}."
    )
    evidence = {
        "late_us": late_us,
        "error_us": error_us,
        "lost_us": _lost_us(window, rank),
        "step_us": step_us,
        "spread_us": median_of([found.spread_us for found in its]),
        "steps": len(window.steps),
        "steps_last": len(its),
        "algorithm": block.algorithm,
        "size_bytes": block.size_bytes,
    }
    return Finding("late_rank", message, rank, node, evidence, WINDOWS)
