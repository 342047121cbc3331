"""The result of a job in a few numbers, stored with the job: for a benchmark; for training see ``training.summary``."""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from ringscope.choice.prediction import some
from ringscope.contracts.job import IMPORTED, StoredKind
from ringscope.contracts.words.devices import SIMULATED
from ringscope.judging.comparison import Point, names
from ringscope.judging.same_messages import same_messages
from ringscope.judging.verdict import explanation, ranges, verdict
from ringscope.judging.winners import Winners
from ringscope_server.jobs.tally import Tally
from ringscope_server.jobs.views import (
    AlgorithmBest,
    BenchmarkSummary,
    ClearWinner,
    SizeBusbw,
    SizesResult,
    TrainingSummary,
)

log = logging.getLogger(__name__)

_Judged = TypeVar("_Judged")

MAX_SIZES = 24  # because it is read with every job of a list


def empty(kind: StoredKind) -> BenchmarkSummary | TrainingSummary:
    """Return the summary of a job without any reports."""
    if kind in ("benchmark", IMPORTED):
        return BenchmarkSummary(best=[], wrong=0, verdict="")
    return TrainingSummary(kind=kind)


def stored(kind: StoredKind, fields: Mapping[str, Any]) -> BenchmarkSummary | TrainingSummary:
    """Return the summary as stored with a job; those of earlier versions do not name their kind."""
    summary = BenchmarkSummary if kind in ("benchmark", IMPORTED) else TrainingSummary
    return summary.model_validate(fields)


def summary_of(tally: Tally) -> BenchmarkSummary:
    """Return the best row of each algorithm, the fastest over sizes, wrong elements over all rows, the verdict."""
    winners, results = _judged(_won, tally, (list[ClearWinner](), list[SizesResult]()))
    fastest_first = sorted(_best(tally), key=lambda best: -best.busbw_gb_per_s)
    points = _points(tally, fastest_first[0]) if fastest_first else {}
    sizes = sorted(points)
    return BenchmarkSummary(
        best=fastest_first,
        sizes=[
            SizeBusbw(size_bytes=size, busbw_gb_per_s=points[size].busbw_gb_per_s, is_unstable=points[size].is_unstable)
            for size in some(sizes, MAX_SIZES)
        ],
        min_size_p99_us=points[sizes[0]].p99_us if sizes else None,
        min_size_iterations=points[sizes[0]].iterations if sizes else None,
        limit_gb_per_s=tally.limit_gb_per_s,
        ranks=tally.ranks,
        cores=tally.cores,
        lowered_max_bytes=tally.lowered_max_bytes,
        wrong=tally.wrong,
        winners=winners,
        results=results,
        same_messages=same_messages(names(tally.curves), tally.ranks, tally.collective),
        verdict=_judged(verdict, tally, ""),
        explanation=_judged(explanation, tally, ""),
    )


def _judged(judge: Callable[[Tally], _Judged], tally: Tally, otherwise: _Judged) -> _Judged:
    """Return the judgement, else ``otherwise``: rows must be stored and jobs must end, whatever the numbers are."""
    try:
        return judge(tally)
    except Exception:
        log.exception("These rows cannot be judged: %s", tally)
        return otherwise


def _best(tally: Tally) -> Iterator[AlgorithmBest]:
    """Return the best row of each algorithm, in or out of place; of equal ones the first reported."""
    for name in names(tally.curves):
        rows = [
            (point, size, curve)
            for curve in tally.curves
            if curve.algorithm == name
            for size, point in curve.points.items()
        ]
        point, size_bytes, curve = max(rows, key=lambda row: row[0].busbw_gb_per_s)
        yield AlgorithmBest(
            algorithm=name,
            transport=curve.transport,
            busbw_gb_per_s=point.busbw_gb_per_s,
            size_bytes=size_bytes,
            in_place=curve.in_place,
            iterations=point.iterations,
            is_unstable=point.is_unstable,
        )


def _won(tally: Tally) -> tuple[list[ClearWinner], list[SizesResult]]:
    """Return the clear winners, out of place before in place, and the result at all sizes out of place.

    An algorithm with wrong elements never wins.
    """
    if tally.wrong:
        return [], []
    winners = Winners(tally)
    clear = [
        ClearWinner(algorithm=each.winners[0], in_place=place, min_bytes=each.sizes[0], max_bytes=each.sizes[-1])
        for place in (False, True)
        for each in winners.fastest(place)
    ]
    results = [
        SizesResult(
            algorithms=each.winners,
            is_fastest=each.is_fastest,
            min_bytes=each.sizes[0],
            max_bytes=each.sizes[-1],
            size_count=len(each.sizes),
        )
        for each in ranges(tally, winners)
    ]
    return clear, results


def _points(tally: Tally, best: AlgorithmBest) -> dict[int, Point]:
    """Return the rows of the same algorithm, in or out of place like its best row, by size."""
    place = best.algorithm, best.in_place
    return next(curve.points for curve in tally.curves if (curve.algorithm, curve.in_place) == place)


def measured_busbw_gb_per_s(fields: Mapping[str, Any]) -> float | None:
    """Return the best bandwidth of a benchmark's stored summary; None if nothing was measured, as in a simulation."""
    best = BenchmarkSummary.model_validate(fields).best
    return max((row.busbw_gb_per_s for row in best if row.transport != SIMULATED), default=None)
