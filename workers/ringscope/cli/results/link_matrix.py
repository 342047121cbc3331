"""The links between nodes as a matrix of bandwidths and one of latencies, and the slowest pairs in a sentence each."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from ringscope.cli.console import say
from ringscope.client import Diagnosis
from ringscope.client.views.diagnoses import Pair
from ringscope.contracts.diagnosis.record import with_rail

_SLOWEST = 3
_SLOW = 0.9  # share of the median; anything above needs no sentence


class Way(NamedTuple):
    """The newest rate from one node to another, in bytes per second; ``rail`` is None for nodes as wholes."""

    source: str
    destination: str
    low: float
    high: float
    rail: int | None = None

    @property
    def centre(self) -> float:
        """Return the middle of the interval."""
        return (self.low + self.high) / 2

    @property
    def ends(self) -> str:
        """Return both ends in words."""
        return f"{with_rail(self.source, self.rail)} to {with_rail(self.destination, self.rail)}"


def print_links(found: Diagnosis) -> None:
    """Print the matrices, the slowest pairs and the verdict; the two rates first if there are two nodes.

    Of nodes with rails a cell has the slowest rail, and the number of this rail.
    """
    pairs = _newest(found.pairs)
    ways = list(_ways(pairs))
    if not ways:
        say("No pair was measured.")
        return
    if len(found.nodes) == 2:
        _print_pair(found, pairs, ways)
        return
    unit, per_unit = _unit(ways)
    is_per_rail = any(pair.rail is not None for pair in pairs)
    slowest_rail = (
        f" of the slowest of {len({pair.rail for pair in pairs})} rails, with its number" if is_per_rail else ""
    )
    hung = _hung(pairs)
    together = ", both ways at the same time" if found.both_ways else ""
    say(f"{unit}{slowest_rail}; each row sends to the columns{together}.")
    in_order = sorted(ways, key=lambda way: way.centre, reverse=True)
    rates = {(way.source, way.destination): _cell(way.centre / per_unit, way.rail) for way in in_order}
    _print_matrix(found.nodes, rates | hung)
    say()
    say(f"Latency in us{slowest_rail}.")
    timed = sorted((pair for pair in pairs if pair.latency_us is not None), key=lambda pair: pair.latency_us or 0)
    latencies = {ends: _cell(pair.latency_us or 0, pair.rail) for pair in timed for ends in _both(pair)}
    _print_matrix(found.nodes, latencies | hung)
    say()
    for sentence in slowest(ways):
        say(sentence)
    say(found.sentence)


def _print_pair(found: Diagnosis, pairs: Sequence[Pair], ways: Sequence[Way]) -> None:
    unit, per_unit = _unit(ways)
    for way in ways:
        interval = f"{way.low / per_unit:.3g} to {way.high / per_unit:.3g}"
        say(f"{way.ends}: {way.centre / per_unit:.3g} {unit} ({interval})")
    for pair in pairs:
        if pair.latency_us is not None:
            say(f"{with_rail('latency', pair.rail)}: {pair.latency_us:.3g} us")
        elif pair.ending != "measured" and pair.rail is not None:
            say(f"{with_rail(pair.nodes[0], pair.rail)} and {with_rail(pair.nodes[1], pair.rail)}: {pair.ending}")
    say(found.sentence)


def slowest(ways: Sequence[Way]) -> list[str]:
    """Return a sentence for each of the slowest directions that are slower than most."""
    unit, per_unit = _unit(ways)
    usual = median(way.centre for way in ways)
    slow = [way for way in sorted(ways, key=lambda way: way.centre) if way.high < _SLOW * usual]
    if not slow:
        return [f"No pair is slower than 90% of the median, {usual / per_unit:.3g} {unit}."]
    told = [
        f"{way.ends} reaches {way.centre / per_unit:.3g} {unit} "
        f"({way.low / per_unit:.3g} to {way.high / per_unit:.3g}), {way.centre / usual:.0%} of the median."
        for way in slow[:_SLOWEST]
    ]
    more = len(slow) - _SLOWEST
    return told + ([f"{more} more are slower than 90% of the median."] if more > 0 else [])


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _newest(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the newest measurement of each pair, or of each of its rails; nodes that were cut off have no rail."""
    newest: dict[tuple[frozenset[str], int | None], Pair] = {}
    for pair in pairs:
        nodes = frozenset(pair.nodes)
        if pair.rail is not None:
            newest.pop((nodes, None), None)
        newest[nodes, pair.rail] = pair
    return list(newest.values())


def _ways(pairs: Iterable[Pair]) -> Iterator[Way]:
    for pair in pairs:
        first, second = pair.nodes
        if pair.there is not None and pair.back is not None:
            yield Way(first, second, pair.there.low, pair.there.high, pair.rail)
            yield Way(second, first, pair.back.low, pair.back.high, pair.rail)


def _both(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    first, second = pair.nodes
    return (first, second), (second, first)


def _hung(pairs: Iterable[Pair]) -> dict[tuple[str, str], str]:
    """Return the cells of pairs that hung or died, and were not measured later."""
    hung = [pair for pair in pairs if pair.ending != "measured"]
    return {ends: "hangs" if pair.rail is None else f"hangs r{pair.rail}" for pair in hung for ends in _both(pair)}


def _cell(value: float, rail: int | None) -> str:
    return f"{value:.3g}" if rail is None else f"{value:.3g} r{rail}"


def _unit(ways: Iterable[Way]) -> tuple[str, float]:
    fastest = max(way.high for way in ways)
    return ("GB/s", 1e9) if fastest >= 1e9 else ("MB/s", 1e6)


def _print_matrix(nodes: Sequence[str], cells: dict[tuple[str, str], str]) -> None:
    first = max(map(len, nodes))
    width = max(first, *(len(cell) for cell in cells.values()), len("hangs")) if cells else first
    say(" " * first + "".join(f"  {node:>{width}}" for node in nodes))
    for row in nodes:
        line = ["-" if row == column else cells.get((row, column), "") for column in nodes]
        say(f"{row:<{first}}" + "".join(f"  {cell:>{width}}" for cell in line))
