"""Every new command once against a real server."""

import json

import pytest
from tests.cli.conftest import Server, assert_refused, server  # noqa: F401  # a fixture

# The gate has what each one asks for in tests/cli, on a server that answers as told, and the routes in tests/server.
pytestmark = pytest.mark.long


def made(server: Server, *words: str) -> int:
    done = server.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["id"])


def told(server: Server, *words: str, **variables: str) -> str:
    done = server.run(*words, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_jobs_life(server: Server) -> None:
    told(server, "drain", "paper", "--reason", "so that nothing starts meanwhile")
    job = made(server, "submit", "--hold", "--name", "life", "--ranks", "2", "--label", "team=infra")
    assert told(server, "why", str(job)).endswith(f"Next: `ringscope release {job}` puts it into the queue.\n")
    assert told(server, "label", str(job), "run=5", "team-") == f"Job {job} life: labels run=5\n"
    found = json.loads(told(server, "jobs", "--label", "run=5", "--search", "life", "--json"))
    assert [one["id"] for one in found] == [job]
    assert told(server, "priority", str(job), "7").endswith("; priority 7\n")
    assert told(server, "release", str(job)).startswith(f"Job {job} life: queued")
    assert told(server, "hold", str(job)).startswith(f"Job {job} life: held")
    assert_refused(server.run("retry", str(job)), f"Job {job}")
    assert told(server, "cancel", str(job)).startswith(f"Job {job} life: cancelled")
    again = made(server, "retry", str(job))
    other = made(server, "clone", str(job), "--set", "placement.ranks=3", "--set", "labels.run=6")
    differences = json.loads(told(server, "diff", str(again), str(other), "--json"))["differences"]
    assert {"path": "placement.ranks", "a": 2, "b": 3} in differences
    assert told(server, "cancel", str(again), str(other)).count("cancelled") >= 2
    told(server, "resume", "paper")


def test_a_dry_run_submits_nothing(server: Server) -> None:
    before = told(server, "jobs", "--json")
    plan = json.loads(told(server, "submit", "--ranks", "2", "--dry-run", "--json"))
    assert isinstance(plan["starts_now"], bool)
    assert told(server, "submit", "--ranks", "2", "--dry-run").startswith("It would ")
    assert told(server, "jobs", "--json") == before


def test_a_node(server: Server) -> None:
    assert "by admin" in told(server, "drain", "paper", "--reason", "new DIMM")
    assert told(server, "label-node", "paper", "rack=r1").startswith("Node paper: labels ")
    assert "drain" in told(server, "nodes")
    assert "drain" not in told(server, "resume", "paper")
    assert_refused(server.run("release-slot", "paper", "0"), "paper")


def test_a_schedule(server: Server) -> None:
    words = ("schedule", "add", "nightly", "0 2 * * *", "--timezone", "Europe/Berlin", "--set", "placement.ranks=2")
    assert "Europe/Berlin" in told(server, *words)
    assert_refused(server.run(*words), "nightly")
    assert_refused(server.run("schedule", "add", "bad", "0 99 * * *"), "cron")
    assert len(told(server, "schedule", "upcoming", "nightly").splitlines()) == 5
    assert "30 3 * * *" in told(server, "schedule", "edit", "nightly", "--cron", "30 3 * * *")
    assert told(server, "schedule", "disable", "nightly").endswith("disabled\n")
    assert "queued" in told(server, "schedule", "run", "nightly")
    assert [one["name"] for one in json.loads(told(server, "schedules", "--json"))] == ["nightly"]
    assert "is removed" in told(server, "schedule", "remove", "nightly")


def test_a_webhook(server: Server) -> None:
    words = ("webhook", "add", "pager", "https://1.1.1.1/hook", "--event", "job.failed")
    assert told(server, *words, "-q").startswith("whsec_")
    assert_refused(server.run("webhook", "add", "inside", "http://127.0.0.1/x", "--event", "job.*"), "url")
    assert "disabled" in told(server, "webhook", "disable", "pager")
    assert json.loads(told(server, "webhook", "deliveries", "pager", "--json")) == []
    assert "is removed" in told(server, "webhook", "remove", "pager")


def test_a_token_and_the_audit(server: Server) -> None:
    token = server.run("token", "add", "guest", "--role", "viewer", "-q")
    assert (token.returncode, token.stderr) == (0, "")
    secret = token.stdout.strip()
    assert told(server, "jobs", RINGSCOPE_TOKEN=secret)
    assert_refused(server.run("cancel", "1", RINGSCOPE_TOKEN=secret), "viewer")
    [guest] = [one for one in json.loads(told(server, "tokens", "--json")) if one["name"] == "guest"]
    assert "secret" not in guest
    told(server, "token", "revoke", str(guest["id"]))
    assert_refused(server.run("jobs", RINGSCOPE_TOKEN=secret), "token")
    actions = [event["action"] for event in json.loads(told(server, "events", "--target", "token", "--json"))]
    assert actions[:2] == ["token.revoked", "token.created"]
    exported = told(server, "events", "--action", "token.*", "--export", "ndjson").splitlines()
    assert len(exported) >= 2 and all(json.loads(line)["target_type"] == "token" for line in exported)
