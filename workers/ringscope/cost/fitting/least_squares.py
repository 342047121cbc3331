"""Find the regimes that describe measured times best, by weighted least squares on relative errors. Pure."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from math import inf, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringscope.cost.fitting.regimes import Regime, message_bytes
from ringscope.cost.timeline import Work

Array = NDArray[Any]
MIN_ROWS = 3
_ROUNDS = 12
_USUAL_ERROR = 0.1  # larger relative errors count linearly, not squared (Huber)
_EXACT = 1e-12  # a smaller loss counts as zero: more parameters cannot be better
_SAME = 1e-6  # columns with a smaller difference count as proportional


def _equation(work: Work, has_two_links: bool) -> tuple[int, ...]:
    """Return the coefficients of the parameters: α and β of each kind of link, then γ."""
    if has_two_links:
        return *work.inter, *work.intra, work.reduced_bytes
    return work.messages, work.inter.bytes + work.intra.bytes, work.reduced_bytes


class _Solution(NamedTuple):
    """A regime, its remaining loss, and its number of parameters."""

    regime: Regime
    loss: float
    parameters: int


def best_regimes(works: Sequence[Work], times_s: Array, most: int, has_two_links: bool) -> tuple[Regime, ...]:
    """Return the best split of the sizes into at most ``most`` regimes of at least three sizes: two would fit
    exactly.
    """
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
        for cuts in combinations(range(MIN_ROWS, len(sizes) - MIN_ROWS + 1), parts - 1):
            borders = tuple(pairwise((0, *cuts, len(sizes))))
            if parts > 1 and any(stop - first < MIN_ROWS for first, stop in borders):
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
            "rows: they do not separate the links inside nodes from those between; measure algorithms or "
            "numbers of nodes that use them differently, such as ring and hierarchical."
        )
    return best[1]


def _solve(equations: Array, times_s: Array, below_bytes: float, has_two_links: bool) -> _Solution | None:
    """Fit the parameters of one regime; None if these rows do not separate two kinds of links."""
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
    """Solve least squares without negative parameters; there are so few that every choice of zeros can be tried."""
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
