"""The cause of a straggler: the part of its time that explains most of the difference to the median rank. Pure.

The parts overlap: a rank that waits for a slow disk sleeps, and a loader may wait for a core. So they are tried in the
order in which one can be the cause of another: without a core, waiting for samples, stopped, computing. A process that
pulses found stopped by a signal was not waiting for its samples then, even if its loader had begun to: stopped is tried
before waiting for samples.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from ringscope_server.insights.step_windows import RankStep
from ringscope_server.insights.windows import Window, median_of

Cause = Literal["queued", "input", "stopped", "compute"]
MIN_EXPLAINED = 0.8
TYPICAL_NS = 600_000_000
LONGEST_TYPICAL_NS = 1_000_000_000  # if that has fewer steps than the next number
MIN_TYPICAL_STEPS = 5
SPINNING_SHARE = 0.1  # if the median rank sleeps more, ranks sleep while they wait

WORDS: dict[Cause, str] = {
    "queued": "without a core, as others run on it, for",
    "input": "waiting for its samples for",
    "stopped": "stopped or asleep for",
    "compute": "computing for",
}


@dataclass(frozen=True, slots=True)
class Excess:
    """The time that a rank takes more than the median rank, all together and in each part, in one unit.

    Args:
        input: None if the rank does not measure it, so that it cannot be told from computing.
        was_halted: whether its process was seen stopped by a signal.
    """

    whole: float
    queued: float = 0.0
    input: float | None = None
    stopped: float = 0.0
    was_halted: bool = False

    @property
    def cause(self) -> Cause | None:
        """The part that explains at least 80 % of the whole; None if there is none."""
        if self.whole <= 0:
            return None
        parts: dict[Cause, float] = {"queued": self.queued}
        if self.was_halted:
            parts["stopped"] = self.stopped
        parts |= {"input": self.input or 0.0, "stopped": self.stopped}
        if self.input is not None:
            parts["compute"] = self.whole - sum(max(0.0, part) for part in parts.values())
        return next((name for name, part in parts.items() if part >= MIN_EXPLAINED * self.whole), None)


@dataclass(frozen=True, slots=True)
class MeanStep:
    """A typical step of a rank, such as the mean; ``input_us`` is None if it does not measure its wait for samples."""

    node: str
    duration_us: float
    compute_us: float
    input_us: float | None = None

    @property
    def own_us(self) -> float:
        """The time in which the rank did not wait for sums."""
        return self.compute_us + (self.input_us or 0.0)


def mean_steps(told: Iterable[RankStep]) -> dict[int, MeanStep]:
    """Return the mean step of each rank."""
    return {rank: _step_of(steps, fmean) for rank, steps in _by_rank(told).items()}


def typical_steps(told: Iterable[RankStep]) -> dict[int, MeanStep]:
    """Return the lower quartiles over the newest steps of each rank, for ranks that have enough of them in that time.

    Three of four steps take at least as long, so neither a stall nor a rank that is stopped now and then shows in them.
    """
    return {
        rank: _step_of(newest, _lower_quartile)
        for rank, steps in _by_rank(told).items()
        if len(newest := _newest(steps)) >= MIN_TYPICAL_STEPS
    }


def _newest(steps: Sequence[RankStep]) -> list[RankStep]:
    """Return the steps of the last 0.6 s; if there are too few, the newest ones of the last second, but no more."""
    until_ns = max(step.start.time_ns for step in steps)
    ordered = sorted(steps, key=lambda step: until_ns - step.start.time_ns)
    recent = [step for step in ordered if until_ns - step.start.time_ns < TYPICAL_NS]
    if len(recent) >= MIN_TYPICAL_STEPS:
        return recent
    return [step for step in ordered[:MIN_TYPICAL_STEPS] if until_ns - step.start.time_ns < LONGEST_TYPICAL_NS]


def _lower_quartile(values: list[float]) -> float:
    return sorted(values)[len(values) // 4]


def _by_rank(told: Iterable[RankStep]) -> dict[int, list[RankStep]]:
    steps: defaultdict[int, list[RankStep]] = defaultdict(list)
    for step in told:
        steps[step.start.rank].append(step)
    return steps


def _step_of(steps: Sequence[RankStep], middle: Callable[[list[float]], float]) -> MeanStep:
    inputs_us = [step.input_us for step in steps if step.input_us is not None]
    return MeanStep(
        steps[0].start.node,
        middle([step.duration_us for step in steps]),
        middle([step.compute_us for step in steps]),
        middle(inputs_us) if len(inputs_us) == len(steps) else None,
    )


def cause_of(windows: Sequence[Window], steps: Mapping[int, MeanStep], rank: int, whole: float = 0.0) -> Cause | None:
    """Return the cause for which a rank takes longer than the median rank; None if no part explains enough of it.

    Steps tell a rank's own time and its wait for samples exactly, and windows what the kernel knows. If the steps do
    not decide (on a crowded node the computing of a late rank takes longer, too, as the others use its core while they
    wait), the windows alone do; the whole is then the time in which the others wait longer, or ``whole`` if that is
    not known.
    """
    shares = _of_windows(windows, rank, whole)
    return (_of_steps(steps, shares, rank).cause if rank in steps else None) or shares.cause


def _of_steps(steps: Mapping[int, MeanStep], shares: Excess, rank: int) -> Excess:
    step = steps[rank]
    return Excess(
        _above_median(_of(steps, "own_us"), rank),
        shares.queued * step.duration_us,
        None if step.input_us is None else _above_median(_of(steps, "input_us"), rank),
        shares.stopped * step.duration_us,
        shares.was_halted,
    )


def _of_windows(windows: Sequence[Window], rank: int, whole: float) -> Excess:
    by_rank = {window.rank: window for window in windows}
    if rank not in by_rank:
        return Excess(0.0)
    waits_less = -_above_median(_of(by_rank, "waited"), rank)
    input_share = None if by_rank[rank].input is None else _above_median(_of(by_rank, "input"), rank)
    return Excess(
        waits_less if waits_less > 0 else whole,
        _above_median(_of(by_rank, "queued"), rank),
        input_share,
        _above_median(_asleep(windows), rank),
        by_rank[rank].was_halted,
    )


def _asleep(windows: Sequence[Window]) -> dict[int, float]:
    """Return the share of its time in which each rank slept or was stopped, except while it waited for other ranks."""
    idle = [max(0.0, (window.stopped or 0.0) - (window.input or 0.0)) for window in windows]
    is_spinning = median_of(idle) <= SPINNING_SHARE
    return {
        window.rank: max(0.0, (window.stopped or 0.0) - (0.0 if is_spinning else window.waited)) for window in windows
    }


def _of(by_rank: Mapping[int, Any], name: str) -> dict[int, float]:
    """Return a number of each rank; 0 if it is not known."""
    return {rank: getattr(each, name) or 0.0 for rank, each in by_rank.items()}


def _above_median(values: Mapping[int, float], rank: int) -> float:
    return values[rank] - median_of(list(values.values()))
