"""`ringscope check --nodes`: the jobs that it runs, the comparison with the links' baselines, and its exit codes."""

import json
from typing import Any

import pytest
from tests.cli.fake_api import Answer, FakeApi, job
from tests.cli.nodes.test_diagnoses import PAIRS, SENTENCE, answers, diagnosis, node, pair

from ringscope.client.views.nodes import Link


def baselines(first: str, second: str, rate: float, measurements: int = 5) -> list[dict[str, Any]]:
    """Return the baselines of both directions between two nodes."""
    told = {"low": 0.99 * rate, "high": 1.01 * rate, "measurements": measurements, "since": "2030-01-01T12:00:00Z"}
    ways = ((first, second), (second, first))
    return [{"source": source, "destination": destination} | told for source, destination in ways]


def expect_jobs(api: FakeApi) -> None:
    """Let the next check submit its two jobs."""
    api.answers["POST /jobs"] = [Answer(api.answers[f"GET /jobs/{number}"], 201) for number in (4, 5)]


@pytest.fixture
def ready(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    answers(api, monkeypatch)
    api.answers["GET /jobs/4"] = job(4, state="succeeded", reason="completed")
    expect_jobs(api)
    api.answers["GET /jobs/5/diagnosis/baselines"] = {"items": []}
    fine = [pair("h1", "h2", 24e6), pair("h1", "h3", 24e6), pair("h2", "h3", 24e6)]
    api.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], sentence="Nothing is wrong.", pairs=fine)
    return api


def test_nodes_run_a_checked_all_reduce_and_a_diagnosis(ready: FakeApi) -> None:
    done = ready.run("check", "--nodes", "h1,h2,h3", "--for", "20s", "--json")
    found = json.loads(done.out)
    assert (done.code, found["word"]) == (0, "fine"), done
    first, second = [asked.body for asked in ready.asked if asked.method == "POST"]
    assert first["placement"] == {"node_names": ["h1", "h2", "h3"], "ranks": 3, "ranks_per_node": 1}
    assert second["diagnosis"] == {"budget_seconds": 20}


def test_what_the_diagnosis_blames_is_low(ready: FakeApi) -> None:
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis()
    done = ready.run("check", "--nodes", "h1,h2,h3")
    assert done.code == 1 and SENTENCE in done.out


def test_a_link_below_its_baseline_is_low_although_all_are_alike(ready: FakeApi) -> None:
    known = baselines("h1", "h2", 24e6) + baselines("h1", "h3", 30e6)
    ready.answers["GET /jobs/5/diagnosis/baselines"] = {"items": known}
    done = ready.run("check", "--nodes", "h1,h2,h3")
    assert done.code == 1 and "h1 to h3: 0.02376 to 0.02424 GB/s" in done.out
    assert ", where the baseline of 5 measurements since 2030-01-01" in done.out
    assert " has 0.0297 to 0.0303: low, 80% of it." in done.out


def test_a_pair_that_loaded_a_boundary_is_not_held_against_what_a_link_carries_alone(ready: FakeApi) -> None:
    ready.answers["GET /jobs/5/diagnosis/baselines"] = {"items": baselines("h1", "h3", 24e6)}
    shared = [pair("h1", "h2", 24e6), pair("h1", "h3", 24e6), pair("h1", "h3", 12e6, is_loaded=True)]
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], sentence="Nothing is wrong.", pairs=shared)
    assert (done := ready.run("check")).code == 0, done.out


def test_the_sentence_says_with_how_many_measurements_links_were_compared(ready: FakeApi) -> None:
    known = baselines("h1", "h2", 24e6, 3) + baselines("h1", "h3", 24e6)
    ready.answers["GET /jobs/5/diagnosis/baselines"] = {"items": known}
    done = ready.run("check")
    compared = "4 of 6 directions were compared with their baselines, each of 3 to 5 measurements since 2030-01-01"
    assert done.code == 0 and compared in " ".join(done.out.split())
    ready.answers["GET /jobs/5/diagnosis/baselines"] = {"items": []}
    expect_jobs(ready)
    assert "no direction has 3 earlier measurements for a baseline" in ready.run("check").out


def test_two_nodes_without_a_baseline_could_not_be_judged(ready: FakeApi) -> None:
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], pairs=[pair("h1", "h2", 24e6)])
    assert (done := ready.run("check", "--nodes", "h1,h2")).code == 3 and "two nodes have only each other" in done.out
    ready.answers["GET /jobs/5/diagnosis/baselines"] = {"items": baselines("h1", "h2", 24e6)}
    expect_jobs(ready)
    assert ready.run("check", "--nodes", "h1,h2").code == 0


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"state": "failed", "reason": "verification_failed"}, 2), ({"state": "failed", "reason": "node_lost"}, 3)],
)
def test_a_wrong_all_reduce_is_2_and_one_that_failed_3(ready: FakeApi, fields: dict[str, Any], code: int) -> None:
    ready.answers["GET /jobs/4"] = job(4, **fields)
    assert ready.run("check").code == code


def test_an_undecided_diagnosis_could_not_judge(ready: FakeApi) -> None:
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], decided=False, pairs=PAIRS[:1])
    assert ready.run("check").code == 3
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], pairs=[])
    expect_jobs(ready)
    assert (done := ready.run("check")).code == 3 and "no pair of nodes was measured" in done.out


def test_a_lost_node_is_low_and_the_others_are_checked(ready: FakeApi) -> None:
    lost = node("h4", observed="lost", observed_reason="No heartbeat for 20 s.")
    ready.answers["GET /nodes"] = {"items": [node("h1"), node("h2"), lost], "next": None}
    done = ready.run("check", "--nodes", "h1,h2,h4")
    assert done.code == 1 and "h4: No heartbeat for 20 s." in done.out


def test_bad_input_is_3(ready: FakeApi) -> None:
    for arguments, words in {
        ("--nodes", "h1"): "two nodes at least have a link between them",
        ("--nodes", "h1,h9"): "there is no node h9",
        ("--baseline",): "--baseline: nodes are compared with their earlier measurements; add --here",
    }.items():
        done = ready.run("check", *arguments)
        assert done.code == 3 and words in done.err
    ready.answers["GET /nodes"] = {"items": [node("h1"), node("h2", slots_busy=1)], "next": None}
    assert (done := ready.run("check", "--now")).code == 3 and "h2 runs something" in done.err


def test_earlier_versions_of_the_server_have_no_ways() -> None:
    told = {"nodes": ["a", "b"], "busbw_gb_per_s": 1.0, "size_bytes": 4 << 20, "algorithm": "ring", "transport": "mpi"}
    assert Link.read(told | {"job_id": 2, "measured_at": "2030-01-01T00:00:00Z"}).ways == []
