"""Stragglers: ranks that take longer for their own part of the work than the others, which wait for them. Pure.

A benchmark's ranks only run collectives, and a collective takes as long for all ranks as for the slowest. So a rank is
judged by how it spent its time. Its own time is the time in which it waited neither for other ranks nor for a core: it
worked, or was stopped. If a rank waits for others inside a library, only the time in which it was stopped is known, and
only if ranks there do not sleep while they wait. A training step reports its compute time itself.

score = median of the ranks / own

as in C4D and NVIDIA's resiliency extension: a straggler is below 0.75 in several windows in a row. A rank that waits
for a core is judged in the same way by its time in the kernel's queue, with a higher minimum, because an oversubscribed
node shuffles ranks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.windows import Window, median_of

MIN_RANKS = 3
MAX_SCORE = 0.75
MIN_OWN_SHARE = 0.1  # above the median: 100 ms of a second
MIN_QUEUED_SHARE = 0.25
MIN_COMPUTE_US = 2_000.0  # above the median, in a step
OWN_WINDOWS, QUEUED_WINDOWS, STEP_WINDOWS = 2, 3, 3
SPINNING_SHARE = 0.1  # if the median rank sleeps more, sleeping is no sign


def of_windows(windows: Sequence[Window], root: int | None = None) -> list[Finding]:
    """Return the stragglers by how the ranks of a gang spent their time, with one window of each rank.

    The root of a collective waits for no rank, and sends or sums for all: its work is the collective's own time.
    """
    if len(windows) < MIN_RANKS:
        return []
    own = own_shares(windows, root)
    queued = {window.rank: window.queued for window in windows if window.queued is not None}
    found = {w.rank: _finding(w, "own", own, OWN_WINDOWS) for w in windows if _stands_out(own, w.rank, MIN_OWN_SHARE)}
    for window in windows:
        if window.rank not in found and _stands_out(queued, window.rank, MIN_QUEUED_SHARE):
            found[window.rank] = _finding(window, "queued", queued, QUEUED_WINDOWS)
    return list(found.values())


def own_shares(windows: Sequence[Window], root: int | None = None) -> dict[int, float]:
    """Return each rank's share of its own time, as far as it is known; for the root only the time in which it was
    stopped.
    """
    are_waits_known = any(window.waited > 0 for window in windows)
    asleep = median_of([window.stopped for window in windows if window.stopped is not None])
    shares = {}
    for window in windows:
        stopped = (window.stopped or 0.0) if asleep <= SPINNING_SHARE else 0.0
        is_known = are_waits_known and window.rank != root
        working = 1.0 - window.waited - (window.queued or 0.0) - stopped if is_known else 0.0
        shares[window.rank] = stopped + max(0.0, working)
    return shares


def of_steps(compute_us: Mapping[int, float], nodes: Mapping[int, str]) -> list[Finding]:
    """Return the stragglers by the mean compute time of a step of each rank, as reported by training steps."""
    if len(compute_us) < MIN_RANKS:
        return []
    middle = median_of(list(compute_us.values()))
    return [
        Finding(
            "straggler",
            f"Rank {rank} on node {nodes[rank]} is slow: it computes {value / 1e3:.1f} ms in a step, the median rank "
            f"{middle / 1e3:.1f} ms, and all others wait for it.",
            rank,
            nodes[rank],
            {"measure": "compute_us", "value": value, "median": middle, "score": middle / value},
            STEP_WINDOWS,
        )
        for rank, value in compute_us.items()
        if _stands_out(compute_us, rank, MIN_COMPUTE_US)
    ]


def _stands_out(values: Mapping[int, float], rank: int, floor: float) -> bool:
    if len(values) < MIN_RANKS or rank not in values:
        return False
    middle, value = median_of(list(values.values())), values[rank]
    return value - middle >= floor and middle / value < MAX_SCORE


def _finding(window: Window, measure: str, values: Mapping[int, float], windows: int) -> Finding:
    middle, value = median_of(list(values.values())), values[window.rank]
    evidence: dict[str, Any] = {
        "measure": f"{measure}_share",
        "value": value,
        "median": middle,
        "score": middle / value,
    }
    evidence |= {"window_seconds": window.seconds, "size_bytes": window.size_bytes}
    evidence |= {"iterations": window.iterations}
    evidence |= {f"{name}_share": getattr(window, name) for name in ("waited", "queued", "running", "stopped")}
    message = (
        f"Rank {window.rank} on node {window.node} is slow: {_cause(window, measure, value)} {value:.0%} of its time, "
        f"the median rank {middle:.0%}, and all others wait for it."
    )
    return Finding("straggler", message, window.rank, window.node, evidence, windows)


def _cause(window: Window, measure: str, value: float) -> str:
    if measure == "queued":
        return "without a core, as others run on it, for"
    if (window.stopped or 0.0) > value / 2:
        return "stopped or asleep for"
    return "busy with its own part for"
