"""`ringscope why`: the reason, attempt by attempt, and what to do."""

import json
import re
from typing import Any

import pytest
from tests.cli.fake_api import FakeApi, items, job
from tests.cli.nodes.test_nodes import node

from ringscope.cli.commands.why import explain
from ringscope.client import Job

ATTEMPT: dict[str, Any] = {
    "id": 9,
    "number": 1,
    "nodes": ["n1", "n2"],
    "reason": "node_lost",
    "message": "Node n2 missed 3 heartbeats.",
    "bad_node": "n2",
    "created_at": "2026-01-02T03:04:00Z",
    "started_at": "2026-01-02T03:04:05Z",
    "finished_at": "2026-01-02T03:09:05Z",
}


def told(**fields: Any) -> list[str]:
    return explain(Job.model_validate(job(7, **fields)))


def test_a_waiting_job(api: FakeApi) -> None:
    pending = {
        "reason": "slots",
        "sentence": "Waits for slots: it needs 8, 3 are free now.",
        "estimated_start": "2036-01-02T03:04:05Z",
        "position": 2,
    }
    api.answers["GET /jobs/7"] = job(7, pending=pending)
    api.answers["GET /nodes"] = items()
    done = api.run("why", "7")
    assert done.code == 0
    first, place, start, advice = done.out.splitlines()
    assert first == "Job 7 n7: queued, waits for slots: it needs 8, 3 are free now."
    assert place == "Place in the queue: 2"
    assert re.fullmatch(r"Estimated start: 2036-01-02 03:04:05 \(in \d+ d\)", start)
    assert advice == "Next: `ringscope logs 7` has its output."


def test_a_job_that_waits_for_nodes_names_the_drained_ones_that_it_could_use(api: FakeApi) -> None:
    drain = {"desired": "drain", "desired_by": "ada", "desired_reason": "Kernel update."}
    waiting = job(7, pending={"reason": "slots", "sentence": "Waits for slots."})
    waiting["spec"]["placement"] = {"ranks": 2, "selector": {"rack": "1"}}
    api.answers["GET /jobs/7"] = waiting
    nodes = [
        node("n1", labels={"rack": "1"}, **drain),
        node("n2", labels={"rack": "2"}, **drain),
        node("n3", labels={"rack": "1"}),
        node("n4", labels={"rack": "1"}, observed="lost", **drain),
    ]
    api.answers["GET /nodes"] = items(*nodes)
    lines = api.run("why", "7").out.splitlines()
    told = [line for line in lines if line.startswith("Node ")]
    assert told == ["Node n1 is drained by ada: Kernel update. `ringscope resume n1` gives it work again."]
    waiting["pending"]["reason"] = "quota"
    assert not any(line.startswith("Node ") for line in api.run("why", "7").out.splitlines())


def test_a_retry_that_waits() -> None:
    pending = {"reason": "backoff", "sentence": "Waits to be tried again."}
    lines = told(pending=pending, not_before="2036-01-02T03:04:05Z", excluded_nodes=["n2"], attempts=[ATTEMPT])
    assert lines[1].startswith("Not before: 2036-01-02 ")
    assert lines[2] == "Avoids n2, if other nodes can run it"
    assert lines[3].startswith("Attempt 1 on n1, n2, began 2026-01-02 ")
    assert lines[3].endswith(": node_lost after 5 min, because of node n2: Node n2 missed 3 heartbeats.")


def test_an_attempt_of_an_elastic_job_says_how_many_ranks_it_had() -> None:
    spec = {"kind": "training", "placement": {"ranks": 4, "min_ranks": 2}}
    attempt = ATTEMPT | {"members": [{"node": "n1", "phase": "clean", "ranks": 3}]}
    assert told(spec=spec, attempts=[attempt])[1].startswith("Attempt 1 with 3 of 4 ranks on n1, n2, began ")


def test_an_attempt_that_goes_on() -> None:
    running = ATTEMPT | {"number": 2, "reason": None, "message": "", "finished_at": None}
    assert told(state="running", attempts=[running])[1].endswith(": it is running")


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        (["ready", "assigned", "ready"], "starting, waits for node h2 of 3 to be ready"),
        (["ready", "assigned", "assigned"], "starting, waits for 2 of 3 nodes to be ready: h2, h3"),
        (["running", "running", "ready"], "starting, waits for node h3 of 3 to start ranks"),
        (["assigned"] * 9, "starting, waits for 9 of 9 nodes to be ready: h1, h2, h3, h4, h5, …"),
        (["assigned"], "starting, waits for node h1 to be ready"),
        (["running", "running"], "starting"),
        ([], "starting"),
    ],
)
def test_a_starting_job_names_the_nodes_that_all_others_wait_for(phases: list[str], words: str) -> None:
    members = [{"node": f"h{number}", "phase": phase} for number, phase in enumerate(phases, 1)]
    attempt = ATTEMPT | {"reason": None, "message": "", "finished_at": None, "members": members}
    assert told(state="starting", attempts=[ATTEMPT, attempt])[0] == f"Job 7 n7: {words}"


def test_json_has_all_that_is_printed(api: FakeApi) -> None:
    doing = {
        "doing": "is importing torch",
        "is_loading": True,
        "ranks": [0],
        "count": 1,
        "nodes": ["n1"],
        "since": "2026-01-02T03:04:06Z",
    }
    check = {
        "check": "slow_link",
        "is_checked": False,
        "sentence": "It takes 3 nodes to find a slow link, and the job has 2.",
    }
    api.answers["GET /jobs/7"] = job(7, state="running", attempts=[ATTEMPT])
    api.answers["GET /jobs/7/activity"] = {"items": [doing]}
    api.answers["GET /jobs/7/insights"] = {"items": [], "checks": [check]}
    found = json.loads(api.run("why", "7", "--json").out)
    assert found["attempts"][0]["bad_node"] == "n2"
    assert (found["activity"], found["checks"], found["insights"]) == ([doing], [check], [])
