"""Significant wins between the algorithms of a sweep, corrected for the number of comparisons. Pure.

The ratio's 95 % interval has to lie above 1. But a sweep has many sizes and pairs, some of which differ by chance; so a
difference must also be one that few whole sweeps of equal algorithms would show (Holm 1979). The size that was chosen
for comparison beforehand is tested by itself.
"""

from collections.abc import Iterable
from itertools import combinations, groupby
from typing import NamedTuple

from ringscope.judging.comparison import Point, SweepComparison, reference_bytes
from ringscope.judging.rank_tests import Ratio

_CHANCE = 0.05  # probability that equal algorithms are called different at the compared size
# probability that equal algorithms are called different at any other size, in place or out of place
_CHANCE_ELSEWHERE = 0.01
_LEVEL = 1.1  # multiple of the fastest one's time up to which another algorithm counts as equally fast


class Win(NamedTuple):
    """A win of one algorithm over another at one size and placement."""

    size_bytes: int
    in_place: bool
    winner: str
    beaten: str


class Range(NamedTuple):
    """Neighbouring sizes with the same answer.

    A single winner clearly beats all others at one of the sizes at least, and is level with the fastest at the rest;
    with ``is_fastest`` it beats them at each size. Of several winners each is unbeaten at every size.
    """

    sizes: list[int]
    winners: list[str]
    is_fastest: bool


class Winners:
    """The significant wins in the current state of a sweep."""

    def __init__(self, comparison: SweepComparison) -> None:
        self._comparison = comparison
        self._wins = _wins(comparison)

    def is_clear(self, win: Win) -> bool:
        """Return whether the win is statistically significant."""
        return win in self._wins

    def at(self, size_bytes: int, in_place: bool) -> list[str]:
        """Return the algorithms that no other significantly beats, fastest first; the fastest may itself be too noisy
        to win.
        """
        names = list(self._comparison.at(size_bytes, in_place))
        return [
            name for name in names if not any(Win(size_bytes, in_place, rival, name) in self._wins for rival in names)
        ]

    def fastest(self, in_place: bool) -> list[Range]:
        """Return ranges of adjacent sizes at which the same algorithm is the only unbeaten one; as few ranges as
        possible.
        """
        alone = groupby(self._comparison.sizes(), lambda size_bytes: self._alone(size_bytes, in_place))
        return [Range(list(sizes), [name], True) for name, sizes in alone if name]

    def _alone(self, size_bytes: int, in_place: bool) -> str:
        unbeaten = self.at(size_bytes, in_place)
        is_compared = len(self._comparison.at(size_bytes, in_place)) > 1
        return unbeaten[0] if is_compared and len(unbeaten) == 1 else ""

    def ranges(self, in_place: bool, sizes_bytes: Iterable[int] | None = None) -> list[Range]:
        """Return the fewest ranges that cover the sizes (default: all) at which two algorithms or more were timed."""
        found: list[Range] = []
        for size in self._comparison.sizes() if sizes_bytes is None else sizes_bytes:
            if len(self._comparison.at(size, in_place)) > 1:
                self._append(found, size, in_place)
        return found

    def _append(self, found: list[Range], size: int, in_place: bool) -> None:
        """Add the next larger size to the last range, or begin a new one."""
        unbeaten, before = self.at(size, in_place), found[-1] if found else None
        if len(unbeaten) > 1:
            common = [name for name in before.winners if name in unbeaten] if before else []
            if before and len(common) > 1:
                found[-1] = Range([*before.sizes, size], common, False)
            elif before and len(before.winners) == 1 and self._is_level(before.winners[0], size, in_place):
                found[-1] = Range([*before.sizes, size], before.winners, False)
            else:
                found.append(Range([size], unbeaten, False))
        elif before and before.winners == unbeaten:
            found[-1] = Range([*before.sizes, size], unbeaten, before.is_fastest)
        else:
            found.append(self._begun(found, unbeaten, size, in_place))

    def _begun(self, found: list[Range], winner: list[str], size: int, in_place: bool) -> Range:
        """Return the range that a clear winner begins, with the sizes right before it at which it is level."""
        sizes = [size]
        while found and len(found[-1].winners) > 1 and self._is_level(winner[0], found[-1].sizes[-1], in_place):
            before = found.pop()
            sizes.insert(0, before.sizes[-1])
            if rest := before.sizes[:-1]:
                found.append(Range(rest, before.winners, False))
        return Range(sizes, winner, len(sizes) == 1)

    def _is_level(self, name: str, size: int, in_place: bool) -> bool:
        """Return whether no other algorithm significantly beats it at this size, and its time is close to the
        fastest one's.
        """
        points = self._comparison.at(size, in_place)
        fastest, *_ = points.values()
        return name in self.at(size, in_place) and points[name].typical_us <= _LEVEL * fastest.typical_us


class _PairwiseTest(NamedTuple):
    win: Win
    ratio: Ratio


def _wins(comparison: SweepComparison) -> set[Win]:
    sizes = comparison.sizes()
    compared = reference_bytes(sizes), False
    tests = [
        test
        for size in sizes or [0]  # calls that send nothing have no size
        for in_place in (False, True)
        for test in _pairwise_tests(size, in_place, comparison.at(size, in_place))
    ]
    here = [test for test in tests if test.win[:2] == compared]
    elsewhere = [test for test in tests if test.win[:2] != compared]
    return {*_significant(here, _CHANCE), *_significant(elsewhere, _CHANCE_ELSEWHERE)}


def _pairwise_tests(size_bytes: int, in_place: bool, points: dict[str, Point]) -> Iterable[_PairwiseTest]:
    """Compare every pair of algorithms."""
    for (one, faster), (other, slower) in combinations(points.items(), 2):
        ratio = faster.against(slower)
        if ratio.value < 1:
            one, other, ratio = other, one, slower.against(faster)
        yield _PairwiseTest(Win(size_bytes, in_place, one, other), ratio)


def _significant(tests: Iterable[_PairwiseTest], most: float) -> Iterable[Win]:
    """Yield the wins that remain significant by Holm: the least likely first, each against the number that are left."""
    ordered = sorted(tests, key=lambda test: test.ratio.chance)
    for i, test in enumerate(ordered):
        if test.ratio.chance > most / (len(ordered) - i):
            return
        if test.ratio.is_clear:
            yield test.win
