"""Webhooks on the command line."""

import json
from typing import Any

from tests.cli.fake_api import Answer, FakeApi, items


def webhook(**fields: Any) -> dict[str, Any]:
    usual = {
        "id": 2,
        "name": "pager",
        "url": "https://pager.example/hook",
        "events": ["job.failed", "node.*"],
        "is_enabled": True,
        "revision": 1,
        "created_at": "2026-01-01T00:00:00Z",
    }
    return usual | fields


def delivery(**fields: Any) -> dict[str, Any]:
    usual = {
        "id": 9,
        "event_type": "job.failed",
        "state": "failed",
        "tries": 3,
        "last_status": 500,
        "last_error": "Internal Server Error",
        "next_attempt_at": None,
        "created_at": "2026-01-01T00:00:00Z",
        "delivered_at": None,
    }
    return usual | fields


def test_the_secret_is_alone_on_stdout(api: FakeApi) -> None:
    api.answers["POST /webhooks"] = Answer(webhook(secret="whsec_abc"), 201)
    add = ("webhook", "add", "pager", "https://pager.example/hook", "--event", "job.failed", "--event", "node.*")
    done = api.run(*add)
    assert done.out == "whsec_abc\n"
    assert done.err.startswith("Webhook 2 pager: https://pager.example/hook receives job.failed, node.*. Keep")
    assert api.last.body == {
        "name": "pager",
        "url": "https://pager.example/hook",
        "events": ["job.failed", "node.*"],
        "is_enabled": True,
    }
    quiet = api.run(*add, "-q")
    assert (quiet.out, quiet.err) == ("whsec_abc\n", "")
    assert json.loads(api.run(*add, "--json").out)["secret"] == "whsec_abc"


def test_the_list_and_one_of_it(api: FakeApi) -> None:
    api.answers["GET /webhooks"] = items(webhook())
    heading, line = api.run("webhooks").out.splitlines()
    assert heading.split() == ["ID", "NAME", "URL", "EVENTS", "STATE"]
    assert line.split() == ["2", "pager", "https://pager.example/hook", "job.failed,node.*", "enabled"]
    assert json.loads(api.run("webhooks", "--json").out)[0]["name"] == "pager"
    assert api.run("webhook", "show", "pager").out.startswith("Webhook 2 pager: ")


def test_disable_keeps_the_rest(api: FakeApi) -> None:
    api.answers |= {"GET /webhooks/2": webhook(), "PUT /webhooks/2": webhook(is_enabled=False)}
    assert "is disabled" in api.run("webhook", "disable", "2").out
    assert api.last.body == {
        "name": "pager",
        "url": "https://pager.example/hook",
        "events": ["job.failed", "node.*"],
        "is_enabled": False,
    }
    assert api.last.headers["if-match"] == '"1"'


def test_deliveries_and_sending_again(api: FakeApi) -> None:
    api.answers |= {
        "GET /webhooks/2": webhook(),
        "GET /webhooks/2/deliveries": items(
            delivery(),
            delivery(id=11, event_type="webhook.test", state="pending", last_error="HTTP 500: Broken."),
        ),
        "POST /webhooks/2/deliveries/9/redeliver": Answer(delivery(id=10, state="pending", last_status=None), 201),
        "POST /webhooks/2/test": delivery(
            id=11, event_type="webhook.test", state="pending", last_status=None, last_error=""
        ),
        "DELETE /webhooks/2": Answer("", 204),
    }
    heading, line, _ = api.run("webhook", "deliveries", "2").out.splitlines()
    assert heading.split() == ["ID", "EVENT", "STATE", "TRIES", "STATUS", "CREATED", "NEXT", "ERROR"]
    assert line.split()[:5] == ["9", "job.failed", "failed", "3", "500"]
    assert json.loads(api.run("webhook", "deliveries", "2", "--json").out)[0]["id"] == 9
    assert api.run("webhook", "redeliver", "2", "9").out.startswith("Delivery 10 of job.failed: pending")
    # The command waits for the first try, and prints the receiver's answer.
    told = "Delivery 11 of webhook.test: pending (500): HTTP 500: Broken.\n"
    assert api.run("webhook", "test", "2").out == told
    assert api.run("webhook", "remove", "2").out == "Webhook 2 pager is removed.\n"


def test_the_events_to_choose_among(api: FakeApi) -> None:
    api.answers["GET /events/types"] = items({"type": "job.failed", "meaning": "A job ended with an error."})
    heading, line = api.run("webhook", "events").out.splitlines()
    assert heading.split() == ["EVENT", "MEANING"]
    assert line.split(maxsplit=1) == ["job.failed", "A job ended with an error."]
