"""`ringscope report JOB` with the answers of a server."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Server
from tests.cli.fake_api import Answer, FakeApi, job
from tests.expected.runs import HELD_OUT
from tests.report.parts import HOSTILE, benchmark, row

from ringscope.client import Client

NODE = {"labels": {}, "slots": 4}


@pytest.fixture(autouse=True)
def _own_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RINGSCOPE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def measurement(size: int, time_us: float) -> dict[str, Any]:
    spread = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
    more = {"cycle": 0, "count": size // 4, "iterations": 20, "stdev_us": 0.0, "cv_percent": 0.0}
    chosen = {"chosen_algorithm": None, "chosen_because": None, "measured_at": "2026-01-01T00:00:00Z"}
    return row(size, time_us) | spread | more | chosen


@pytest.fixture
def measured(api: FakeApi) -> FakeApi:
    rows = [measurement(1 << 20, 500.0), measurement(1 << 26, 60_000.0)]
    spec = {"kind": "benchmark", "benchmark": {"algorithms": ["ring"]}, "placement": {"ranks": 4}}
    attempts = [{"number": 1, "nodes": ["n0", "n1"], "disturbed_by": "Job 3 ran on the same node."}]
    api.answers["GET /jobs/7"] = job(7, name=HOSTILE, state="succeeded", spec=spec, attempts=attempts)
    api.answers["GET /jobs/7/measurements"] = {"items": rows, "next_cursor": None}
    api.answers["GET /jobs/7/environment"] = {"items": [], "next_cursor": None}
    api.answers["GET /jobs/7/judgement"] = benchmark(rows=rows).judgement
    link = {
        "nodes": ["n0", "n1"],
        "busbw_gb_per_s": 1.25,
        "size_bytes": 1 << 20,
        "algorithm": "ring",
        "transport": "tcp",
    }
    link |= {"job_id": 3, "measured_at": "2026-01-01T00:00:00Z"}
    api.answers["GET /links"] = {"items": [link], "next_cursor": None}
    api.answers["GET /nodes"] = {"items": [], "next_cursor": None}
    return api


def test_a_job_is_written_and_verified(measured: FakeApi) -> None:
    done = measured.run("report", "7", "-o", "a.html", "--junit", "a.xml")
    assert (done.code, done.out, done.err) == (0, "Wrote a.html.\nWrote a.xml.\n", "")
    page = Path("a.html").read_text()
    for part in ("Job 3 ran on the same node. It comes after undisturbed jobs", ">1.25<", ">low<"):
        assert part in page, part
    assert page.count("<script") == 1
    done = measured.run("report", "--verify", "a.html")
    assert (done.code, done.err) == (0, ""), done.out


def test_a_job_that_nobody_could_judge_has_its_rows(measured: FakeApi) -> None:
    problem = {"title": "Conflict", "status": 409, "code": "no_rows", "detail": "Job 7 has no correct row yet."}
    measured.answers["GET /jobs/7/judgement"] = Answer(problem, 409)
    assert measured.run("report", "7", "-o", "a.html").code == 0
    assert "not judged" in Path("a.html").read_text()


def test_a_server_of_an_earlier_version_is_named(measured: FakeApi) -> None:
    measured.answers["GET /jobs/7/judgement"] = {"word": "unknown", "sentence": "It is unknown."}
    done = measured.run("report", "7", "-o", "a.html")
    assert done.code == 2
    assert "update the server" in done.err


def test_training_is_no_part_of_a_report(measured: FakeApi) -> None:
    spec = {"kind": "training", "training": {"model": "mlp"}, "placement": {"ranks": 2}}
    measured.answers["GET /jobs/8"] = job(8, kind="training", state="succeeded", spec=spec)
    done = measured.run("report", "8", "-o", "a.html")
    assert done.code == 2
    assert "Job 8 is of kind training; a report is about benchmarks and imported results." in done.err


def without_time(page: str) -> str:
    """A report without what follows from the time at which it was made."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|[0-9a-f]{64}", "", page)


def test_the_report_of_a_real_server_is_the_one_that_the_command_writes(server: Server) -> None:
    files = [{"name": "h100.log", "content": (HELD_OUT / "h100_1_node.txt").read_text()}]
    with Client(server.url, server.admin_token) as client:
        client.store_imports({"files": files})
        (number,) = [job.id for job in client.jobs() if job.kind == "imported"]
        exported = "".join(client.report(number))
    written = Path("a.html").resolve()
    done = server.run("report", str(number), "-o", str(written), "--url", server.url)
    assert done.returncode == 0, done.stderr
    done = server.run("report", "--verify", str(written))
    assert done.returncode == 0, done.stdout
    assert "every number and judgement of 1 measurement with 12 rows" in done.stdout
    assert without_time(written.read_text()) == without_time(exported)
