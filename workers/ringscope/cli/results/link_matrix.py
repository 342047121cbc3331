"""The links between nodes as a matrix of bandwidths and one of latencies, and the slowest pairs in a sentence each."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from ringscope.cli.console import say
from ringscope.client import Diagnosis

_SLOWEST = 3
_SLOW = 0.9  # share of the median; anything above needs no sentence


class Way(NamedTuple):
    """The newest rate from one node to another, in bytes per second."""

    source: str
    destination: str
    low: float
    high: float

    @property
    def centre(self) -> float:
        """Return the middle of the interval."""
        return (self.low + self.high) / 2


def print_links(found: Diagnosis) -> None:
    """Print the matrices, the slowest pairs and the verdict; the two rates first if there are two nodes."""
    ways = {(way.source, way.destination): way for way in _ways(found)}
    if not ways:
        say("No pair was measured.")
        return
    if len(found.nodes) == 2:
        _print_pair(found, list(ways.values()))
        return
    unit, per_unit = _unit(ways.values())
    say(f"{unit}; each row sends to the columns{', both ways at the same time' if found.both_ways else ''}.")
    _print_matrix(found.nodes, {pair: f"{way.centre / per_unit:.3g}" for pair, way in ways.items()}, _hung(found))
    say()
    say("Latency in us.")
    latencies = {
        pair: f"{one.latency_us:.3g}"
        for one in found.pairs
        if one.latency_us is not None
        for pair in ((one.nodes[0], one.nodes[1]), (one.nodes[1], one.nodes[0]))
    }
    _print_matrix(found.nodes, latencies, _hung(found))
    say()
    for sentence in slowest(list(ways.values())):
        say(sentence)
    say(found.sentence)


def _print_pair(found: Diagnosis, ways: Sequence[Way]) -> None:
    unit, per_unit = _unit(ways)
    for way in ways:
        interval = f"{way.low / per_unit:.3g} to {way.high / per_unit:.3g}"
        say(f"{way.source} to {way.destination}: {way.centre / per_unit:.3g} {unit} ({interval})")
    for pair in found.pairs[-1:]:
        if pair.latency_us is not None:
            say(f"latency: {pair.latency_us:.3g} us")
    say(found.sentence)


def slowest(ways: Sequence[Way]) -> list[str]:
    """Return a sentence for each of the slowest directions that are slower than most."""
    unit, per_unit = _unit(ways)
    usual = median(way.centre for way in ways)
    slow = [way for way in sorted(ways, key=lambda way: way.centre) if way.high < _SLOW * usual]
    if not slow:
        return [f"No pair is slower than 90% of the median, {usual / per_unit:.3g} {unit}."]
    told = [
        f"{way.source} to {way.destination} reaches {way.centre / per_unit:.3g} {unit} "
        f"({way.low / per_unit:.3g} to {way.high / per_unit:.3g}), {way.centre / usual:.0%} of the median."
        for way in slow[:_SLOWEST]
    ]
    more = len(slow) - _SLOWEST
    return told + ([f"{more} more are slower than 90% of the median."] if more > 0 else [])


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _ways(found: Diagnosis) -> Iterator[Way]:
    for pair in found.pairs:
        first, second = pair.nodes
        if pair.there is not None and pair.back is not None:
            yield Way(first, second, pair.there.low, pair.there.high)
            yield Way(second, first, pair.back.low, pair.back.high)


def _hung(found: Diagnosis) -> set[frozenset[str]]:
    return {frozenset(pair.nodes) for pair in found.pairs if pair.ending != "measured"}


def _unit(ways: Iterable[Way]) -> tuple[str, float]:
    fastest = max(way.high for way in ways)
    return ("GB/s", 1e9) if fastest >= 1e9 else ("MB/s", 1e6)


def _print_matrix(nodes: Sequence[str], cells: dict[tuple[str, str], str], hung: set[frozenset[str]]) -> None:
    first = max(map(len, nodes))
    width = max(first, *(len(cell) for cell in cells.values()), len("hangs")) if cells else first
    say(" " * first + "".join(f"  {node:>{width}}" for node in nodes))
    for row in nodes:
        line = [_cell(row, column, cells, hung) for column in nodes]
        say(f"{row:<{first}}" + "".join(f"  {cell:>{width}}" for cell in line))


def _cell(row: str, column: str, cells: dict[tuple[str, str], str], hung: set[frozenset[str]]) -> str:
    if row == column:
        return "-"
    return cells.get((row, column), "hangs" if frozenset((row, column)) in hung else "")
