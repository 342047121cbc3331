"""A background task that is late is shown by the log, /readyz and the metrics."""

import logging
import time
from collections.abc import Iterator

import pytest
from tests.server.conftest import Server
from tests.server.overload.waiting import DEADLINE_SECONDS

from ringscope_server.overload import background_tasks
from ringscope_server.overload.background_tasks import BackgroundTasks


@pytest.fixture
def late(server: Server) -> Iterator[list[float]]:
    """Seconds that pass for the background tasks."""
    seconds = [0.0]
    server.services.monitoring.background_tasks = BackgroundTasks(lambda: seconds[0])
    server.services.background_tasks.begin()
    yield seconds


async def test_a_late_pass_is_told_by_readyz_metrics_and_the_stream(server: Server, late: list[float]) -> None:
    await server.one_pass()
    assert (await server.admin.get("/readyz")).status_code == 200
    late[0] += 8.0
    for task in ("insights", "heartbeats", "judging"):
        server.services.background_tasks.done(task)  # type: ignore[arg-type]
    answer = await server.admin.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "late")
    assert answer.json()["detail"].startswith("No scheduling pass was completed since ")
    assert "(8 s)" in answer.json()["detail"]
    page = (await server.admin.get("/metrics")).text
    assert 'ringscope_background_task_age_seconds{task="pass"} 8.0' in page
    server.services.background_tasks.done("pass")
    assert (await server.admin.get("/readyz")).status_code == 200


def test_what_is_late_is_logged_once_and_so_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    seconds = [0.0]
    watched = BackgroundTasks(lambda: seconds[0])
    watched.begin()
    with caplog.at_level(logging.WARNING):
        for _ in range(30):
            seconds[0] += 1
            watched.tell()
        for task in background_tasks.BACKGROUND_TASKS:
            watched.done(task)
        watched.tell()
    first, last = caplog.messages
    assert first.startswith("No scheduling pass was completed since ")
    assert last == "The server's own work is done in time again."


def test_an_event_loop_that_stands_still_is_told_by_another_thread(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_tasks, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(background_tasks, "LATE_SECONDS", 0.02)
    watched = BackgroundTasks()
    watched.begin()
    with caplog.at_level(logging.WARNING), watched.watched():
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.01)
    assert caplog.messages
