"""Slow links: nodes whose ranks take longer to transfer although nobody was late. Pure.

The time after the last arrival is what the transfer itself takes, whoever was waited for; arrivals count that came
before a rank ended, since one that comes later was not needed. Where a collective ends at different times on different
nodes (broadcast, reduce, sendrecv, trees, a parameter server), nodes behind a slow link end later: by their median by
half as much again as the median node, at least 2 ms, and more than the clocks may err. It is the way to that node that
is slow, which in a tree may be the link of the node before. In a ring every rank ends with the slowest link, so there
is nothing to see here but a low bandwidth.
"""

from collections import defaultdict
from collections.abc import Sequence

from ringscope.contracts.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.step_windows import MIN_US, RankStep, StepWindow
from ringscope_server.insights.windows import median_of

MIN_NODES = 3
MIN_RATIO = 1.5
WINDOWS = 3


def of_window(window: StepWindow, min_us: float = MIN_US, root: int | None = None) -> list[Finding]:
    """The nodes behind a slow link in a window of steps; ``min_us`` longer is the least that counts.

    The root of a collective ends with the slowest of all its links, so its own time tells nothing of its own link.
    """
    errors = [each.start.error_us for step in window.steps for each in step]
    if any(error is None for error in errors):
        return []
    error_us = 2 * max(error or 0.0 for error in errors)
    transfers: defaultdict[str, list[float]] = defaultdict(list)
    for step in window.steps:
        for each in (each for each in step if each.start.rank != root):
            transfers[each.start.node].append(_transfer_us(step, each))
    medians = {node: median_of(values) for node, values in transfers.items()}
    middle = median_of(list(medians.values()))
    if len(medians) < MIN_NODES:
        return []
    return [
        _finding(window, node, value, middle, error_us)
        for node, value in medians.items()
        if value >= MIN_RATIO * middle and value - middle > max(min_us, error_us)
    ]


def _transfer_us(step: Sequence[RankStep], mine: RankStep) -> float:
    """From the last arrival before this rank's end to that end."""
    end_ns = mine.start.time_ns + round(mine.duration_us * 1e3)
    return (end_ns - max(each.start.time_ns for each in step if each.start.time_ns <= end_ns)) / 1e3


def _finding(window: StepWindow, node: str, value_us: float, middle_us: float, error_us: float) -> Finding:
    block = window.block
    message = (
        f"The way to node {node} is slow: once all had come that it needs, {block.algorithm} at "
        f"{format_size(block.size_bytes)} took {value_us / 1e3:.1f} ms there and {middle_us / 1e3:.1f} ms on the "
        "median node."
    )
    evidence = {
        "transfer_us": value_us,
        "median_us": middle_us,
        "error_us": error_us,
        "algorithm": block.algorithm,
        "op": block.op,
        "size_bytes": block.size_bytes,
    }
    return Finding("slow_link", message, None, node, evidence, WINDOWS)
