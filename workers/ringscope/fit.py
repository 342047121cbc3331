"""α, β and γ from measured rows, so that the cost model speaks about this machine. Pure.

A schedule's time is a sum over its critical path: messages·α + bytes sent·β + bytes added·γ. Each row is one equation;
weighted least squares on relative errors solves them, robust against the odd disturbed row. Real links change their
manners with the message size (eager and rendezvous protocols, caches), so the sizes can be cut into regimes with
parameters of their own, as in parameterised LogP (Kielmann et al. 2000); the data choose where, by Schwarz's criterion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import inf, log
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ringscope.algorithms import SCHEDULES
from ringscope.cost import Work, simulate
from ringscope.topology import Link, Topology, flat

Array = NDArray[Any]
_FIRST_GUESS = Link(5e-6, 1e9), 5e9
_ROUNDS = 8
_USUAL_ERROR = 0.1  # relative errors beyond it count linearly, not squared (Huber)
_MIN_ROWS = 3
_EXACT = 1e-12  # a loss below it counts as none: more parameters cannot be better
_SAME = 1e-6  # columns that differ by less are proportional


class MeasuredRow(Protocol):
    """What a fit reads of a row; ``record.Measurement`` has it."""

    @property
    def algorithm(self) -> str:
        """A name in ``SCHEDULES``."""

    @property
    def ranks(self) -> int:
        """Ranks that took part."""

    @property
    def size_bytes(self) -> int:
        """Size of the message."""

    @property
    def count(self) -> int:
        """Elements of the message."""

    @property
    def p50_us(self) -> float:
        """Median time."""


@dataclass(frozen=True, slots=True)
class Regime:
    """Parameters for messages of less than ``below_bytes``.

    ``reduce_s_per_byte`` is None where the rows cannot tell γ from β (one algorithm always sends and adds in the same
    proportion); adding is then part of β.
    """

    below_bytes: float
    latency_s: float
    send_s_per_byte: float
    reduce_s_per_byte: float | None

    def seconds(self, work: Work) -> float:
        """The time of a critical path."""
        return (
            work.messages * self.latency_s
            + work.sent_bytes * self.send_s_per_byte
            + work.reduced_bytes * (self.reduce_s_per_byte or 0.0)
        )


@dataclass(frozen=True, slots=True)
class Fit:
    """The parameters, and how well they describe the rows that they come from.

    ``log_ratios`` are ln(model / measured) of each row in order; ``r_squared`` is of ln(time).
    """

    regimes: tuple[Regime, ...]
    log_ratios: tuple[float, ...]
    r_squared: float

    @property
    def median_error(self) -> float:
        """Median of abs(ln(model / measured)); 0.15 means 15 %."""
        return median(map(abs, self.log_ratios))

    def seconds(self, algorithm: str, ranks: int, count: int, itemsize_bytes: int) -> float:
        """The model's time for one call."""
        work = _work(algorithm, ranks, count, itemsize_bytes, *_FIRST_GUESS)
        for _ in range(_ROUNDS):
            again = _work(algorithm, ranks, count, itemsize_bytes, *_parameters(_of(self.regimes, work)))
            if again == work:
                break
            work = again
        return _of(self.regimes, work).seconds(work)

    def error(self, row: MeasuredRow) -> float:
        """ln(model / measured) of a row, also of one that the fit has not seen."""
        return log(self.seconds(row.algorithm, row.ranks, row.count, _itemsize(row)) / (row.p50_us / 1e6))

    def topology(self, ranks: int, message_bytes: float) -> Topology:
        """A flat network of the machine as messages of this size see it, for the cost model."""
        regime = next(regime for regime in self.regimes if message_bytes < regime.below_bytes)
        link, reduce_bytes_per_s = _parameters(regime)
        return flat(ranks, link, reduce_bytes_per_s)


def fit(rows: Sequence[MeasuredRow], max_regimes: int = 1) -> Fit:
    """Parameters from the rows' median times.

    All rows must be of algorithms with a schedule, on ranks whose links are alike. Rows that move nothing are left out
    of the parameters. ValueError with a sentence when there is nothing to learn from.
    """
    unknown = sorted({row.algorithm for row in rows} - SCHEDULES.keys())
    if unknown:
        raise ValueError(f"rows: {', '.join(unknown)} has no schedule to price; leave its rows out.")
    useful = [row for row in rows if row.ranks > 1 and row.count and row.p50_us > 0]
    if len({(row.algorithm, row.ranks, row.count) for row in useful}) < _MIN_ROWS:
        raise ValueError(
            f"rows: a fit needs {_MIN_ROWS} different sizes, algorithms or numbers of ranks; measure more."
        )
    regimes: tuple[Regime, ...] = ()
    works = [_work(row.algorithm, row.ranks, row.count, _itemsize(row), *_FIRST_GUESS) for row in useful]
    times_s = np.array([row.p50_us / 1e6 for row in useful])
    for _ in range(_ROUNDS):
        regimes = _regimes(works, times_s, max_regimes)
        # Which chain of messages is the critical one depends on the parameters.
        again = [
            _work(row.algorithm, row.ranks, row.count, _itemsize(row), *_parameters(_of(regimes, work)))
            for row, work in zip(useful, works, strict=True)
        ]
        if again == works:
            break
        works = again
    model_s = np.array([_of(regimes, work).seconds(work) for work in works])
    ratios = np.log(model_s / times_s)
    spread = float(np.sum((np.log(times_s) - np.log(times_s).mean()) ** 2))
    r_squared = 1 - float(np.sum(ratios**2)) / spread if spread else 1.0
    return Fit(regimes, tuple(ratios.tolist()), r_squared)


def held_out(rows: Sequence[MeasuredRow], max_regimes: int = 1) -> tuple[Fit, list[float]]:
    """A fit on every other size, and ln(model / measured) of the rows of the sizes between them."""
    sizes = sorted({row.size_bytes for row in rows})
    seen = set(sizes[::2])
    found = fit([row for row in rows if row.size_bytes in seen], max_regimes)
    return found, [found.error(row) for row in rows if row.size_bytes not in seen]


@lru_cache(maxsize=4096)
def _work(
    algorithm: str, ranks: int, count: int, itemsize_bytes: int, link: Link, reduce_bytes_per_s: float | None
) -> Work:
    schedule = SCHEDULES[algorithm](ranks, count)
    return simulate(schedule, itemsize_bytes, flat(ranks, link, reduce_bytes_per_s)).critical_path()


def _regimes(works: Sequence[Work], times_s: Array, most: int) -> tuple[Regime, ...]:
    """The best cut of the sizes into at most ``most`` regimes of three sizes at least: two would fit exactly."""
    row_sizes = np.array([_message_bytes(work) for work in works])
    sizes = sorted(set(row_sizes.tolist()))

    @cache
    def solved(first: int, stop: int) -> tuple[Regime, float, int]:
        here = np.flatnonzero((row_sizes >= sizes[first]) & (row_sizes <= sizes[stop - 1])).tolist()
        below_bytes = (sizes[stop - 1] * sizes[stop]) ** 0.5 if stop < len(sizes) else inf
        return _solve([works[i] for i in here], times_s[here], below_bytes)

    best: tuple[float, tuple[Regime, ...]] = (inf, ())
    for parts in range(1, most + 1):
        for cuts in combinations(range(_MIN_ROWS, len(sizes) - _MIN_ROWS + 1), parts - 1):
            borders = tuple(pairwise((0, *cuts, len(sizes))))
            if parts > 1 and any(stop - first < _MIN_ROWS for first, stop in borders):
                continue
            found = [solved(first, stop) for first, stop in borders]
            loss = sum(loss for _, loss, _ in found) / len(works)
            parameters = sum(count for *_, count in found) + len(cuts)
            criterion = len(works) * log(max(loss, _EXACT)) + parameters * log(len(works))
            if criterion < best[0]:
                best = criterion, tuple(regime for regime, *_ in found)
    return best[1]


def _solve(works: Sequence[Work], times_s: Array, below_bytes: float) -> tuple[Regime, float, int]:
    """A regime's parameters, what is left of its errors, and how many parameters it has."""
    table = np.array(works, float) / times_s[:, None]
    can_tell_adding = np.linalg.matrix_rank(table / np.maximum(np.abs(table).max(axis=0), 1e-300), tol=_SAME) == 3
    columns = 3 if can_tell_adding else 2
    weights = np.ones(len(works))
    solution = np.zeros(columns)
    for _ in range(_ROUNDS):
        solution = _non_negative(table[:, :columns] * weights[:, None], weights)
        errors = np.abs(table[:, :columns] @ solution - 1)
        weights = np.sqrt(np.minimum(1, _USUAL_ERROR / np.maximum(errors, 1e-12)))
    loss = float(np.sum(np.where(errors < _USUAL_ERROR, errors**2, _USUAL_ERROR * (2 * errors - _USUAL_ERROR))))
    latency_s, send_s_per_byte, *adding = solution.tolist()
    return Regime(below_bytes, latency_s, send_s_per_byte, adding[0] if adding else None), loss, columns


def _non_negative(table: Array, target: Array) -> Array:
    """Least squares without negative parameters; there are so few that every choice of zeros can be tried."""
    width = table.shape[1]
    best, best_loss = np.zeros(width), float(target @ target)
    for count in range(1, width + 1):
        for chosen in map(list, combinations(range(width), count)):
            part = np.linalg.lstsq(table[:, chosen], target, rcond=None)[0]
            loss = float(np.sum((table[:, chosen] @ part - target) ** 2))
            if (part >= 0).all() and loss < best_loss:
                best, best_loss = np.zeros(width), loss
                best[chosen] = part
    return best


def _of(regimes: Sequence[Regime], work: Work) -> Regime:
    return next(regime for regime in regimes if _message_bytes(work) < regime.below_bytes)


def _message_bytes(work: Work) -> float:
    return work.sent_bytes / max(work.messages, 1)


def _parameters(regime: Regime) -> tuple[Link, float | None]:
    """As the cost model takes them; what costs nothing is infinitely fast."""
    send, add = regime.send_s_per_byte, regime.reduce_s_per_byte
    return Link(regime.latency_s, 1 / send if send else inf), 1 / add if add else None


def _itemsize(row: MeasuredRow) -> int:
    return row.size_bytes // row.count
