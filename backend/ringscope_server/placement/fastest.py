"""The nodes whose links among each other were measured fastest: a greedy choice with a bound. Pure.

A collective is as fast as its slowest link, so a set of nodes is rated by the slowest link between any two of them.
A link that nobody measured counts a little less than a usual one: known fast links come first, known slow ones last.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

import numpy as np
import numpy.typing as npt

N = TypeVar("N", bound=Hashable)  # a node: its name, or its number

UNMEASURED_SHARE = 0.9  # the bandwidth of an unmeasured link in medians of the measured ones
_SEEDS = 16  # nodes from which a set is grown; all of them for few candidates
_FEW = 64


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set of nodes.

    Args:
        nodes: their names.
        slowest_gb_per_s: the slowest measured link among them; None if none of their links was measured.
        links: the number of pairs of these nodes, of which ``measured`` were measured.
        bound_gb_per_s: no set of so many candidates has only faster links, as far as they were measured.
    """

    nodes: tuple[str, ...]
    slowest_gb_per_s: float | None
    measured: int
    links: int
    bound_gb_per_s: float | None

    @property
    def sentence(self) -> str:
        """Return why these nodes were chosen."""
        names = " and ".join(filter(None, (", ".join(self.nodes[:-1]), self.nodes[-1])))
        if self.links == 0:
            return f"It runs on {names} alone, within which no link is used."
        if self.slowest_gb_per_s is None:
            return f"No link among {names} was measured, so that they were chosen as by arrangement pack."
        found = f"The slowest measured link among {names} reaches {self.slowest_gb_per_s:.3g} GB/s"
        if self.measured < self.links:
            found += f"; {self.links - self.measured} of their {self.links} links were not measured"
        if self.bound_gb_per_s is None or self.bound_gb_per_s <= self.slowest_gb_per_s * 1.005:
            return f"{found}. No other free nodes have a faster slowest link."
        return f"{found}. Other free nodes could reach {self.bound_gb_per_s:.3g} GB/s at most."


def fastest(candidates: Sequence[N], count: int, rates: Mapping[frozenset[N], float]) -> list[N]:
    """Return so many of the candidates whose slowest link among each other is fastest, as far as a greedy choice finds.

    ``rates`` are bandwidths in GB/s by the two nodes of a link. A set grows from one node by the node whose slowest
    link to it is fastest; the best of several such sets is taken. Of two equal sets the earlier candidates are taken.
    """
    if count >= len(candidates) or count < 1:
        return list(candidates[:count])
    values = _matrix(candidates, rates)
    if count == 1 or values is None:
        return list(candidates[:count])
    best_numbers, best = list(range(count)), -1.0
    for seed in _seeds(values, count):
        chosen, worst = [seed], values[seed].copy()
        worst[seed] = -1.0
        slowest = np.inf
        while len(chosen) < count:
            added = int(worst.argmax())
            slowest = min(slowest, float(worst[added]))
            chosen.append(added)
            np.minimum(worst, values[added], out=worst)
            worst[added] = -1.0
        if slowest > best:
            best_numbers, best = chosen, float(slowest)
    return [candidates[number] for number in sorted(best_numbers)]


def explained(nodes: Sequence[str], candidates: Sequence[str], rates: Mapping[frozenset[str], float]) -> Chosen:
    """Return a set of nodes that was chosen from candidates, with what was measured of its links."""
    pairs = [frozenset((a, b)) for index, a in enumerate(nodes) for b in nodes[:index]]
    known = [rates[pair] for pair in pairs if pair in rates]
    bound = None
    if known and len(nodes) < len(candidates):
        values = _matrix(candidates, rates)
        assert values is not None, "a link was measured"
        bound = _bound(values, len(nodes))
    return Chosen(tuple(nodes), min(known, default=None), len(known), len(pairs), bound)


def _matrix(candidates: Sequence[N], rates: Mapping[frozenset[N], float]) -> npt.NDArray[np.float64] | None:
    """Return the rates of all pairs of candidates, infinite on the diagonal; None if none was measured."""
    number = {name: index for index, name in enumerate(candidates)}
    known = [(pair, rate) for pair, rate in rates.items() if len(pair) == 2 and pair <= number.keys()]
    if not known:
        return None
    size = len(candidates)
    values = np.full((size, size), UNMEASURED_SHARE * median(rates.values()))
    for pair, rate in known:
        first, second = (number[name] for name in pair)
        values[first, second] = values[second, first] = rate
    np.fill_diagonal(values, np.inf)
    return values


def _reach(values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    """Return for each node the slowest of its ``count - 1`` fastest links: no set that holds it is faster than that."""
    found: npt.NDArray[np.float64] = -np.partition(-values, count - 1, axis=1)[:, count - 1]
    return found


def _bound(values: npt.NDArray[np.float64], count: int) -> float:
    """Return what the slowest link of ``count`` nodes reaches at most: so many nodes must reach it."""
    return float(-np.partition(-_reach(values, count), count - 1)[count - 1])


def _seeds(values: npt.NDArray[np.float64], count: int) -> list[int]:
    if len(values) <= _FEW:
        return list(range(len(values)))
    order = np.argsort(-_reach(values, count), kind="stable")
    return [int(number) for number in order[:_SEEDS]]
