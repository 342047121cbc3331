"""Reports that tests look at."""

from typing import Any

from tests.expected.runs import HELD_OUT

from ringscope.contracts.words.collectives import bus_factor
from ringscope.expected.facts import Point
from ringscope.expected.own_runs import OwnRuns, judge_by_own_runs
from ringscope.expected.published import published
from ringscope.imports.judged import Given
from ringscope.report.document import FORMAT, LAYOUT, Link, Report, ReportedJob
from ringscope.report.files import reported_file
from ringscope.report.jobs import reported_job

HOSTILE = "</script><script>alert(1)</script><img src=x onerror='a()'>\"&\x1b[31m\u202e]]>"


def row(size: int, time_us: float, algorithm: str = "ring", **more: Any) -> dict[str, Any]:
    algbw = size / (time_us * 1e3)
    told = {
        "collective": "all_reduce",
        "algorithm": algorithm,
        "size_bytes": size,
        "in_place": False,
        "dtype": "float32",
    }
    times = {"time_us": time_us, "time_low_us": time_us * 0.98, "time_high_us": time_us * 1.02}
    rates = {"algbw_gb_per_s": algbw, "busbw_gb_per_s": algbw * bus_factor("all_reduce", 4)}
    return told | times | rates | {"op": "sum", "ranks": 4, "transport": "tcp", "wrong": 0} | more


def benchmark(name: str = "four ranks", rows: list[dict[str, Any]] | None = None, **more: Any) -> ReportedJob:
    """A benchmark whose largest size is slower than its own runs were."""
    rows = rows or [row(1 << 20, 500.0), row(1 << 20, 700.0, "tree"), row(1 << 26, 60_000.0)]
    best: dict[int, float] = {}
    for one in rows:
        if not one["wrong"]:
            best[one["size_bytes"]] = max(best.get(one["size_bytes"], 0.0), one["busbw_gb_per_s"])
    points = [
        (Point(size, False, value, value * 0.98, value * 1.02), OwnRuns(3.0, 2.8, 5)) for size, value in best.items()
    ]
    job = {"id": 7, "name": name, "kind": "benchmark", "state": "succeeded", "note": name, "labels": {name: name}}
    job |= {"spec": {"benchmark": {"collective": "all_reduce"}}, "attempts": [{"nodes": ["n0", "n1"]}], "user": name}
    environment = {"nodes": [{"versions": {"numpy": "2.3", "mpich": "5.0"}}]}
    return reported_job(
        job | more, rows, judge_by_own_runs(points).document(), environment, ["Another job ran beside it."]
    )


def files(*names: str) -> list[ReportedJob]:
    return [
        part
        for name in names or ("h100_1_node.txt", "h100_2_nodes_misconfigured.txt")
        for part in reported_file(name, (HELD_OUT / name).read_bytes(), Given(), published())
    ]


def report(*jobs: ReportedJob) -> Report:
    links = [Link(nodes=("n0", "n1"), busbw_gb_per_s=1.25, size_bytes=1 << 20, job_id=3)]
    return Report(
        format=FORMAT,
        layout=LAYOUT,
        made_at="2026-01-02 03:04:05 UTC",
        program="ringscope 0.1.0",
        jobs=list(jobs) or [benchmark(), *files()],
        links=links,
        unused_nodes=["n9"],
    )
