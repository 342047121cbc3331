"""The judgement of a benchmark by earlier good runs of the same shape on the same cluster. Pure."""

from collections.abc import Sequence
from math import isclose
from statistics import median
from typing import NamedTuple

from ringscope.contracts.words.units import format_size, plural
from ringscope.expected.facts import Point
from ringscope.expected.judgement import ABOVE, AS_EXPECTED, BY_OWN_RUNS, LOW, UNKNOWN, Judgement, SizeJudgement
from ringscope.expected.references import RELATIVE, Reference

_SPREAD = 0.15  # two healthy runs of the same kind differ by as much


class OwnRuns(NamedTuple):
    """The bus bandwidth of earlier good runs at one point, in GB/s."""

    median_gb_per_s: float
    least_gb_per_s: float
    runs: int


def judge_by_own_runs(points: Sequence[tuple[Point, OwnRuns | None]]) -> Judgement:
    """Return the judgement of a run; it is unknown if no point has enough earlier runs."""
    return conclude_by_own_runs([(point, _reference(point, runs)) for point, runs in points])


def conclude_by_own_runs(points: Sequence[tuple[Point, Reference | None]]) -> Judgement:
    """Return the judgement of points whose baselines are known."""
    sizes = [_size(point, baseline) for point, baseline in points if point.value > 0]
    judged = [one for one in sizes if one.word != UNKNOWN]
    if not judged:
        return Judgement(
            UNKNOWN,
            "It is unknown what was to be expected: fewer than three earlier runs on this cluster had the same shape, "
            "and published runs are known for GPUs only.",
            sizes,
            missing=["three earlier runs of the same shape"],
            basis=BY_OWN_RUNS,
        )
    word = next(
        (word for word in (LOW, ABOVE) if 2 * sum(one.word == word for one in judged) > len(judged)), AS_EXPECTED
    )
    telling = [one for one in judged if one.word == word] or judged
    last = max(judged, key=lambda one: (one.point.size_bytes, one.point.value))
    reference = last.references[0]
    shown = word
    if word == LOW:
        percent = max(1, round(-100 * median(one.deviation or 0.0 for one in telling)))
        shown = f"low by {percent} %"
    return Judgement(
        shown,
        f"{last.point.value:.4g} GB/s at {format_size(last.point.size_bytes)}, where {reference.source} suggest "
        f"{reference.low:.3g} to {reference.high:.3g} GB/s: {shown}.",
        sizes,
        basis=BY_OWN_RUNS,
    )


def _reference(point: Point, runs: OwnRuns | None) -> Reference | None:
    if runs is None:
        return None
    value = runs.median_gb_per_s
    low, high = min(runs.least_gb_per_s, value / (1 + _SPREAD)), value * (1 + _SPREAD)
    return Reference("baseline", point.size_bytes, value, low, high, plural(runs.runs, "own run"))


def is_own_interval(reference: Reference) -> bool:
    """Return whether the interval of a baseline follows from its median; a lower end is that of the least run."""
    width = 1 + _SPREAD
    is_high = isclose(reference.high, reference.value * width, rel_tol=RELATIVE)
    return is_high and reference.low * width <= reference.value * (1 + RELATIVE)


def _size(point: Point, baseline: Reference | None) -> SizeJudgement:
    if baseline is None:
        return SizeJudgement(point, UNKNOWN, [])
    word = LOW if point.high < baseline.low else ABOVE if point.low > baseline.high else AS_EXPECTED
    return SizeJudgement(point, word, [baseline], point.value / baseline.value - 1)
