"""`ringscope diff`: what it compares, and what it says about it."""

import json
from typing import Any

import pytest
from tests.cli.fake_api import FakeApi, items, job


def row(size_bytes: int, time_us: float, cv_percent: float = 3.0, **fields: Any) -> dict[str, Any]:
    usual = {
        "id": size_bytes,
        "collective": "all_reduce",
        "algorithm": "ring",
        "transport": "mpi",
        "in_place": False,
        "cycle": 0,
        "size_bytes": size_bytes,
        "count": 2,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "iterations": 20,
        "time_us": time_us,
        "algbw_gb_per_s": 1.0,
        "busbw_gb_per_s": 1.0,
        "wrong": 0,
        "stdev_us": 0.1,
        "cv_percent": cv_percent,
        "measured_at": "2026-01-02T03:04:05Z",
    }
    times = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
    return usual | times | fields


def surely(size_bytes: int, time_us: float) -> dict[str, Any]:
    error = 0.014 * time_us
    return row(size_bytes, time_us, time_low_us=time_us - error, time_high_us=time_us + error)


def environment(mpi: str) -> dict[str, Any]:
    return {"items": [{"attempt": 1, "nodes": [{"host": "n1", "ranks": [0, 1], "versions": {"mpi": mpi}}]}]}


@pytest.fixture
def two_jobs(api: FakeApi) -> FakeApi:
    attempts = {name: [{"number": 1, "nodes": [name]}] for name in ("n1", "n2")}
    api.answers |= {
        "GET /jobs/1": job(1, state="succeeded", attempts=attempts["n1"], spec={"placement": {"ranks": 2}}),
        "GET /jobs/2": job(2, state="succeeded", attempts=attempts["n2"], spec={"placement": {"ranks": 4}}),
        "GET /jobs/1/measurements": items(row(8, 10.0), surely(1024, 100.0), row(2048, 1.0)),
        "GET /jobs/2/measurements": items(row(8, 10.1), surely(1024, 50.0)),
        "GET /jobs/1/environment": environment("5.0"),
        "GET /jobs/2/environment": environment("5.1"),
    }
    return api


def test_differences_and_rows_side_by_side(two_jobs: FakeApi) -> None:
    done = two_jobs.run("diff", "1", "2")
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[:4] == [
        ["DIFFERS", "A=1", "B=2"],
        ["placement.ranks", "2", "4"],
        ["nodes", "n1", "n2"],
        ["versions.mpi", "5.0", "5.1"],
    ]
    assert "size and place: 2 (of 3 in job 1, 2 in job 2)" in done.out
    assert lines[7] == ["ALGORITHM", "SIZE", "PLACE", "A=1", "us", "B=2", "us", "B/A", "95", "%"]
    assert lines[8] == ["ring", "8", "B", "out", "of", "place", "10.00", "10.10", "1.010", "-"]
    assert lines[9] == [
        "ring",
        "1",
        "KiB",
        "out",
        "of",
        "place",
        "100.00",
        "50.00",
        "0.500",
        "0.490",
        "to",
        "0.510",
        "*",
    ]
    assert done.out.splitlines()[-1] == "* beyond the noise: 1 of 2 rows; B is faster in 1, slower in 0."


def test_what_should_not_be_compared_is_said(two_jobs: FakeApi) -> None:
    summary = {"kind": "benchmark", "best": [], "wrong": 0, "verdict": "", "ranks": 4, "cores": 2}
    attempts = [{"number": 1, "nodes": ["n1"], "disturbed_by": "It shared node n1 with job 3."}]
    two_jobs.answers["GET /jobs/2"] = job(2, state="succeeded", summary=summary, attempts=attempts, spec={})
    said = two_jobs.run("diff", "1", "2").out
    assert "Job 2: 4 ranks on 2 cores: they took turns, which is in every time.\n" in said
    assert "Job 2: It shared node n1 with job 3. So it is no best value" in said
    assert "Job 2 and job 1, the baseline, do not measure the same: " in said
    assert "It had 4 ranks on 2 cores, and the baseline a core for each rank.\n" in said
    cluster = {"benchmark": {"algorithms": ["ring"], "transport": "simulated", "topology": {"shape": "2"}}}
    two_jobs.answers["GET /jobs/2"] = job(2, state="succeeded", attempts=[], spec=cluster)
    said = two_jobs.run("diff", "1", "2").out
    assert "Job 2: SIMULATED: times of the cost model, nothing was measured.\n" in said
    assert "One of them is simulated" in said


def test_json(two_jobs: FakeApi) -> None:
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)
    assert [difference["path"] for difference in told["differences"]] == ["placement.ranks", "nodes", "versions.mpi"]
    assert [(found["size_bytes"], found["is_beyond_noise"]) for found in told["rows"]] == [(8, False), (1024, True)]


def test_a_job_and_itself(two_jobs: FakeApi) -> None:
    done = two_jobs.run("diff", "1", "1")
    assert done.out.startswith("Jobs 1 and 1 do not differ in specification, outcome, nodes or versions.\n")
    assert "* beyond the noise: 0 of 3 rows" in done.out


def test_jobs_without_rows(api: FakeApi) -> None:
    for number in (1, 2):
        api.answers[f"GET /jobs/{number}"] = job(number, spec={})
        api.answers[f"GET /jobs/{number}/measurements"] = items()
        api.answers[f"GET /jobs/{number}/environment"] = {"items": []}
    assert "size and place: 0 (of 0 in job 1, 0 in job 2)" in api.run("diff", "1", "2").out
