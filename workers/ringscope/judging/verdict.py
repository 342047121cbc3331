"""A sentence that compares the algorithms of a sweep, and a second one that explains the fastest one's advantage.
Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ringscope.contracts.benchmark import FEWEST_ITERATIONS, MAX_MESSAGE_BYTES
from ringscope.contracts.words.collectives import SCHEDULED, VENDORS, total_elements
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_duration, format_size, plural
from ringscope.cost.effort import message_count
from ringscope.judging.comparison import (
    FEWEST_CYCLES,
    Point,
    SweepComparison,
    reference_bytes,
)
from ringscope.judging.rank_tests import Ratio
from ringscope.judging.same_messages import are_the_same
from ringscope.judging.winners import Range, Win, Winners
from ringscope.schedules.algorithms import build

VENDOR_NAMES = {
    "all_reduce": "MPI_Allreduce",
    "reduce_scatter": "MPI_Reduce_scatter",
    "all_gather": "MPI_Allgatherv",
    "broadcast": "MPI_Bcast",
    "reduce": "MPI_Reduce",
    "alltoall": "MPI_Alltoall",
    "sendrecv": "MPI_Sendrecv",
}
# most messages of a schedule; counting them takes a tenth of a second: those of a ring of 128 ranks
MOST_COUNTED_MESSAGES = 1 << 15
_MEDIAN = "median of "
_OTHER_RATIO = (
    "That ratio is the median of the ratios of rounds, each of which timed both algorithms. The ratio of two times in "
    "a table can differ, as load and slow iterations change each of these alone."
)
MOST_RANGES = 4  # most ranges in a readable sentence


class SizeRange(NamedTuple):
    """A part of a sweep, both ends included."""

    min_bytes: int
    max_bytes: int

    def of(self, sizes_bytes: Iterable[int]) -> list[int]:
        """Return the sizes in the range."""
        return [size for size in sizes_bytes if self.min_bytes <= size <= self.max_bytes]


EVERY_SIZE = SizeRange(0, MAX_MESSAGE_BYTES)


def verdict(comparison: SweepComparison, between: SizeRange = EVERY_SIZE) -> str:
    """Say which algorithm wins at which sizes, and by how much at the compared size; empty without rows.

    An algorithm wins only if the 95 % intervals exclude every other result. "No clear winner" is a possible answer, and
    a ratio that is not significant is not stated. The result in place is stated separately if it differs. A verdict on
    a part of the sizes keeps the correction for all of them, because whoever chooses the part may have seen the result.
    """
    if comparison.wrong:
        return f"Wrong results: {comparison.wrong} elements differ from the exact answer."
    sizes = between.of(comparison.sizes())
    size_bytes = reference_bytes(sizes)
    points = comparison.at(size_bytes, in_place=False)
    if not points:
        return ""
    if len(points) == 1:
        return _only(comparison, sizes, size_bytes)
    if reason := _why_none_wins(points, comparison):
        return reason
    winners = Winners(comparison)
    out, inside = (winners.ranges(in_place, sizes) for in_place in (False, True))
    differs = bool(inside) and _outline(inside) != _outline(out)
    # Calls that send nothing have no ranges.
    sentences = [] if not out or len(sizes) == 1 else [_headed(out, differs, between)]
    sentences.append(_margin(points, size_bytes, comparison, winners))
    if differs:
        sentences.append(f"In place: {_ranges(inside)}.")
    return " ".join([*sentences, *_other_mean(points, size_bytes, winners)])


def ranges(comparison: SweepComparison, winners: Winners) -> list[Range]:
    """Return the ranges of sizes out of place that the verdict's first sentence is made of; none if it compares
    nothing.
    """
    return winners.ranges(in_place=False) if _can_win(comparison) else []


def fastest(comparison: SweepComparison, between: SizeRange = EVERY_SIZE) -> dict[int, list[str]]:
    """Return by size the algorithms out of place that no other one clearly beats, where several were timed.

    A single one is the clear winner, several tie. It is empty if the verdict compares nothing.
    """
    winners = Winners(comparison)
    sizes = between.of(comparison.sizes()) if _can_win(comparison) else []
    return {size: winners.at(size, in_place=False) for size in sizes if len(comparison.at(size, in_place=False)) > 1}


def _can_win(comparison: SweepComparison) -> bool:
    points = comparison.at(reference_bytes(comparison.sizes()), in_place=False)
    return not comparison.wrong and len(points) > 1 and not _why_none_wins(points, comparison)


def _why_none_wins(points: dict[str, Point], comparison: SweepComparison) -> str:
    """Say why these points cannot be compared; empty if they can."""
    short = [point.iterations // point.cycles for point in points.values() if point.cycles < FEWEST_CYCLES]
    fewest = min(short, default=FEWEST_ITERATIONS)
    if fewest < FEWEST_ITERATIONS and not _is_simulated(comparison):
        return f"No winner: a comparison needs at least {FEWEST_ITERATIONS} iterations of each, and there are {fewest}."
    if any(point.error is None for point in points.values()):
        return "An earlier version measured these rows and stored no confidence intervals: no winner."
    return ""


def _only(comparison: SweepComparison, sizes: Iterable[int], size_bytes: int) -> str:
    """Say what a single algorithm reaches at its best size, as nothing is compared at ``size_bytes``."""
    known = [(size, comparison.at(size, in_place=False)) for size in sizes]
    only = {size: next(iter(points.items())) for size, points in known if len(points) == 1}
    size_bytes = max(only, key=lambda size: (only[size][1].busbw_gb_per_s, size == size_bytes))
    name, point = only[size_bytes]
    simulated = f" ({SIMULATED})" if _is_simulated(comparison) else ""
    if not point.busbw_gb_per_s:  # there is one rank, or nothing is sent
        return f"At {format_size(size_bytes)} {name} takes {format_duration(point.time_us / 1e6)}{simulated}."
    return f"At {format_size(size_bytes)} {name} reaches {point.busbw_gb_per_s:.3g} GB/s bus bandwidth{simulated}."


def _outline(found: list[Range]) -> list[tuple[int, set[str]]]:
    """Return the first size of each range, with its winners."""
    return [(each.sizes[0], set(each.winners)) for each in found]


def _headed(found: list[Range], differs: bool, between: SizeRange) -> str:
    """Write "Fastest: direct up to 4 MiB, ring above."; "Fastest or tied" if not each range has one clear winner.

    A tie means that no other algorithm was measurably faster. The head names the placement if the result in place
    ``differs``, and the sizes if they are only a part.
    """
    place = " out of place" if differs else ""
    first, last = found[0].sizes[0], found[-1].sizes[-1]
    part = "" if between == EVERY_SIZE else f" from {format_size(first)} to {format_size(last)}"
    is_named = len(found) == 1 and bool(part)
    if all(len(each.winners) > 1 for each in found):
        names = (
            "" if len(found) > MOST_RANGES else f": {_ranges(found) if len(found) > 1 else _either(found[0].winners)}"
        )
        return f"No clear winner{part or ' at any size'}{place}{names}."
    head = "Fastest" if all(each.is_fastest for each in found) else "Fastest or tied"
    return f"{head}{part}{place}: {_either(found[0].winners) if is_named else _ranges(found)}."


def _ranges(found: list[Range]) -> str:
    """Write "direct up to 4 MiB, ring or mpi above"; counts of sizes where there are too many ranges to read."""
    if len(found) == 1:
        return f"{_either(found[0].winners)} {_where(found[0])}"
    if len(found) > MOST_RANGES:
        return _counted_sizes(found)
    *before, last = found
    parts = [f"{_either(each.winners)} up to {format_size(each.sizes[-1])}" for each in before]
    return ", ".join([*parts, f"{_either(last.winners)} above"])


def _where(only: Range) -> str:
    return f"at {format_size(only.sizes[0])}" if len(only.sizes) == 1 else "at every size"


def _counted_sizes(found: list[Range]) -> str:
    """Write "ring at 5 of 14 sizes, direct at 3; no clear winner at 6"; sizes where it is level count as well."""
    counts: dict[str, int] = {}
    unclear = 0
    for each in found:
        if len(each.winners) == 1:
            counts[each.winners[0]] = counts.get(each.winners[0], 0) + len(each.sizes)
        else:
            unclear += len(each.sizes)
    if not counts:
        return "no clear winner at any size"
    (first, most), *rest = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{first} at {most} of {sum(counts.values()) + unclear} sizes"]
    parts += [f"{name} at {count}" for name, count in rest]
    return ", ".join(parts) + (f"; no clear winner at {unclear}" if unclear else "")


def _either(names: Sequence[str]) -> str:
    """Write "ring, direct or mpi"."""
    *before, last = names
    return f"{', '.join(before)} or {last}" if before else last


def _margin(points: dict[str, Point], size_bytes: int, comparison: SweepComparison, winners: Winners) -> str:
    """Say how much faster the winner is than the library, or than the next algorithm, with the interval."""
    at = f"At {format_size(size_bytes)}"
    winner, rival = _pair(points)
    ratio = points[winner].against(points[rival])
    if not winners.is_clear(Win(size_bytes, False, winner, rival)):
        if _is_simulated(comparison):  # exact times
            return f"{at} {winner} and {rival} take the same time ({SIMULATED})."
        return f"{at} {winner} and {rival} cannot be distinguished."
    statistic = f"{_MEDIAN}{plural(ratio.rounds, 'round')}" if ratio.rounds else "ratio of means"
    basis = SIMULATED if _is_simulated(comparison) else f"{statistic}; {_interval(ratio)}"
    return f"{at} {winner} is {_digits(ratio.value)} times as fast as {rival} ({basis})."


def about_ratio(said: str) -> str:
    """Say why the ratio in a verdict differs from that of two times in a table; empty if it states no such ratio."""
    return _OTHER_RATIO if _MEDIAN in said else ""


def _interval(ratio: Ratio) -> str:
    """Write "95 %: 4.21 to 4.55"."""
    return f"95 %: {_digits(ratio.low)} to {_digits(ratio.high)}"


def _other_mean(points: dict[str, Point], size_bytes: int, winners: Winners) -> Iterator[str]:
    """Say so if another algorithm has a lower mean than the one that clearly beats it."""
    fastest = next(iter(points))
    lowest = min(points, key=lambda name: points[name].time_us)
    if winners.is_clear(Win(size_bytes, False, fastest, lowest)):
        yield (
            f"The mean, nccl-tests' number, is lowest for {lowest}: "
            "a few slow iterations raise a mean but not the typical time."
        )


def _pair(points: dict[str, Point]) -> tuple[str, str]:
    """Return the fastest, and its rival: a library if there is one, otherwise the next algorithm."""
    winner, *rest = points
    return winner, next((name for name in rest if name in VENDORS), rest[0])


def _digits(value: float | None) -> str:
    """Return two decimals where a ratio is near to 1, else three digits at most, with an exponent only from 1e6 on."""
    assert value is not None
    if value < 2:
        return f"{value:.2f}"
    return f"{float(f'{value:.3g}'):g}" if value < 1e6 else f"{value:.0e}"


def _is_simulated(comparison: SweepComparison) -> bool:
    return any(curve.transport == SIMULATED for curve in comparison.curves)


def explanation(comparison: SweepComparison, between: SizeRange = EVERY_SIZE) -> str:
    """Compare what the winner sends, and over how many hops, with our next algorithm: counted in the schedules.

    It states the difference, not that it is the cause. Without a clear winner it states the reason for that. It is
    empty with wrong elements, with too many messages to count, for ``hierarchical``, whose schedule depends on the
    nodes, and for a simulation, whose schedules use as many channels as its nodes have cards: `ringscope plan` counts
    those.
    """
    size_bytes = reference_bytes(between.of(comparison.sizes()))
    points = comparison.at(size_bytes, in_place=False)
    if len(points) < 2 or comparison.wrong:
        return ""
    if len(tied := Winners(comparison).at(size_bytes, in_place=False)) > 1:
        return _doubt(tied, points, size_bytes, comparison)
    winner, *rest = points
    ours = SCHEDULED[comparison.collective]
    rival = next((name for name in rest if name in ours), rest[0])
    library = next((name for name in (winner, rival) if name not in ours), None)
    unknown = f"{_name(library, comparison)} chooses its algorithm itself." if library else ""
    if library == winner:
        return unknown
    if "hierarchical" in (winner, rival) or _is_simulated(comparison):
        return ""
    if any(
        _messages(name, points[name], comparison) > MOST_COUNTED_MESSAGES for name in (winner, rival) if name in ours
    ):
        return ""
    mine = _effort(winner, points[winner], comparison)
    at = f"At {format_size(size_bytes)} {winner}"
    sends = f"{at} sends at most {mine.bytes(size_bytes)} from a rank, over {mine.way}"
    if library:
        return f"{sends}; {unknown}"
    theirs = _effort(rival, points[rival], comparison)
    if mine == theirs:
        return f"{sends}, and so does {rival}: these counts do not distinguish them."
    much = "as much" if mine.elements == theirs.elements else theirs.bytes(size_bytes)
    counts = f"{sends}; {rival} {much}, over {theirs.way}."
    if theirs.elements <= mine.elements and theirs.hops <= mine.hops:
        counts += f" By these counts {rival} should be faster: look at the spread of the times."
    return counts


def _doubt(tied: list[str], points: dict[str, Point], size_bytes: int, comparison: SweepComparison) -> str:
    """Say how each unbeaten algorithm compares with the fastest one; empty for times that have no interval."""
    fastest, *others = tied
    ratios = {name: points[fastest].against(points[name]) for name in others}
    if _is_simulated(comparison) or any(ratio.low is None for ratio in ratios.values()):
        return ""
    times = ", ".join(
        f"{name} takes {_digits(ratio.value)} times as long as {fastest} "
        f"({'median' if ratio.rounds else 'ratio of means'}; {_interval(ratio)})"
        for name, ratio in ratios.items()
    )
    hope = "More iterations would narrow the interval."
    if are_the_same(tied, comparison.ranks, comparison.collective):
        hope = f"With {plural(comparison.ranks, 'rank')} they send the same messages: expect no difference."
    return f"At {format_size(size_bytes)} {times}. {hope}"


class _Effort(NamedTuple):
    """Elements that the busiest rank sends, and the length of the critical path: hops that each wait for the
    previous one.
    """

    elements: int
    hops: int
    total: int  # in elements of the message

    def bytes(self, size_bytes: int) -> str:
        """Format the bytes in a message of that size."""
        return format_size(self.elements * size_bytes // self.total)

    @property
    def way(self) -> str:
        """Format the number of hops."""
        return plural(self.hops, "hop")


def _effort(algorithm: str, point: Point, comparison: SweepComparison) -> _Effort:
    return _counted(algorithm, comparison.ranks, _total(point, comparison), comparison.collective)


def _messages(algorithm: str, point: Point, comparison: SweepComparison) -> int:
    """Estimate the number of messages of a schedule without building it."""
    return message_count(algorithm, comparison.ranks, _total(point, comparison), collective=comparison.collective)


def _total(point: Point, comparison: SweepComparison) -> int:
    return total_elements(comparison.collective, point.elements, comparison.ranks)


@lru_cache(maxsize=256)
def _counted(algorithm: str, ranks: int, total: int, collective: str) -> _Effort:
    schedule = build(algorithm, ranks, total, collective=collective)
    return _Effort(max(schedule.elements_sent()), schedule.hops(), total)


def _name(algorithm: str, comparison: SweepComparison) -> str:
    return VENDOR_NAMES[comparison.collective] if algorithm == "mpi" else algorithm
