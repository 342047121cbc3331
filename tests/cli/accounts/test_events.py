"""The audit on the command line."""

import json
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from tests.cli.fake_api import Answer, FakeApi, items, refusal

from ringscope.cli.commands import events
from ringscope.client import Client


def event(event_id: int, **fields: Any) -> dict[str, Any]:
    usual = {
        "id": event_id,
        "time": "2026-01-02T03:04:05Z",
        "actor": "ada",
        "action": "job.cancelled",
        "target_type": "job",
        "target_id": "12",
        "before": "running",
        "after": "stopping",
        "message": "",
    }
    return usual | fields


def test_the_list_and_its_filters(api: FakeApi) -> None:
    api.answers["GET /events"] = items(event(2), event(1, before=None, after=None, message="hello"))
    flags = ("--actor", "ada", "--action", "job.*", "--target", "job:12", "--since", "2026-01-01T00:00+01:00")
    heading, first, second = api.run("events", *flags).out.splitlines()
    assert heading.split() == ["TIME", "ACTOR", "ACTION", "TARGET", "CHANGE", "MESSAGE"]
    assert first.split()[2:] == ["ada", "job.cancelled", "job:12", "running", "->", "stopping"]
    assert second.split()[-1] == "hello"
    assert api.last.query == {
        "limit": ["50"],
        "actor": ["ada"],
        "action": ["job.*"],
        "target_type": ["job"],
        "target_id": ["12"],
        "since": ["2025-12-31T23:00:00+00:00"],
    }
    assert [found["id"] for found in json.loads(api.run("events", "--target", "node", "--json").out)] == [2, 1]
    assert api.last.query == {"limit": ["50"], "target_type": ["node"]}


def test_a_time_may_be_so_long_ago(api: FakeApi) -> None:
    api.answers["GET /events"] = items()
    assert api.run("events", "--since", "2h").out == "No event matches.\n"
    since = datetime.fromisoformat(api.last.query["since"][0])
    ago = datetime.now(since.tzinfo) - since
    assert timedelta(hours=2) <= ago < timedelta(hours=2, minutes=1)


@pytest.mark.parametrize("text", ["yesterday", "2x", "999999d", "0001-01-01"])
def test_what_is_no_time_is_told(api: FakeApi, text: str) -> None:
    done = api.run("events", "--until", text)
    assert done.code == 2
    assert done.err == f"--until: {text!r} is not a time; write for example 2026-01-31T12:00, or 2h.\n"


def test_following_tells_each_event_once_and_in_order(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "POLL_SECONDS", 0)
    api.answers["GET /events"] = [items(event(3)), items(event(5), event(4), next="more"), items(event(3))]
    with Client(api.url, "secret") as client:
        found = list(islice(events.fresh(client, {"actor": "ada"}, {3}), 2))
    assert [seen.id for seen in found] == [4, 5]


def test_following_also_tells_what_was_committed_late(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "POLL_SECONDS", 0)
    newest = events.LATE_IDS + 9
    long_ago = event(newest - 1 - events.LATE_IDS)  # not looked at any more
    late = items(event(newest + 1), event(newest), event(newest - 1), event(newest - 50), long_ago)
    api.answers["GET /events"] = [
        items(event(newest), event(newest - 1), long_ago),
        late,
        late,
        items(event(newest + 2)),
    ]
    with Client(api.url, "secret") as client:
        found = list(islice(events.fresh(client, {}, {newest - 1}), 4))
    assert [seen.id for seen in found] == [newest, newest - 50, newest + 1, newest + 2]


def test_following_starts_with_the_newest_and_ends_with_ctrl_c(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(events.time, "sleep", interrupt)
    api.answers["GET /events"] = [items(event(2), event(1), event(0)), items(event(3), event(2), event(1))]
    done = api.run("events", "-f", "--json", "--limit", "2")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1, 2, 3]
    assert done.code == 130


def test_an_export_is_what_the_server_sends(api: FakeApi) -> None:
    text = 'id,actor\r\n1,"ada, née"\r\n'
    api.answers["GET /events/export"] = Answer(text)
    assert api.run("events", "--export", "csv", "--actor", "ada").out == text
    assert api.last.query == {"actor": ["ada"], "format": ["csv"]}
    api.answers["GET /events/export"] = refusal(403, "forbidden", "Only an admin may export events.")
    done = api.run("events", "--export", "csv")
    assert (done.code, done.out, done.err) == (2, "", "Only an admin may export events.\n")
