"""`ringscope search-strategies`: the job that it submits, what it says while it waits, and its result."""

import json
from typing import Any

import pytest
from tests.cli.conftest import Server, assert_refused
from tests.cli.fake_api import Answer, FakeApi, job

SPEC = {"kind": "strategy_search", "strategy_search": {"strategies": ["mirrored-ring", "torch_ddp"]}}
SENTENCE = "mirrored-ring is the fastest with 64,000 samples/s."


def search(state: str, **more: Any) -> dict[str, Any]:
    summary = {"kind": "strategy_search", "verdict": SENTENCE}
    return job(5, kind="strategy_search", name="digits", spec=SPEC, state=state, summary=summary, **more)


def line(name: str, state: str, **more: Any) -> dict[str, Any]:
    times = {"samples_per_second": 64_000.0, "step_us": 1000.0, "compute_us": 700.0, "input_us": 0.0}
    return {"name": name, "state": state, "runs": 3, "exposed_us": 300.0, "exchanged_bytes": 1 << 20} | times | more


def told(running: str | None, *candidates: dict[str, Any], winner: str | None = None) -> dict[str, Any]:
    found = {"winner": winner, "sentence": SENTENCE, "candidates": list(candidates), "runs": 6, "spent_seconds": 9.0}
    run = None if running is None else {"name": running, "round": 1}
    return found | {"budget_seconds": 300, "is_complete": running is None, "running": run}


SLOWER = line(
    *("torch_ddp", "slower"),
    round=2,
    reason="It takes 1.50 (1.40 to 1.60) times as long as mirrored-ring.",
    times_as_long=1.5,
    times_as_long_low=1.4,
    times_as_long_high=1.6,
    peak_bytes=300 << 20,
)
WON = line("mirrored-ring", "winner", times_as_long=1, times_as_long_low=1, times_as_long_high=1)
LEFT_OUT = {"name": "pipeline", "state": "left_out", "reason": "Too few layers."}


def waited(api: FakeApi, monkeypatch: pytest.MonkeyPatch, last: str = "succeeded", **more: Any) -> None:
    monkeypatch.setattr("ringscope.cli.follow.POLL_SECONDS", 0)
    api.answers["POST /jobs"] = Answer(search("queued"), 201)
    api.answers["GET /jobs/5"] = [search("running"), search("running"), search(last, **more)]
    first = told("torch_ddp", line("mirrored-ring", "unbeaten"), line("torch_ddp", "unbeaten"), LEFT_OUT)
    ended = told(None, WON, SLOWER, LEFT_OUT, winner="mirrored-ring")
    api.answers["GET /jobs/5/search"] = [first, first, ended]


def test_every_flag_reaches_the_spec(server: Server) -> None:
    words = ("mlp", "--dataset", "digits", "--ranks", "1", "--strategies", "a,b", "--budget", "2m")
    assert_refused(server.run("search-strategies", *words), "placement.ranks", "at least 2 ranks")
    words = ("mlp", "--ranks", "2", "--strategies", "torch_ddp")
    assert_refused(server.run("search-strategies", *words), "only torch_ddp can run here")
    assert_refused(server.run("search-strategies", "mlp", "--budget", "soon"), "write for example 90s, 5m or 1h")


def test_it_waits_and_prints_the_table_and_the_verdict(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    waited(api, monkeypatch)
    done = api.run(
        "search-strategies", "mlp", "--ranks", "2", "--budget", "2m", "--strategies", "mirrored-ring,torch_ddp"
    )
    assert done.code == 0, done.err
    assert done.err.splitlines() == ["Job 5 digits: running", "round 2: torch_ddp runs"]
    lines = done.out.splitlines()
    assert lines[1].split()[:4] == ["mirrored-ring", "winner", "64,000", "1.00"]
    assert "1.50 (1.40 to 1.60)" in lines[2] and "300 MiB" in lines[2] and "30%" in lines[2]
    assert lines[3:5] == ["pipeline was left out: Too few layers.", SENTENCE]
    (sent,) = [asked.body for asked in api.asked if asked.method == "POST"]
    assert sent["strategy_search"]["budget_seconds"] == 120 and sent["placement"] == {"ranks": 2}
    assert sent["strategy_search"]["strategies"] == ["mirrored-ring", "torch_ddp"]


def test_a_dry_run_names_the_candidates_that_would_be_left_out(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = {"starts_now": True, "estimated_start": None, "pending": None, "shares": []}
    left_out = [{"name": "pipeline", "reason": "Too few layers."}]
    api.answers["POST /jobs/prediction/strategy_search"] = {
        "candidates": ["mirrored-ring", "torch_ddp"],
        "left_out": left_out,
        "nodes": [],
        "warnings": [],
    }
    done = api.run("search-strategies", "mlp", "--ranks", "2", "--dry-run")
    assert done.out.splitlines()[-2:] == [
        "2 candidates: mirrored-ring, torch_ddp.",
        "pipeline would be left out: Too few layers.",
    ]
    found = json.loads(api.run("search-strategies", "mlp", "--dry-run", "--json").out)
    assert (found["starts_now"], found["left_out"]) == (True, left_out)
    assert all(asked.path != "/jobs" for asked in api.asked)


def test_json_has_the_job_the_winner_the_sentence_and_the_candidates(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited(api, monkeypatch)
    found = json.loads(api.run("search-strategies", "mlp", "--json").out)
    assert (found["job"], found["winner"], found["sentence"]) == (5, "mirrored-ring", SENTENCE)
    assert [each["name"] for each in found["candidates"]] == ["mirrored-ring", "torch_ddp", "pipeline"]


def test_a_search_that_failed_has_no_winner_and_says_why(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    waited(api, monkeypatch, "failed", reason="rank_exit", message="The budget is too short.")
    done = api.run("search-strategies", "mlp", "--json")
    found = json.loads(done.out)
    assert (done.code, found["winner"], found["sentence"]) == (1, None, "The budget is too short.")


def test_diff_has_the_candidates_of_two_searches_side_by_side(api: FakeApi) -> None:
    for number, rate in ((5, 64_000.0), (6, 32_000.0)):
        api.answers[f"GET /jobs/{number}"] = search("succeeded") | {"id": number}
        api.answers[f"GET /jobs/{number}/measurements"] = {"items": [], "next": None}
        api.answers[f"GET /jobs/{number}/environment"] = {"items": []}
        ends = {"samples_per_second_low": 0.9 * rate, "samples_per_second_high": 1.1 * rate}
        ring = line("mirrored-ring", "winner", samples_per_second=rate, **ends)
        api.answers[f"GET /jobs/{number}/search"] = told(None, ring, *([SLOWER] if number == 5 else []), LEFT_OUT)
    done = api.run("diff", "5", "6")
    assert done.code == 0, done.err
    rows = [line for line in done.out.splitlines() if line.startswith(("mirrored-ring", "torch_ddp"))]
    assert " ".join(rows[0].split()[1:]) == "64,000 (57,600 to 70,400) winner 32,000 (28,800 to 35,200) winner"
    assert rows[1].split()[:3] == ["torch_ddp", "64,000", "slower"]
    assert f"Job 6: {SENTENCE}" in done.out
    found = json.loads(api.run("diff", "5", "6", "--json").out)
    assert [len(each["candidates"]) for each in found["searches"]] == [3, 2]


def test_show_prints_the_candidates_of_a_search(api: FakeApi) -> None:
    api.answers["GET /jobs/5"] = search("succeeded")
    api.answers["GET /jobs/5/search"] = told(None, WON, SLOWER, LEFT_OUT, winner="mirrored-ring")
    lines = api.run("show", "5").out.splitlines()
    assert [line.split()[:2] for line in lines[-4:-2]] == [["mirrored-ring", "winner"], ["torch_ddp", "slower"]]
    assert lines[-1] == SENTENCE
