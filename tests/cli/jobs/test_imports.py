"""`ringscope import` stores files on a server, `adopt` lets a job count, `show` prints the judgement."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.fake_api import FakeApi, job
from tests.expected.runs import HELD_OUT
from tests.imports.published import one

H100 = HELD_OUT / "h100_1_node.txt"
SENTENCE = "476.5 GB/s at 4 GiB, where published runs suggest 414 to 547 GB/s: as expected."
TIMES = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us", "time_us"), 10.0)
NAMED = {"collective": "all_reduce", "algorithm": "nccl", "chosen_algorithm": None, "chosen_because": None}
COUNTED = {"size_bytes": 1024, "count": 256, "dtype": "float32", "op": "sum", "ranks": 8, "iterations": 1}
RATES = {"algbw_gb_per_s": 0.1, "busbw_gb_per_s": 0.2, "wrong": 0, "stdev_us": 0.0, "cv_percent": 0.0}
PLACED = {"transport": "imported", "in_place": False, "cycle": 0, "id": 1, "measured_at": "2026-01-02T03:04:05Z"}
ROW = TIMES | NAMED | COUNTED | RATES | PLACED
IMPORTED = {"tool": "nccl-tests", "file": "h100.log", "sha256": "0", "line": 2, "rows": 12}


@pytest.fixture(autouse=True)
def _own_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RINGSCOPE_DATA_DIR", str(tmp_path / "data"))


def imported(job_id: int = 7, **fields: Any) -> dict[str, Any]:
    spec = {"kind": "imported", "benchmark": {"algorithms": ["nccl"]}, "imported": IMPORTED}
    return job(job_id, kind="imported", state="succeeded", spec=spec, **fields)


def stored(is_new: bool = True) -> dict[str, Any]:
    judged = {"job": imported(), "judgement": {"word": "as expected", "sentence": SENTENCE}}
    return {"files": [{"path": "h100.log", "sha256": "0", "is_new": is_new, "jobs": [judged]}]}


def test_a_file_is_stored_with_the_facts_and_its_judgement_printed(api: FakeApi) -> None:
    api.answers["POST /imports"] = stored()
    done = api.run("import", str(H100), "--gpu", "H100", "--cards", "8x400G", "--nodes", "1")
    assert (done.code, done.err) == (1, ""), "the table ends early"
    assert done.out.splitlines() == ["h100.log: 1 job", "Job 7: n7", f"  {SENTENCE}"]
    assert api.last.body["files"] == [{"name": "h100_1_node.txt", "content": H100.read_text()}]
    assert {name: api.last.body[name] for name in ("gpu", "cards", "nodes")} == {
        "gpu": "H100",
        "cards": "8x400G",
        "nodes": 1,
    }


def test_a_second_import_says_that_it_made_nothing(api: FakeApi) -> None:
    api.answers["POST /imports"] = stored(is_new=False)
    assert "imported before with the same facts as 1 job" in api.run("import", str(H100)).out
    assert json.loads(api.run("import", "--json", str(H100)).out)["files"][0]["is_new"] is False


def test_nothing_is_sent_if_a_file_is_refused(api: FakeApi) -> None:
    done = api.run("import", str(H100), str(one("crash_devices_busy").path))
    assert (done.code, api.asked) == (1, [])
    assert "the run crashed before its first row" in done.out
    assert done.out.endswith("Nothing was stored.\n")


def test_a_job_is_adopted_and_disowned(api: FakeApi) -> None:
    api.answers["POST /jobs/7/adopt"] = imported(is_adopted=True)
    api.answers["POST /jobs/7/disown"] = imported()
    assert "it counts as a good run of this cluster" in api.run("adopt", "7").out
    assert "it does not count as a run of this cluster" in api.run("adopt", "7", "--undo").out


def test_show_says_where_an_imported_job_comes_from_and_whether_it_is_ok(api: FakeApi) -> None:
    api.answers["GET /jobs/7"] = imported()
    api.answers["GET /jobs/7/measurements"] = {"items": [ROW], "next": None}
    api.answers["GET /jobs/7/judgement"] = {"word": "as expected", "sentence": SENTENCE}
    out = api.run("show", "7").out
    assert "imported 2026-01-02 03:04:05 by ada from h100.log, line 2 (nccl-tests)" in out
    assert "Another tool measured it elsewhere; it counts for nothing here." in out
    assert SENTENCE in out


def test_show_explains_the_judgement_by_its_references(api: FakeApi) -> None:
    api.answers["GET /jobs/7"] = imported()
    api.answers["GET /jobs/7/measurements"] = {"items": [ROW], "next": None}
    limits = {"low_gb_per_s": 0.1, "high_gb_per_s": 0.3, "busbw_gb_per_s": 0.25, "url": "https://example.org/runs"}
    size = {
        "size_bytes": 1024,
        "in_place": False,
        "word": "as expected",
        "references": [limits | {"kind": "published", "source": "a machine", "date": None, "size_bytes": 1024}],
    }
    api.answers["GET /jobs/7/judgement"] = {"word": "unknown", "sentence": SENTENCE, "sizes": [size]}
    lines = api.run("show", "7", "--explain").out.splitlines()
    assert SENTENCE in lines
    assert lines[-1].split() == [
        *("1", "KiB", "out", "of", "place", "as", "expected", "0.2", "published", "0.25", "0.1", "0.3"),
        *("a", "machine,", "https://example.org/runs"),
    ]
    assert "--explain" in api.run("show", "7", "--explain", "--json").err
