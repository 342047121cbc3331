"""α, β and γ from measured rows, so that the cost model speaks about this machine. Pure.

A schedule's time is a sum over its critical path: messages·α + bytes sent·β + bytes added·γ, where ranks lie on nodes
with an α and a β for the links inside and another pair for those between. Each row is one equation; weighted least
squares on relative errors solves them, robust against the odd disturbed row. The sizes can be cut into regimes with
parameters of their own (see ``ringscope.cost.regimes``); the data choose where, by Schwarz's criterion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import inf, log
from statistics import median
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ringscope.contracts.collectives import SCHEDULED, total_elements
from ringscope.contracts.topology import Link, Topology
from ringscope.cost.regimes import Regime, message_bytes, regime_of
from ringscope.cost.timeline import Work, simulate
from ringscope.schedules.algorithms import build

Array = NDArray[Any]
_ANY_LINK = Link(0.0, 1.0)
_FIRST_GUESS = Regime(inf, 5e-6, 1e-9, 2e-10, 1e-6, 1e-10)
# Of two kinds of links either may be the slower one for short messages, and a wrong guess can hold on to itself.
_GUESSES = (
    _FIRST_GUESS,
    replace(_FIRST_GUESS, latency_s=1e-6, send_s_per_byte=1e-10),
    replace(_FIRST_GUESS, latency_s=1e-6, intra_latency_s=5e-6),
)
_ROUNDS = 12
_USUAL_ERROR = 0.1  # relative errors beyond it count linearly, not squared (Huber)
_MIN_ROWS = 3
_EXACT = 1e-12  # a loss below it counts as none: more parameters cannot be better
_SAME = 1e-6  # columns that differ by less are proportional


class MeasuredRow(Protocol):
    """What a fit reads of a row; ``record.Measurement`` has it."""

    @property
    def collective(self) -> str:
        """A name in ``SCHEDULED``."""

    @property
    def algorithm(self) -> str:
        """One of its algorithms."""

    @property
    def ranks(self) -> int:
        """Ranks that took part."""

    @property
    def size_bytes(self) -> int:
        """Size of the message, as nccl-tests counts it."""

    @property
    def count(self) -> int:
        """Elements, of one part where ranks own parts."""

    @property
    def p50_us(self) -> float:
        """Median time."""


class Nodes(NamedTuple):
    """How ranks lie on nodes. One on each: all links are alike; so they are where all ranks are on one node."""

    ranks_per_node: int = 1
    nics_per_node: int | None = None

    def topology(self, ranks: int) -> Topology:
        """The shape, with links that say nothing; ValueError where the ranks do not fill the nodes."""
        return Topology(ranks, _ANY_LINK, _ANY_LINK, *self)


EACH_ALONE = Nodes()


@dataclass(frozen=True, slots=True)
class Fit:
    """The parameters, and how well they describe the rows that they come from.

    ``rows`` are those that moved something, ``log_ratios`` their ln(model / measured); ``r_squared`` is of ln(time).
    """

    regimes: tuple[Regime, ...]
    rows: tuple[MeasuredRow, ...]
    log_ratios: tuple[float, ...]
    r_squared: float
    nodes: Nodes = EACH_ALONE

    @property
    def median_error(self) -> float:
        """Median of abs(ln(model / measured)); 0.15 means 15 %."""
        return median(map(abs, self.log_ratios))

    def worst(self, count: int) -> list[tuple[MeasuredRow, float]]:
        """The rows that the model misses by most, each with ln(model / measured)."""
        return sorted(zip(self.rows, self.log_ratios, strict=True), key=lambda pair: -abs(pair[1]))[:count]

    def seconds(
        self, algorithm: str, ranks: int, count: int, itemsize_bytes: int, collective: str = "all_reduce"
    ) -> float:
        """The model's time for one call with ``count`` elements in the larger of input and result."""
        call = _Call(collective, algorithm, ranks, count, itemsize_bytes, self.nodes)
        work = _work(call, _FIRST_GUESS)
        for _ in range(_ROUNDS):
            again = _work(call, regime_of(self.regimes, message_bytes(work)))
            if again == work:
                break
            work = again
        return regime_of(self.regimes, message_bytes(work)).seconds(work)

    def error(self, row: MeasuredRow) -> float:
        """ln(model / measured) of a row, also of one that the fit has not seen."""
        call = _call(row, self.nodes)
        return log(
            self.seconds(call.algorithm, call.ranks, call.elements, call.itemsize_bytes, call.collective)
            / (row.p50_us / 1e6)
        )

    def topology(self, ranks: int, message_bytes: float) -> Topology:
        """The machine as messages of this size see it, for the cost model."""
        return regime_of(self.regimes, message_bytes).on(self.nodes.topology(ranks))


def fit(rows: Sequence[MeasuredRow], max_regimes: int = 1, nodes: Nodes = EACH_ALONE) -> Fit:
    """Parameters from the rows' median times.

    All rows must be of algorithms with a schedule, on ranks that lie on ``nodes``, from or to rank 0. Rows that move
    nothing are left out. ValueError with a sentence when there is nothing to learn from.
    """
    unknown = sorted({row.algorithm for row in rows if row.algorithm not in SCHEDULED.get(row.collective, ())})
    if unknown:
        raise ValueError(f"rows: {', '.join(unknown)} has no schedule to price; leave its rows out.")
    useful = [row for row in rows if row.ranks > 1 and row.count and row.p50_us > 0]
    calls = [_call(row, nodes) for row in useful]
    if len(set(calls)) < _MIN_ROWS:
        raise ValueError(
            f"rows: a fit needs {_MIN_ROWS} different sizes, algorithms or numbers of ranks; measure more."
        )
    times_s = np.array([row.p50_us / 1e6 for row in useful])
    has_two_links = nodes.ranks_per_node > 1
    # One regime settles which chains of messages are the critical ones; else cuts would make up for wrong guesses.
    guesses = _GUESSES if has_two_links else _GUESSES[:1]
    tried = [_settled(calls, [_work(call, guess) for call in calls], times_s, 1, has_two_links) for guess in guesses]
    regimes, works = min(tried, key=lambda found: float(np.abs(_log_ratios(found[0], found[1], times_s)).mean()))
    if max_regimes > 1:
        regimes, works = _settled(calls, works, times_s, max_regimes, has_two_links)
    ratios = _log_ratios(regimes, works, times_s)
    spread = float(np.sum((np.log(times_s) - np.log(times_s).mean()) ** 2))
    r_squared = 1 - float(np.sum(ratios**2)) / spread if spread else 1.0
    return Fit(regimes, tuple(useful), tuple(ratios.tolist()), r_squared, nodes)


def held_out(rows: Sequence[MeasuredRow], max_regimes: int = 1, nodes: Nodes = EACH_ALONE) -> tuple[Fit, list[float]]:
    """A fit on every other size, and ln(model / measured) of the rows of the sizes between them."""
    sizes = sorted({row.size_bytes for row in rows})
    seen = set(sizes[::2])
    found = fit([row for row in rows if row.size_bytes in seen], max_regimes, nodes)
    return found, [found.error(row) for row in rows if row.size_bytes not in seen]


class _Call(NamedTuple):
    """What the schedule of a row is made from."""

    collective: str
    algorithm: str
    ranks: int
    elements: int
    itemsize_bytes: int
    nodes: Nodes


def _call(row: MeasuredRow, nodes: Nodes) -> _Call:
    elements = total_elements(row.collective, row.count, row.ranks)
    return _Call(row.collective, row.algorithm, row.ranks, elements, row.size_bytes // elements, nodes)


def _settled(
    calls: Sequence[_Call], works: list[Work], times_s: Array, most: int, has_two_links: bool
) -> tuple[tuple[Regime, ...], list[Work]]:
    """Parameters, and the critical paths that follow from them: they depend on each other."""
    regimes: tuple[Regime, ...] = ()
    for _ in range(_ROUNDS):
        regimes = _regimes(works, times_s, most, has_two_links)
        again = [_work(call, regime_of(regimes, message_bytes(work))) for call, work in zip(calls, works, strict=True)]
        if again == works:
            break
        works = again
    return regimes, works


def _log_ratios(regimes: Sequence[Regime], works: Sequence[Work], times_s: Array) -> Array:
    """ln(model / measured) of each row."""
    model_s = np.array([regime_of(regimes, message_bytes(work)).seconds(work) for work in works])
    return np.asarray(np.log(model_s / times_s))


@lru_cache(maxsize=4096)
def _work(call: _Call, regime: Regime) -> Work:
    shape = call.nodes.topology(call.ranks)
    schedule = build(call.algorithm, call.ranks, call.elements, shape.nodes, call.collective)
    return simulate(schedule, call.itemsize_bytes, regime.on(shape)).critical_path()


def _equation(work: Work, has_two_links: bool) -> tuple[int, ...]:
    """What the parameters are multiplied by: α and β of each kind of link, then γ."""
    if has_two_links:
        return *work.inter, *work.intra, work.reduced_bytes
    return work.messages, work.inter.bytes + work.intra.bytes, work.reduced_bytes


class _Solution(NamedTuple):
    """A regime, what is left of its errors, and how many parameters it has."""

    regime: Regime
    loss: float
    parameters: int


def _regimes(works: Sequence[Work], times_s: Array, most: int, has_two_links: bool) -> tuple[Regime, ...]:
    """The best cut of the sizes into at most ``most`` regimes of three sizes at least: two would fit exactly."""
    equations = np.array([_equation(work, has_two_links) for work in works], float)
    row_sizes = np.array([message_bytes(work) for work in works])
    sizes = sorted(set(row_sizes.tolist()))

    @cache
    def solved(first: int, stop: int) -> _Solution | None:
        here = np.flatnonzero((row_sizes >= sizes[first]) & (row_sizes <= sizes[stop - 1]))
        below_bytes = (sizes[stop - 1] * sizes[stop]) ** 0.5 if stop < len(sizes) else inf
        return _solve(equations[here], times_s[here], below_bytes, has_two_links)

    best: tuple[float, tuple[Regime, ...]] = (inf, ())
    for parts in range(1, most + 1):
        for cuts in combinations(range(_MIN_ROWS, len(sizes) - _MIN_ROWS + 1), parts - 1):
            borders = tuple(pairwise((0, *cuts, len(sizes))))
            if parts > 1 and any(stop - first < _MIN_ROWS for first, stop in borders):
                continue
            found = [solution for first, stop in borders if (solution := solved(first, stop)) is not None]
            if len(found) < parts:
                continue
            loss = sum(solution.loss for solution in found) / len(works)
            parameters = sum(solution.parameters for solution in found) + len(cuts)
            criterion = len(works) * log(max(loss, _EXACT)) + parameters * log(len(works))
            if criterion < best[0]:
                best = criterion, tuple(solution.regime for solution in found)
    if not best[1]:
        raise ValueError(
            "rows: they cannot tell the links inside nodes from those between; measure algorithms or numbers of nodes "
            "that use them differently, such as ring and hierarchical."
        )
    return best[1]


def _solve(equations: Array, times_s: Array, below_bytes: float, has_two_links: bool) -> _Solution | None:
    """Parameters of one regime; None where these rows cannot tell two kinds of links from each other."""
    table = equations / times_s[:, None]
    links = table.shape[1] - 1
    if has_two_links and _rank(table[:, :links]) < links:
        return None
    columns = links + (_rank(table) == links + 1)
    weights = np.ones(len(table))
    solution = np.zeros(columns)
    for _ in range(_ROUNDS):
        solution = _non_negative(table[:, :columns] * weights[:, None], weights)
        errors = np.abs(table[:, :columns] @ solution - 1)
        weights = np.sqrt(np.minimum(1, _USUAL_ERROR / np.maximum(errors, 1e-12)))
    loss = float(np.sum(np.where(errors < _USUAL_ERROR, errors**2, _USUAL_ERROR * (2 * errors - _USUAL_ERROR))))
    latency_s, send_s_per_byte, *intra = solution[:links].tolist()
    adding = float(solution[links]) if columns > links else None
    return _Solution(Regime(below_bytes, latency_s, send_s_per_byte, adding, *intra), loss, columns)


def _rank(table: Array) -> int:
    return int(np.linalg.matrix_rank(table / np.maximum(np.abs(table).max(axis=0), 1e-300), tol=_SAME))


def _non_negative(table: Array, target: Array) -> Array:
    """Least squares without negative parameters; there are so few that every choice of zeros can be tried."""
    width = table.shape[1]
    scale = np.maximum(np.abs(table).max(axis=0), 1e-300)  # seconds and seconds per byte differ by many powers of ten
    free = np.linalg.lstsq(table / scale, target, rcond=None)[0]
    if (free >= 0).all():
        return np.asarray(free / scale)
    best, best_loss = np.zeros(width), float(target @ target)
    for count in range(1, width):
        for chosen in map(list, combinations(range(width), count)):
            scaled = table[:, chosen] / scale[chosen]
            part = np.linalg.lstsq(scaled, target, rcond=None)[0]
            loss = float(np.sum((scaled @ part - target) ** 2))
            if (part >= 0).all() and loss < best_loss:
                best, best_loss = np.zeros(width), loss
                best[chosen] = part / scale[chosen]
    return best
