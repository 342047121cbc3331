"""`ringscope check --nodes`: the jobs that it runs, the comparison with earlier links, and its exit codes."""

import json
from typing import Any

import pytest
from tests.cli.fake_api import Answer, FakeApi, job
from tests.cli.nodes.test_diagnoses import PAIRS, SENTENCE, answers, diagnosis, node, pair

from ringscope.client.views.nodes import Link


def link(first: str, second: str, rate: float, **more: Any) -> dict[str, Any]:
    def way(source: str, destination: str) -> dict[str, Any]:
        low, high = 0.99 * rate / 1e9, 1.01 * rate / 1e9
        return {
            "source": source, "destination": destination, "low_gb_per_s": low, "high_gb_per_s": high, "messages": 12
        }  # fmt: skip

    told = {"nodes": [first, second], "busbw_gb_per_s": rate / 1e9, "size_bytes": 4 << 20, "is_unstable": False}
    told |= {"algorithm": "diagnosis", "transport": "mpi", "job_id": 2, "measured_at": "2030-01-01T00:00:00Z"}
    return told | {"ways": [way(first, second), way(second, first)], "both_ways": False} | more


@pytest.fixture
def ready(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    answers(api, monkeypatch)
    reduction = job(4, state="succeeded", reason="completed")
    api.answers["POST /jobs"] = [Answer(reduction, 201), api.answers["POST /jobs"]]
    api.answers["GET /jobs/4"] = reduction
    api.answers["GET /links"] = {"items": [], "next": None}
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


def test_a_link_below_its_earlier_interval_is_low_although_all_are_alike(ready: FakeApi) -> None:
    earlier = [link("h1", "h2", 24e6), link("h1", "h3", 30e6), link("h2", "h3", 24e6, size_bytes=1 << 20)]
    ready.answers["GET /links"] = {"items": earlier, "next": None}
    done = ready.run("check", "--nodes", "h1,h2,h3")
    assert done.code == 1 and "h1 to h3: 0.02376 to 0.02424 GB/s, where the baseline has 0.0297 to 0.0303" in done.out


def test_two_nodes_without_an_earlier_measurement_could_not_be_judged(ready: FakeApi) -> None:
    ready.answers["GET /jobs/5/diagnosis"] = diagnosis(blamed=[], pairs=[pair("h1", "h2", 24e6)])
    assert (done := ready.run("check", "--nodes", "h1,h2")).code == 3 and "two nodes have only each other" in done.out


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
    told = {name: value for name, value in link("a", "b", 1e9).items() if name not in ("ways", "both_ways")}
    assert Link.read(told).ways == []
