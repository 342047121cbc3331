"""Pure parts of `ringscope demo`: its port, its job, and what progress says."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.cli.conftest import Server
from tests.cli.fake_api import FakeApi, items
from tests.cli.fake_api import job as fake_job
from tests.cli.jobs.test_size_table import row

from ringscope.cli.commands.demo import DEMO_JOB, _run
from ringscope.cli.processes.stack import Stack
from ringscope.cli.progress import describe, show_progress
from ringscope.client import Client, Job
from ringscope.contracts.job import JobSpec


def test_the_demo_is_a_sweep_of_300_rows() -> None:
    assert JobSpec.model_validate(DEMO_JOB).benchmark.measurement_count() == 10 * 5 * 3 * 2


@pytest.fixture(scope="module")
def job(server: Server) -> Iterator[dict[str, Any]]:
    with Client(server.url, server.admin_token) as client:
        yield client.submit({"name": "told"}, "told").model_dump()


@pytest.mark.parametrize(
    ("state", "reason", "message", "sentence"),
    [
        ("running", None, "", "running"),
        ("succeeded", "completed", "", "succeeded"),
        ("failed", "rank_signal", "Rank 2 was killed.", "failed (rank_signal): Rank 2 was killed."),
    ],
)
def test_a_job_in_one_sentence(
    job: dict[str, Any], state: str, reason: str | None, message: str, sentence: str
) -> None:
    told = describe(Job.model_validate(job | {"state": state, "reason": reason, "message": message}))
    assert told == f"Job {job['id']} told: {sentence}"


def test_a_waiting_job_says_why(job: dict[str, Any]) -> None:
    pending = {"reason": "no_slots", "sentence": "Waits for 4 slots"}
    assert describe(Job.model_validate(job | {"state": "queued", "pending": pending})).endswith(
        "queued, waits for 4 slots"
    )


def test_progress_without_a_terminal_is_plain_lines(job: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    running = [
        Job.model_validate(job | {"state": "running", "progress": {"done": done, "total": 100}})
        for done in (0, 1, 2, 50, 51, 100)
    ]
    assert show_progress(running) is running[-1]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.split(", ")[1] for line in captured.err.splitlines()] == [
        "0 of 100 rows",
        "50 of 100 rows",
        "100 of 100 rows",
    ]


@pytest.mark.parametrize("state", ["failed", "succeeded"])
def test_the_verdict_is_told_of_a_whole_sweep_alone(
    api: FakeApi, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    wins = "ring wins (median of 20 rounds; 95 %: 2 to 3)"
    summary = {"verdict": wins, "explanation": "It sends less.", "best": [], "wrong": 0}
    found = fake_job(1, state=state, summary=summary)
    link = {"url": "http://here/login", "expires_at": "2036-01-02T03:04:05Z"}
    api.answers |= {"POST /login-links": link, "POST /jobs": found}
    measured = {"measured_at": "2036-01-02T03:04:05Z"}
    rows = [row(name, 8, us).model_dump(mode="json") | measured for name, us in (("ring", 5.0), ("direct", 5.1))]
    tie = [{"size_bytes": 8, "algorithms": ["ring", "direct"]}]
    told = {"min_bytes": 8, "max_bytes": 8, "verdict": "ring wins", "explanation": "", "fastest": tie}
    api.answers |= {"GET /jobs/1": found, "GET /jobs/1/measurements": items(*rows), "GET /jobs/1/verdict": told}
    with Client(api.url, "secret") as client:
        _run(cast(Stack, SimpleNamespace(client=client, slots=2)))
    said = capsys.readouterr().out
    assert "ring and direct tie" in said
    assert ("ratio of two times in a table can differ" in said) is (state == "succeeded")
    assert ("ring wins" in said) is ("It sends less." in said) is (state == "succeeded")
