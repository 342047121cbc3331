"""The log of a job at a time: its last line that was printed by then."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Server
from tests.server.results.test_log import get, line
from tests.server.statements import asked

from ringscope_server.instants import as_ns
from ringscope_server.results import log

START = datetime(2026, 1, 1, tzinfo=UTC)
LINES = 25


@pytest.fixture
async def job_id(server: Server, monkeypatch: pytest.MonkeyPatch) -> int:
    """A job of which two ranks in turns printed a line each second, on pages of four."""
    monkeypatch.setattr(log, "LINES_PER_PAGE", 4)
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *(line(number) | {"time_ns": as_ns(after(number))} for number in range(LINES)))
    return int(job["id"])


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [*range(LINES)]),
    ({"rank": 1}, [*range(1, LINES, 2)]),
    ({"q": "nowhere"}, []),
]
# Patterns are what each database matches in its own way.
PATTERN: tuple[dict[str, Any], list[int]] = (
    {"pattern": "^Line 1", "stream": "stdout"},
    [1, *(number for number in range(11, 20) if number % 5)],
)


@pytest.mark.parametrize(
    ("query", "printed"), [*FILTERS, pytest.param(*PATTERN, marks=pytest.mark.both_databases)], ids=str
)
async def test_the_last_line_that_was_printed_by_then_is_found(
    server: Server, job_id: int, query: dict[str, Any], printed: list[int]
) -> None:
    for seconds in range(-1, LINES + 1, 3):
        by_then = sum(number <= seconds for number in printed)
        found = await get(server, f"{job_id}/log/outline", at=after(seconds).isoformat(), **query)
        assert (found["line_at"] or 0) == by_then, seconds
        page = (await get(server, f"{job_id}/log", at=after(seconds + 0.5).isoformat(), limit=3, **query))["items"]
        expected = printed[max(0, by_then - 1) :][:3]
        assert [row["number"] - 1 for row in page] == expected, "a page begins with it, else with the first line"


async def test_a_cursor_goes_on_from_there(server: Server, job_id: int) -> None:
    query = {"at": after(20).isoformat(), "limit": 3}
    first = await get(server, f"{job_id}/log", **query)
    second = await get(server, f"{job_id}/log", cursor=first["next"], **query)
    assert [row["number"] for row in (*first["items"], *second["items"])] == [*range(21, 26)]


async def test_of_a_long_log_few_lines_are_read(server: Server, job_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LINES_PER_PAGE", 1)
    with asked(server.services.database) as plain:
        await get(server, f"{job_id}/log/outline")
    with asked(server.services.database) as sought:
        await get(server, f"{job_id}/log/outline", at=after(7).isoformat())
    assert len(sought) - len(plain) <= 6, "25 pages are halved five times, then one is read"


async def test_what_is_no_time_is_refused(server: Server, job_id: int) -> None:
    for text in ("noon", "2026-01-01T12:00:00", "9999-01-01T00:00:00Z"):
        for part in ("", "/outline"):
            answer = await server.admin.get(f"/api/v1/jobs/{job_id}/log{part}", params={"at": text})
            assert answer.status_code == 422
            assert [error["pointer"] for error in answer.json()["errors"]] == ["/at"], text
