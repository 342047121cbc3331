"""Comparison of two jobs that measured no common size, over the sizes between which both measured. Pure.

Their times are interpolated between measured sizes, linearly in the logarithms. An interpolated time has no interval,
so nothing is said about the significance of a difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from typing import NamedTuple

from ringscope.contracts.words.units import format_size
from ringscope.judging.two_jobs import Timed, fastest


class Overlap(NamedTuple):
    """One algorithm and placement that both jobs measured, but at no common size.

    ``ratios`` are the times of the second job divided by those of the first, at every size that one of them measured
    and that lies in the ranges of both; empty if the ranges do not overlap.
    """

    algorithm: str
    in_place: bool
    base_range: tuple[int, int]  # the smallest and the largest size, in bytes
    other_range: tuple[int, int]
    ratios: Mapping[int, float]

    def sentence(self, job: str, base: str) -> str:
        """Compare the two jobs, named as at the beginning and inside of a sentence, in one sentence."""
        if not self.ratios:
            there, here = _range(self.other_range), _range(self.base_range)
            return f"{job} measured {there}, and {base} {here}: these sizes do not overlap, so nothing can be compared."
        least, most = (f"{value:.2f}" for value in (min(self.ratios.values()), max(self.ratios.values())))
        amount = least if least == most else f"{least} to {most}"
        inside = job[0].lower() + job[1:]
        return (
            f"{job} and {base} measured no common size; interpolated between the measured ones, {inside} takes "
            f"{amount} times as long as {base} {_where(self.ratios)}, which says nothing about significance."
        )


def overlaps(base: Sequence[Timed], other: Sequence[Timed]) -> list[Overlap]:
    """Return an overlap for each algorithm and placement, also for the fastest one, without a common size."""
    of_base, of_other = _curves(base), _curves(other)
    return [
        Overlap(*place, _ends(of_base[place]), _ends(curve), _ratios(of_base[place], curve))
        for place, curve in of_other.items()
        if place in of_base and not curve.keys() & of_base[place].keys()
    ]


def _curves(run: Sequence[Timed]) -> dict[tuple[str, bool], dict[int, float]]:
    """Return the typical time at each size, by algorithm and placement."""
    curves: dict[tuple[str, bool], dict[int, float]] = {}
    for one in (*run, *fastest(run)):
        if one.size_bytes > 0:
            curves.setdefault((one.algorithm, one.in_place), {})[one.size_bytes] = one.point.typical_us
    return curves


def _ratios(base: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    least, most = max(min(base), min(other)), min(max(base), max(other))
    sizes = sorted(size for size in {*base, *other} if least <= size <= most)
    return {size: _time_us(other, size) / _time_us(base, size) for size in sizes}


def _time_us(curve: Mapping[int, float], size_bytes: int) -> float:
    """Return the time at a size within the curve, interpolated linearly in the logarithms."""
    if size_bytes in curve:
        return curve[size_bytes]
    below = max(size for size in curve if size < size_bytes)
    above = min(size for size in curve if size > size_bytes)
    part = log(size_bytes / below) / log(above / below)
    return exp((1 - part) * log(curve[below]) + part * log(curve[above]))


def _ends(sizes_bytes: Iterable[int]) -> tuple[int, int]:
    sizes = sorted(sizes_bytes)
    return sizes[0], sizes[-1]


def _range(ends: tuple[int, int]) -> str:
    return " to ".join(dict.fromkeys(map(format_size, ends)))


def _where(sizes_bytes: Iterable[int]) -> str:
    least, most = _ends(sizes_bytes)
    return f"at {format_size(least)}" if least == most else f"from {format_size(least)} to {format_size(most)}"
