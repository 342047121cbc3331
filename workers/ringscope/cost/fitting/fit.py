"""Fit α, β and γ to measured rows, so that the cost model describes this machine. Pure.

A schedule's time is a sum over its critical path: messages·α + bytes sent·β + bytes added·γ, with one α and β for the
links inside nodes and another pair for the links between nodes. Each row is one equation; weighted least squares on
relative errors solves them, robust against single disturbed rows. The sizes can be split into regimes with separate
parameters (see ``ringscope.cost.fitting.regimes``); Schwarz's criterion chooses the boundaries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log
from statistics import median

import numpy as np

from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.topology import Topology
from ringscope.cost.fitting.least_squares import MIN_ROWS, Array, best_regimes
from ringscope.cost.fitting.measured_rows import EACH_ALONE, Call, MeasuredRow, Nodes, call_of, work_of
from ringscope.cost.fitting.regimes import Regime, message_bytes, regime_of
from ringscope.cost.timeline import Work

_FIRST_GUESS = Regime(inf, 5e-6, 1e-9, 2e-10, 1e-6, 1e-10)
# Either of two kinds of links may be slower for short messages, and a wrong initial guess can confirm itself.
_GUESSES = (
    _FIRST_GUESS,
    replace(_FIRST_GUESS, latency_s=1e-6, send_s_per_byte=1e-10),
    replace(_FIRST_GUESS, latency_s=1e-6, intra_latency_s=5e-6),
)
_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Fit:
    """The parameters, and how well they describe their rows.

    ``rows`` are the rows that moved data, ``log_ratios`` their ln(model / measured); ``r_squared`` refers to ln(time).
    """

    regimes: tuple[Regime, ...]
    rows: tuple[MeasuredRow, ...]
    log_ratios: tuple[float, ...]
    r_squared: float
    nodes: Nodes = EACH_ALONE

    @property
    def median_error(self) -> float:
        """Return the median of abs(ln(model / measured)); 0.15 means 15 %."""
        return median(map(abs, self.log_ratios))

    def worst(self, count: int) -> list[tuple[MeasuredRow, float]]:
        """Return the rows with the largest errors of the model, each with ln(model / measured)."""
        return sorted(zip(self.rows, self.log_ratios, strict=True), key=lambda pair: -abs(pair[1]))[:count]

    def seconds(
        self, algorithm: str, ranks: int, count: int, itemsize_bytes: int, collective: str = "all_reduce"
    ) -> float:
        """Return the model's time for one call with ``count`` elements in the larger of input and result."""
        call = Call(collective, algorithm, ranks, count, itemsize_bytes, self.nodes)
        work = work_of(call, _FIRST_GUESS)
        for _ in range(_ROUNDS):
            again = work_of(call, regime_of(self.regimes, message_bytes(work)))
            if again == work:
                break
            work = again
        return regime_of(self.regimes, message_bytes(work)).seconds(work)

    def error(self, row: MeasuredRow) -> float:
        """Return ln(model / measured) of a row, which need not be part of the fit."""
        call = call_of(row, self.nodes)
        return log(
            self.seconds(call.algorithm, call.ranks, call.elements, call.itemsize_bytes, call.collective)
            / (row.p50_us / 1e6)
        )

    def topology(self, ranks: int, message_bytes: float) -> Topology:
        """Return the topology for messages of this size, for the cost model."""
        return regime_of(self.regimes, message_bytes).on(self.nodes.topology(ranks))


def fit(rows: Sequence[MeasuredRow], max_regimes: int = 1, nodes: Nodes = EACH_ALONE) -> Fit:
    """Fit parameters to the rows' median times.

    All rows must be of algorithms with a schedule, on ranks placed as in ``nodes``, from or to rank 0. Rows that move
    no data are left out. ValueError with a sentence if the rows are not enough.
    """
    unknown = sorted({row.algorithm for row in rows if row.algorithm not in SCHEDULED.get(row.collective, ())})
    if unknown:
        raise ValueError(f"rows: {', '.join(unknown)} has no schedule to price; leave its rows out.")
    useful = [row for row in rows if row.ranks > 1 and row.count and row.p50_us > 0]
    calls = [call_of(row, nodes) for row in useful]
    if len(set(calls)) < MIN_ROWS:
        raise ValueError(f"rows: a fit needs {MIN_ROWS} different sizes, algorithms or numbers of ranks; measure more.")
    times_s = np.array([row.p50_us / 1e6 for row in useful])
    has_two_links = nodes.ranks_per_node > 1
    # A fit with one regime determines the critical chains of messages first; otherwise boundaries would compensate for
    # wrong guesses.
    guesses = _GUESSES if has_two_links else _GUESSES[:1]
    tried = [_settled(calls, [work_of(call, guess) for call in calls], times_s, 1, has_two_links) for guess in guesses]
    regimes, works = min(tried, key=lambda found: float(np.abs(_log_ratios(found[0], found[1], times_s)).mean()))
    if max_regimes > 1:
        regimes, works = _settled(calls, works, times_s, max_regimes, has_two_links)
    ratios = _log_ratios(regimes, works, times_s)
    spread = float(np.sum((np.log(times_s) - np.log(times_s).mean()) ** 2))
    r_squared = 1 - float(np.sum(ratios**2)) / spread if spread else 1.0
    return Fit(regimes, tuple(useful), tuple(ratios.tolist()), r_squared, nodes)


def held_out(rows: Sequence[MeasuredRow], max_regimes: int = 1, nodes: Nodes = EACH_ALONE) -> tuple[Fit, list[float]]:
    """Cross-validate: fit to every other size, and return ln(model / measured) of the rows of the sizes between
    them.
    """
    sizes = sorted({row.size_bytes for row in rows})
    seen = set(sizes[::2])
    found = fit([row for row in rows if row.size_bytes in seen], max_regimes, nodes)
    return found, [found.error(row) for row in rows if row.size_bytes not in seen]


def _settled(
    calls: Sequence[Call], works: list[Work], times_s: Array, most: int, has_two_links: bool
) -> tuple[tuple[Regime, ...], list[Work]]:
    """Iterate parameters and critical paths, which depend on each other."""
    regimes: tuple[Regime, ...] = ()
    for _ in range(_ROUNDS):
        regimes = best_regimes(works, times_s, most, has_two_links)
        again = [
            work_of(call, regime_of(regimes, message_bytes(work))) for call, work in zip(calls, works, strict=True)
        ]
        if again == works:
            break
        works = again
    return regimes, works


def _log_ratios(regimes: Sequence[Regime], works: Sequence[Work], times_s: Array) -> Array:
    """Return ln(model / measured) of each row."""
    model_s = np.array([regime_of(regimes, message_bytes(work)).seconds(work) for work in works])
    return np.asarray(np.log(model_s / times_s))
