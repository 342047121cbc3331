"""Schedules on the command line."""

import json
from pathlib import Path
from typing import Any

from tests.cli.fake_api import Answer, FakeApi, items, job


def schedule(**fields: Any) -> dict[str, Any]:
    usual = {
        "id": 4,
        "name": "nightly",
        "cron": "0 2 * * *",
        "timezone": "Europe/Berlin",
        "overlap": "skip",
        "is_enabled": True,
        "spec": {"name": "nightly", "placement": {"ranks": 4}, "labels": {"old": "1"}},
        "user": "ada",
        "revision": 6,
        "created_at": "2026-01-01T00:00:00Z",
        "next_fire_at": "2036-01-02T01:00:00Z",
        "last_fire_at": "2026-01-01T01:00:00Z",
        "last_job_id": 31,
        "last_outcome": "Submitted job 31.",
    }
    return usual | fields


BODY = {name: schedule()[name] for name in ("name", "cron", "timezone", "overlap", "is_enabled", "spec")}


def test_the_list(api: FakeApi) -> None:
    api.answers["GET /schedules"] = items(schedule(), schedule(id=5, name="weekly", is_enabled=False))
    heading, first, second = api.run("schedules").out.splitlines()
    assert heading.split() == ["ID", "NAME", "CRON", "ZONE", "OVERLAP", "NEXT", "LAST", "JOB", "OUTCOME"]
    assert "nightly" in first and "2036-01-02" in first and first.endswith("Submitted job 31.")
    assert "disabled" in second
    assert [found["id"] for found in json.loads(api.run("schedules", "--json").out)] == [4, 5]


def test_simulated_stands_before_the_name_of_what_measures_nothing(api: FakeApi) -> None:
    found = schedule(spec={"benchmark": {"transport": "simulated", "topology": {"shape": "4x8"}}})
    api.answers |= {"GET /schedules": items(found), "GET /schedules/4": found, "DELETE /schedules/4": Answer("", 204)}
    assert "SIMULATED nightly" in api.run("schedules").out
    assert api.run("schedule", "show", "4").out.startswith("Schedule 4 SIMULATED nightly: ")
    assert api.run("schedule", "remove", "nightly").out == "Schedule 4 SIMULATED nightly is removed.\n"


def test_one_is_made_of_a_file_and_words(api: FakeApi, tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(json.dumps({"placement": {"ranks": 2, "nodes": 1}}))
    api.answers["POST /schedules"] = Answer(schedule(), 201)
    flags = ("--timezone", "Europe/Berlin", "--overlap", "replace", "--set", "placement.ranks=4")
    done = api.run("schedule", "add", "nightly", "0 2 * * *", str(tmp_path / "job.json"), *flags)
    assert done.out.startswith("Schedule 4 nightly: 0 2 * * * Europe/Berlin, next 2036-01-02 ")
    assert api.last.body == {
        "name": "nightly",
        "cron": "0 2 * * *",
        "timezone": "Europe/Berlin",
        "overlap": "replace",
        "is_enabled": True,
        "spec": {"name": "nightly", "placement": {"ranks": 4, "nodes": 1}},
    }
    assert "idempotency-key" in api.last.headers


def test_one_is_made_of_a_job(api: FakeApi) -> None:
    api.answers |= {"GET /jobs/7": job(7), "POST /schedules": Answer(schedule(is_enabled=False), 201)}
    done = api.run("schedule", "add", "nightly", "0 2 * * *", "--job", "7", "--disabled")
    assert done.out.endswith(", disabled\n")
    assert (api.last.body["spec"]["name"], api.last.body["is_enabled"]) == ("n7", False)
    assert api.run("schedule", "add", "x", "0 2 * * *", "-", "--job", "7").err == (
        "--job: the job is given twice, as FILE and as --job; leave one out.\n"
    )


def test_an_edit_keeps_what_is_not_given_and_names_the_revision(api: FakeApi) -> None:
    api.answers |= {"GET /schedules": items(schedule()), "PUT /schedules/4": schedule(cron="0 3 * * *")}
    api.run("schedule", "edit", "nightly", "--cron", "0 3 * * *", "--set", "placement.ranks=8", "--set", "labels=null")
    assert api.last.body == BODY | {
        "cron": "0 3 * * *",
        "spec": {"name": "nightly", "placement": {"ranks": 8}},
    }
    assert api.last.headers["if-match"] == '"6"'


def test_a_share_of_nodes_that_may_be_drained_is_given_kept_and_taken_away(api: FakeApi) -> None:
    found = schedule(drain_on_blame=0.1)
    api.answers |= {"GET /jobs/7": job(7, kind="diagnosis"), "POST /schedules": Answer(found, 201)}
    api.answers |= {"GET /schedules/4": found, "PUT /schedules/4": found}
    api.run("schedule", "add", "nightly", "0 2 * * *", "--job", "7", "--drain-on-blame", "10%")
    assert api.last.body["drain_on_blame"] == 0.1
    assert "drain     a blamed node, while at most 10% of all nodes are drained" in api.run("schedule", "show", "4").out
    api.run("schedule", "disable", "4")
    assert api.last.body["drain_on_blame"] == 0.1
    api.run("schedule", "edit", "4", "--drain-on-blame", "0")
    assert api.last.body["drain_on_blame"] is None
    refused = api.run("schedule", "edit", "4", "--drain-on-blame", "many")
    assert refused.err == "--drain-on-blame: 'many' is no share of the nodes; write for example 10%.\n"


def test_enable_and_disable(api: FakeApi) -> None:
    api.answers |= {"GET /schedules/4": schedule(), "PUT /schedules/4": schedule(is_enabled=False)}
    assert api.run("schedule", "disable", "4").out == ("Schedule 4 nightly: 0 2 * * * Europe/Berlin, disabled\n")
    assert api.last.body == BODY | {"is_enabled": False}
    api.run("schedule", "enable", "4")
    assert api.last.body == BODY


def test_show_run_upcoming_and_remove(api: FakeApi) -> None:
    api.answers |= {
        "GET /schedules/4": schedule(),
        "POST /schedules/4/run": Answer(job(32), 201),
        "GET /schedules/4/upcoming": items("2036-01-02T01:00:00Z", "2036-01-03T01:00:00Z"),
        "DELETE /schedules/4": Answer("", 204),
    }
    assert "outcome   Submitted job 31." in api.run("schedule", "show", "4").out
    assert json.loads(api.run("schedule", "show", "4", "--json").out)["revision"] == 6
    assert api.run("schedule", "run", "4").out == "Job 32 n32: queued\n"
    times = api.run("schedule", "upcoming", "4", "--count", "2").out.splitlines()
    assert [line[:4] for line in times] == ["2036", "2036"]
    assert api.run("schedule", "remove", "4").out == "Schedule 4 nightly is removed.\n"


def test_an_unknown_name_is_one_line_with_the_known_ones(api: FakeApi) -> None:
    api.answers["GET /schedules"] = items(schedule())
    done = api.run("schedule", "run", "hourly")
    assert (done.code, done.err) == (2, "There is no schedule hourly; there is nightly.\n")


def test_the_times_of_an_expression_need_no_schedule(api: FakeApi) -> None:
    api.answers["GET /schedules/times"] = items("2036-01-02T01:00:00Z")
    assert "2036-01-02" in api.run("schedule", "times", "0 2 * * *", "--timezone", "Europe/Berlin", "--json").out
    assert (api.last.query["cron"], api.last.query["timezone"]) == (["0 2 * * *"], ["Europe/Berlin"])
