"""Slow links: nodes whose ranks take longer to transfer although no rank was late. Pure.

The time after the last arrival is the time of the transfer itself, whichever rank was awaited. An arrival counts if it
came before the rank ended, because a later one was not needed. If a collective ends at different times on different
nodes (broadcast, reduce, sendrecv, trees, a parameter server), nodes behind a slow link end later: their median is 1.5
times that of the median node, at least 2 ms longer, and longer than the clock error. The path to that node is slow. If
several nodes end later, or if each rank also sends (sendrecv), the end of a step does not show which hop or node is the
cause, so no node is named. In a ring every rank ends with the slowest link, so nothing is visible here. Traced
operations show both cases: ``slow_hops``.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ringscope.contracts.words.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.step_windows import MIN_US, RankStep, StepWindow
from ringscope_server.insights.windows import median_of

MIN_NODES = 3
MIN_RATIO = 1.5
WINDOWS = 3
_BOTH_WAYS = ("sendrecv", "alltoall")  # collectives in which the end of a rank's own sending may be the later one


def of_window(window: StepWindow, min_us: float = MIN_US, root: int | None = None) -> list[Finding]:
    """Return the nodes behind a slow link in a window of steps; less than ``min_us`` longer does not count.

    The root of a collective ends with the slowest of all its links, so its time says nothing about its own link.
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
    slow = {
        node: value
        for node, value in sorted(medians.items())
        if value >= MIN_RATIO * middle and value - middle > max(min_us, error_us)
    }
    return [_finding(window, slow, middle, error_us)] if slow else []


def _transfer_us(step: Sequence[RankStep], mine: RankStep) -> float:
    """Return the time from the last arrival before this rank's end to that end."""
    end_ns = mine.start.time_ns + round(mine.duration_us * 1e3)
    return (end_ns - max(each.start.time_ns for each in step if each.start.time_ns <= end_ns)) / 1e3


def _finding(window: StepWindow, slow: Mapping[str, float], middle_us: float, error_us: float) -> Finding:
    block = window.block
    what = f"{block.algorithm} at {format_size(block.size_bytes)}"
    nodes, worst_us = list(slow), max(slow.values())
    is_sure = len(nodes) == 1 and block.op not in _BOTH_WAYS
    if is_sure:
        message = (
            f"The way to node {nodes[0]} is slow: once all had come that it needs, {what} took {worst_us / 1e3:.1f} ms "
            f"there and {middle_us / 1e3:.1f} ms on the median node."
        )
    else:
        several = f"nodes {', '.join(nodes)}" if len(nodes) > 1 else f"node {nodes[0]}"
        message = (
            f"A link at or before {several} is slow: once all had come that is needed there, {what} took up to "
            f"{worst_us / 1e3:.1f} ms and {middle_us / 1e3:.1f} ms on the median node. Which hop it is, the times of "
            "steps cannot tell; submit the job with --trace and algorithm ring to have it named."
        )
    evidence = {
        "nodes": [{"node": node, "transfer_us": value_us} for node, value_us in slow.items()],
        "transfer_us": worst_us,
        "median_us": middle_us,
        "error_us": error_us,
        "algorithm": block.algorithm,
        "op": block.op,
        "size_bytes": block.size_bytes,
    }
    return Finding("slow_link", message, None, nodes[0] if is_sure else None, evidence, WINDOWS)
