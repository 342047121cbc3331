"""Stragglers: ranks that take longer for their own part of the work than the others, which wait for them. Pure.

A benchmark's ranks only run collectives, and a collective takes as long for all ranks as for the slowest. So a rank is
judged by how it spent its time. Its own time is the time in which it waited neither for other ranks nor for a core: it
worked, or was stopped. If a rank waits for others inside a library, only the time in which it was stopped is known, and
only if ranks there do not sleep while they wait. A training step reports its compute time and its wait for samples.

score = median of the ranks / own

as in C4D and NVIDIA's resiliency extension: a straggler is below 0.75 in several windows in a row. A rank that waits
for a core is judged in the same way by its time in the kernel's queue, with a higher minimum, because an oversubscribed
node shuffles ranks. ``causes`` names the part of its time that explains the difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.stragglers.causes import SPINNING_SHARE, WORDS, Cause, MeanStep, cause_of
from ringscope_server.insights.windows import Window, median_of

MIN_RANKS = 3
MAX_SCORE = 0.75
MIN_OWN_SHARE = 0.1  # above the median: 100 ms of a second
MIN_QUEUED_SHARE = 0.25
MIN_COMPUTE_US = 2_000.0  # above the median, in a step
OWN_WINDOWS, QUEUED_WINDOWS, STEP_WINDOWS = 2, 3, 3


def of_windows(
    windows: Sequence[Window], root: int | None = None, steps: Mapping[int, MeanStep] | None = None
) -> list[Finding]:
    """Return the stragglers by how the ranks of a gang spent their time, with one window of each rank.

    The root of a collective waits for no rank, and sends or sums for all: its work is the collective's own time.
    ``steps`` are the ranks' newest training steps, if there are any, for the cause.
    """
    if len(windows) < MIN_RANKS:
        return []
    own = own_shares(windows, root)
    queued = {window.rank: window.queued for window in windows if window.queued is not None}
    found = {
        w.rank: _finding(windows, steps or {}, w, "own", own)
        for w in windows
        if _stands_out(own, w.rank, MIN_OWN_SHARE)
    }
    for window in windows:
        if window.rank not in found and _stands_out(queued, window.rank, MIN_QUEUED_SHARE):
            found[window.rank] = _finding(windows, steps or {}, window, "queued", queued)
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


def of_steps(steps: Mapping[int, MeanStep], windows: Sequence[Window] = ()) -> list[Finding]:
    """Return the stragglers by the mean step of each rank, as reported by training steps.

    ``windows`` are the newest ones of the ranks, if there are any: they show whether a rank that seems to compute was
    stopped or without a core.
    """
    if len(steps) < MIN_RANKS:
        return []
    own_us = {rank: step.own_us for rank, step in steps.items()}
    return [_of_step(steps, windows, rank, own_us) for rank in own_us if _stands_out(own_us, rank, MIN_COMPUTE_US)]


def of_typical_steps(steps: Mapping[int, MeanStep], windows: Sequence[Window] = ()) -> list[Finding]:
    """Return the ranks whose loader is slow by their newest typical steps.

    They do not show single steps that were disturbed, so this needs no second window.
    """
    return [replace(found, windows=1) for found in of_steps(steps, windows) if found.evidence["cause"] == "input"]


def _of_step(
    steps: Mapping[int, MeanStep], windows: Sequence[Window], rank: int, own_us: Mapping[int, float]
) -> Finding:
    step, inputs_us = steps[rank], {each: mean.input_us or 0.0 for each, mean in steps.items()}
    middle_us, input_middle_us = median_of(list(own_us.values())), median_of(list(inputs_us.values()))
    cause = cause_of(windows, steps, rank)
    if cause == "input":
        what = f"it waits {inputs_us[rank] / 1e3:.1f} ms for the samples of a step, the median rank "
        what += f"{input_middle_us / 1e3:.1f} ms"
    else:
        how = {"queued": ", mostly without a core, as others run on it", "stopped": ", mostly stopped or asleep"}
        does = "takes" if cause == "stopped" else "computes"
        what = f"it {does} {step.own_us / 1e3:.1f} ms in a step{how.get(cause or '', '')}, the median rank "
        what += f"{middle_us / 1e3:.1f} ms"
    evidence = {
        "measure": "compute_us" if step.input_us is None else "own_us",
        "value": step.own_us,
        "median": middle_us,
        "score": middle_us / step.own_us,
        "cause": cause,
    }
    if step.input_us is not None:
        evidence |= {"input_us": step.input_us, "input_median_us": input_middle_us}
    message = f"Rank {rank} on node {step.node} is slow: {what}, and all others wait for it."
    return Finding("straggler", message, rank, step.node, evidence, STEP_WINDOWS)


def _stands_out(values: Mapping[int, float], rank: int, floor: float) -> bool:
    if len(values) < MIN_RANKS or rank not in values:
        return False
    middle, value = median_of(list(values.values())), values[rank]
    return value - middle >= floor and middle / value < MAX_SCORE


def _finding(
    gang: Sequence[Window], steps: Mapping[int, MeanStep], window: Window, measure: str, values: Mapping[int, float]
) -> Finding:
    middle, value = median_of(list(values.values())), values[window.rank]
    cause = cause_of(gang, steps, window.rank, value - middle)
    evidence: dict[str, Any] = {
        "measure": f"{measure}_share",
        "value": value,
        "median": middle,
        "score": middle / value,
        "cause": cause,
    }
    evidence |= {"window_seconds": window.seconds, "size_bytes": window.size_bytes}
    evidence |= {"iterations": window.iterations}
    evidence |= {f"{name}_share": getattr(window, name) for name in ("waited", "queued", "running", "stopped")}
    if window.input is not None:
        evidence["input_share"] = window.input
    if cause == "input" and window.input is not None:
        value, middle = window.input, median_of([each.input or 0.0 for each in gang])
    message = (
        f"Rank {window.rank} on node {window.node} is slow: {_words(window, measure, cause, value)} {value:.0%} of its "
        f"time, the median rank {middle:.0%}, and all others wait for it."
    )
    windows = OWN_WINDOWS if measure == "own" else QUEUED_WINDOWS
    return Finding("straggler", message, window.rank, window.node, evidence, windows)


def _words(window: Window, measure: str, cause: Cause | None, value: float) -> str:
    if cause is not None:
        return WORDS[cause]
    if measure == "queued":
        return WORDS["queued"]
    if (window.stopped or 0.0) > value / 2:
        return WORDS["stopped"]
    return "busy with its own part for"
