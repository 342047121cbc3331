"""What came out in a few numbers, kept beside the job: of a benchmark; of training see ``training.summary``."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope.bench.verdict import explanation, explanation_of, verdict, verdict_of
from ringscope.choice.prediction import some
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.job import JobKind
from ringscope.contracts.record import Measurement
from ringscope_server.jobs.tally import Tally
from ringscope_server.jobs.views import BenchmarkSummary, SizeBusbw, TrainingSummary

MAX_SIZES = 24  # it is read with every job of a list


def empty(kind: JobKind) -> BenchmarkSummary | TrainingSummary:
    """Of a job of which nothing is told yet."""
    return BenchmarkSummary(best=[], wrong=0, verdict="") if kind == "benchmark" else TrainingSummary(kind=kind)


def stored(kind: JobKind, fields: Mapping[str, Any]) -> BenchmarkSummary | TrainingSummary:
    """As it lies beside a job; those of earlier versions do not name their kind."""
    summary = BenchmarkSummary if kind == "benchmark" else TrainingSummary
    return summary.model_validate(fields)


def summarise(rows: Sequence[Measurement], collective: str, limit_gb_per_s: float | None = None) -> BenchmarkSummary:
    """Best bus bandwidth per algorithm, that of the fastest over sizes, wrong elements over all rows, the verdict.

    Of all rows at once. Who is told them one after the other keeps a tally.
    """
    tally = Tally(limit_gb_per_s=limit_gb_per_s)
    for row_id, row in enumerate(rows):
        tally.add(row_id, row)
    return _summary(tally, verdict(rows, collective), explanation(rows, collective))


def summary_of(tally: Tally, collective: str) -> BenchmarkSummary:
    """The same of what the rows came to, whose middles stand where they should."""
    contenders = tally.middles, tally.wrong, collective
    return _summary(tally, verdict_of(*contenders), explanation_of(*contenders))


def _summary(tally: Tally, verdict: str, explanation: str) -> BenchmarkSummary:
    fastest_first = sorted(tally.best, key=lambda row: -row.busbw_gb_per_s)
    points = tally.points(fastest_first[0].algorithm, fastest_first[0].in_place) if fastest_first else {}
    sizes = sorted(points)
    return BenchmarkSummary(
        best=fastest_first,
        sizes=[
            SizeBusbw(size_bytes=size, busbw_gb_per_s=points[size].busbw_gb_per_s) for size in some(sizes, MAX_SIZES)
        ],
        min_size_p99_us=points[sizes[0]].p99_us if sizes else None,
        limit_gb_per_s=tally.limit_gb_per_s,
        wrong=tally.wrong,
        verdict=verdict,
        explanation=explanation,
    )


def measured_busbw_gb_per_s(summary: BenchmarkSummary) -> float | None:
    """The best; None where nothing was measured, as in a simulation."""
    return max((row.busbw_gb_per_s for row in summary.best if row.transport != SIMULATED), default=None)
