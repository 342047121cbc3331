"""What came out in a few numbers, kept beside the job: of a benchmark; of training see ``training.summary``."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope.bench.verdict import explanation, verdict
from ringscope.choice.prediction import some
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.job import JobKind
from ringscope.contracts.record import Measurement
from ringscope_server.jobs.views import AlgorithmBest, BenchmarkSummary, SizeBusbw, TrainingSummary

MAX_SIZES = 24  # it is read with every job of a list


def empty(kind: JobKind) -> BenchmarkSummary | TrainingSummary:
    """Of a job of which nothing is told yet."""
    return BenchmarkSummary(best=[], wrong=0, verdict="") if kind == "benchmark" else TrainingSummary(kind=kind)


def stored(kind: JobKind, fields: Mapping[str, Any]) -> BenchmarkSummary | TrainingSummary:
    """As it lies beside a job; those of earlier versions do not name their kind."""
    summary = BenchmarkSummary if kind == "benchmark" else TrainingSummary
    return summary.model_validate(fields)


def summarise(rows: Sequence[Measurement], collective: str, limit_gb_per_s: float | None = None) -> BenchmarkSummary:
    """Best bus bandwidth per algorithm, that of the fastest over sizes, wrong elements over all rows, the verdict."""
    best: dict[str, Measurement] = {}
    for row in rows:
        if row.algorithm not in best or row.busbw_gb_per_s > best[row.algorithm].busbw_gb_per_s:
            best[row.algorithm] = row
    fastest_first = sorted(best.values(), key=lambda row: -row.busbw_gb_per_s)
    of_fastest = [
        row for row in rows if (row.algorithm, row.in_place) == (fastest_first[0].algorithm, fastest_first[0].in_place)
    ]
    smallest_bytes = min((row.size_bytes for row in of_fastest), default=0)
    return BenchmarkSummary(
        best=[
            AlgorithmBest(
                algorithm=row.algorithm,
                transport=row.transport,
                busbw_gb_per_s=row.busbw_gb_per_s,
                size_bytes=row.size_bytes,
                in_place=row.in_place,
            )
            for row in fastest_first
        ],
        sizes=_over_sizes(of_fastest),
        min_size_p99_us=max((row.p99_us for row in of_fastest if row.size_bytes == smallest_bytes), default=None),
        limit_gb_per_s=limit_gb_per_s,
        wrong=sum(row.wrong or 0 for row in rows),
        verdict=verdict(rows, collective) if rows else "",
        explanation=explanation(rows, collective),
    )


def measured_busbw_gb_per_s(summary: BenchmarkSummary) -> float | None:
    """The best; None where nothing was measured, as in a simulation."""
    return max((row.busbw_gb_per_s for row in summary.best if row.transport != SIMULATED), default=None)


def _over_sizes(rows: Sequence[Measurement]) -> list[SizeBusbw]:
    best: dict[int, float] = {}
    for row in rows:
        best[row.size_bytes] = max(best.get(row.size_bytes, 0.0), row.busbw_gb_per_s)
    sizes = some(sorted(best), MAX_SIZES)
    return [SizeBusbw(size_bytes=size, busbw_gb_per_s=best[size]) for size in sizes]
