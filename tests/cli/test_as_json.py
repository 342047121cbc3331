"""--json: what was changed, as the API tells it."""

import json
from typing import Any

import pytest
from tests.cli.accounts.test_schedules import schedule
from tests.cli.accounts.test_tokens import token
from tests.cli.accounts.test_webhooks import delivery, webhook
from tests.cli.fake_api import Answer, FakeApi, items, job
from tests.cli.nodes.test_nodes import node

READ = {
    "GET /jobs/7": job(7),
    "GET /schedules/4": schedule(),
    "GET /webhooks/2": webhook(),
}
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "cancel 7": ("POST /jobs/7/cancel", job(7)),
    "hold 7": ("POST /jobs/7/hold", job(7)),
    "release 7": ("POST /jobs/7/release", job(7)),
    "priority 7 90": ("PATCH /jobs/7", job(7)),
    "label 7 a=1": ("PATCH /jobs/7", job(7)),
    "drain n1 --reason fan": ("POST /nodes/n1/drain", node()),
    "resume n1": ("POST /nodes/n1/resume", node()),
    "label-node n1 a=1": ("PATCH /nodes/n1", node()),
    "release-slot n1 0": ("POST /nodes/n1/slots/0/release", node()),
    "schedule add nightly @daily": ("POST /schedules", schedule()),
    "schedule edit 4 --name other": ("PUT /schedules/4", schedule()),
    "schedule enable 4": ("PUT /schedules/4", schedule()),
    "schedule disable 4": ("PUT /schedules/4", schedule()),
    "schedule run 4": ("POST /schedules/4/run", job(7)),
    "webhook enable 2": ("PUT /webhooks/2", webhook()),
    "webhook disable 2": ("PUT /webhooks/2", webhook()),
    "webhook test 2": ("POST /webhooks/2/test", delivery()),
    "webhook redeliver 2 9": ("POST /webhooks/2/deliveries/9/redeliver", delivery()),
    "token rotate 5": ("POST /tokens/5/rotate", token()),
}


@pytest.mark.parametrize("command", CHANGES)
def test_a_change_is_told_as_json(api: FakeApi, command: str) -> None:
    route, changed = CHANGES[command]
    api.answers |= READ | {route: Answer(changed)}
    done = api.run(*command.split(), "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out).items() >= {"id": changed["id"]}.items()


def test_the_next_times_of_a_schedule(api: FakeApi) -> None:
    api.answers |= READ | {"GET /schedules/4/upcoming": items("2036-01-02T01:00:00Z", "2036-01-03T01:00:00Z")}
    told = json.loads(api.run("schedule", "upcoming", "4", "--json").out)
    assert told == ["2036-01-02T01:00:00+00:00", "2036-01-03T01:00:00+00:00"]


def test_a_log_is_one_object_a_line(api: FakeApi) -> None:
    line = {"id": 1, "node": "n1", "rank": 0, "stream": "stdout", "time_ns": 5, "text": "a\x1b[2J"}
    api.answers |= READ | {"GET /jobs/7/log": items(line, line | {"id": 2, "rank": None, "text": "b"})}
    told = [json.loads(text) for text in api.run("logs", "7", "--json").out.splitlines()]
    assert [(found["id"], found["rank"], found["text"]) for found in told] == [(1, 0, "a\x1b[2J"), (2, None, "b")]


def test_a_log_from_a_time_on(api: FakeApi) -> None:
    api.answers |= READ | {"GET /jobs/7/log": items()}
    assert api.run("logs", "7", "--at", "2026-01-01T00:00+01:00").code == 0
    assert api.last.query["at"] == ["2025-12-31T23:00:00+00:00"]
    assert "--at: 'noon' is not a time" in api.run("logs", "7", "--at", "noon").err


def test_a_log_from_a_level_on(api: FakeApi) -> None:
    api.answers |= READ | {"GET /jobs/7/log": items()}
    assert api.run("logs", "7", "--level", "error").code == 0
    assert api.last.query["level"] == ["error"]
    assert "--level" in api.run("logs", "7", "--level", "loud").err


def test_the_jobs_of_a_schedule(api: FakeApi) -> None:
    api.answers["GET /jobs"] = items()
    assert api.run("jobs", "--schedule", "4").out == "No job matches.\n"
    assert api.last.query["schedule_id"] == ["4"]
