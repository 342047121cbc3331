"""Algorithms that became slower from one run to a later one of the same sweep. Pure.

Each algorithm is compared out of place at the size nearest to 1 MiB that both runs measured, which is fixed beforehand.
It is slower if the 95 % interval of the ratio lies above 1, if the difference is one that few such lists of equal runs
would contain (Holm 1979), and if it takes a tenth longer: runs of different days differ by a few percent for no reason
that lasts.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ringscope.judging.comparison import SweepComparison, reference_bytes
from ringscope.judging.rank_tests import Ratio

_CHANCE = 0.05  # probability that a list of equal runs contains a regression
LEAST_RATIO = 1.1


class Slower(NamedTuple):
    """An algorithm of the pair at this position that became slower, and its later time over the earlier one."""

    pair: int
    algorithm: str
    size_bytes: int
    ratio: Ratio


def slower(pairs: Sequence[tuple[SweepComparison, SweepComparison]]) -> list[Slower]:
    """Return the algorithms that became slower from the first to the second of each pair, the worst first."""
    tests = [test for i, (before, after) in enumerate(pairs) for test in _tests(i, before, after)]
    ordered = sorted(tests, key=lambda test: test.ratio.chance)
    found = []
    for i, test in enumerate(ordered):
        if test.ratio.chance > _CHANCE / (len(ordered) - i):
            break
        if test.ratio.is_clear and test.ratio.value >= LEAST_RATIO:
            found.append(test)
    return sorted(found, key=lambda test: -test.ratio.value)


def _tests(pair: int, before: SweepComparison, after: SweepComparison) -> Iterable[Slower]:
    """Compare the algorithms that ran over the same transport; wrong elements make a time worthless."""
    if before.wrong or after.wrong:
        return
    earlier = {(curve.algorithm, curve.transport): curve.points for curve in before.curves if not curve.in_place}
    for curve in after.curves:
        points = earlier.get((curve.algorithm, curve.transport), {})
        size_bytes = reference_bytes(points.keys() & curve.points.keys())
        if size_bytes and not curve.in_place:
            ratio = points[size_bytes].against(curve.points[size_bytes], in_turns=False)
            yield Slower(pair, curve.algorithm, size_bytes, ratio)
