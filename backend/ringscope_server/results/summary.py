"""A benchmark in a few numbers, kept beside the job."""

from collections.abc import Sequence

from ringscope.record import Measurement
from ringscope.verdict import verdict
from ringscope_server.jobs.views import AlgorithmBest, BenchmarkSummary

EMPTY = BenchmarkSummary(best=[], wrong=0, verdict="")


def summarise(rows: Sequence[Measurement], collective: str) -> BenchmarkSummary:
    """Best bus bandwidth per algorithm, wrong elements over all rows, and the verdict."""
    best: dict[str, Measurement] = {}
    for row in rows:
        if row.algorithm not in best or row.busbw_gb_per_s > best[row.algorithm].busbw_gb_per_s:
            best[row.algorithm] = row
    fastest_first = sorted(best.values(), key=lambda row: -row.busbw_gb_per_s)
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
        wrong=sum(row.wrong or 0 for row in rows),
        verdict=verdict(rows, collective) if rows else "",
    )
