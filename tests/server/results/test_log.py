"""GET /jobs/{id}/log, its outline and its export."""

import asyncio
from itertools import product
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.results import log
from ringscope_server.services import SCANS_AT_ONCE

START_NS = 1_767_225_600_000_000_123
PARTS = ("", "/outline", "/export")


@pytest.fixture
async def job_id(server: Server, monkeypatch: pytest.MonkeyPatch) -> int:
    """A job that printed 25 lines, on pages of ten."""
    monkeypatch.setattr(log, "LINES_PER_PAGE", 10)
    monkeypatch.setattr("ringscope_server.http.routes.log.LINES_PER_PAGE", 10)
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *(line(number) for number in range(25)))
    return int(job["id"])


def line(number: int) -> dict[str, Any]:
    text = f"Line {number}: 100% of \x1b[31mit\x1b[0m"
    return {
        "type": "log",
        "rank": number % 2,
        "stream": "stderr" if number % 5 == 0 else "stdout",
        "time_ns": START_NS + number,
        "text": text,
    }


async def get(server: Server, path: str, **query: Any) -> dict[str, Any]:
    answer = await server.admin.get(f"/api/v1/jobs/{path}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_any_page_can_be_read_by_the_outline(server: Server, job_id: int) -> None:
    outline = await get(server, f"{job_id}/log/outline")
    assert (outline["lines"], outline["lines_per_page"], len(outline["cursors"])) == (25, 10, 3)
    pages = []
    for cursor in outline["cursors"]:
        query = {"limit": 10} | ({} if cursor is None else {"cursor": cursor})
        pages.append((await get(server, f"{job_id}/log", **query))["items"])
    assert [len(page) for page in pages] == [10, 10, 5]
    assert [row["time_ns"] - START_NS for page in pages for row in page] == [*range(25)]
    assert pages[-1][-1]["id"] == outline["last_id"]


FOUND: list[tuple[dict[str, Any], list[int]]] = [
    ({"rank": 1}, [*range(1, 25, 2)]),
    ({"q": "LINE 13:"}, [13]),
    ({"q": "1: line", "rank": 1}, [1, 11, 21]),
    ({"q": "100%"}, [*range(25)]),
    ({"q": "100_"}, []),
    ({"stream": "stderr", "rank": 0}, [0, 10, 20]),
    ({"pattern": r"^Line 1?3\b"}, [3, 13]),
    ({"pattern": "(?i)line (4|5):", "q": "5"}, [5]),
    ({"pattern": "line"}, []),
]


@pytest.mark.both_databases
async def test_lines_are_found_by_rank_stream_words_and_pattern(server: Server, job_id: int) -> None:
    for query, numbers in FOUND:
        found = (await get(server, f"{job_id}/log", **query))["items"]
        assert [row["time_ns"] - START_NS for row in found] == numbers, query
        assert [row["number"] for row in found] == [number + 1 for number in numbers], "their place in the whole log"
        outline = await get(server, f"{job_id}/log/outline", **query)
        assert (outline["lines"], len(outline["cursors"])) == (len(numbers), max(1, -(-len(numbers) // 10))), query


PRINTED = {
    "n1:12:15 [0] NCCL WARN Call to connect failed": "warning",
    "RuntimeWarning: overflow encountered in add": "warning",
    "warnings are counted below": None,
    "ValueError: 3 ranks, not 4": "error",
    "Traceback (most recent call last):": "error",
    "FATAL: out of memory": "error",
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES": "error",
    "rms_error_bound 1e-6, errors 0": None,
}


@pytest.mark.both_databases
async def test_lines_are_found_by_the_level_that_their_words_name(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *(line(number) | {"text": text} for number, text in enumerate(PRINTED)))
    for level, named in (("error", ["error"]), ("warning", ["warning", "error"])):
        found = (await get(server, f"{job['id']}/log", level=level))["items"]
        assert [row["text"] for row in found] == [text for text, named_level in PRINTED.items() if named_level in named]
    assert (await get(server, f"{job['id']}/log/outline", level="error", q="ranks"))["lines"] == 1
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/log", params={"level": "loud"})
    (error,) = answer.json()["errors"]
    assert answer.status_code == 422 and error["pointer"] == "/level"


async def test_all_of_it_is_a_text_file(server: Server, job_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for batch in (7, 2_000):
        monkeypatch.setattr(log, "_BATCH_LINES", batch)
        answer = await server.admin.get(f"/api/v1/jobs/{job_id}/log/export", params={"rank": 0})
        assert f'filename="ringscope-job-{job_id}.log"' in answer.headers["content-disposition"]
        lines = answer.text.splitlines()
        assert lines[0] == "2026-01-01T00:00:00.000000123Z n1 rank 0: Line 0: 100% of \x1b[31mit\x1b[0m"
        assert len(lines) == 13, batch


async def test_every_line_of_a_record_tells_its_rank(server: Server) -> None:
    agent = await server.node("n1")
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, line(1) | {"text": "one\n[7] two\u2028three"}, line(2) | {"text": ""})
    text = (await server.admin.get(f"/api/v1/jobs/{job['id']}/log/export")).text
    assert len(text.splitlines()) == 4
    assert all(" n1 rank " in told for told in text.splitlines())


async def test_a_log_that_fills_its_pages_has_no_empty_one(server: Server, job_id: int) -> None:
    assert len((await get(server, f"{job_id}/log/outline", q="13:", rank=1))["cursors"]) == 1
    for query in ({"q": "nowhere"}, {"rank": 9}):
        assert await get(server, f"{job_id}/log/outline", **query) == {
            "lines": 0,
            "last_id": None,
            "lines_per_page": 10,
            "cursors": [None],
            "line_at": None,
        }
    for part in ("outline", "export"):
        assert (await server.admin.get(f"/api/v1/jobs/77/log/{part}")).status_code == 404


async def test_numbers_go_on_from_page_to_page(server: Server, job_id: int) -> None:
    first = await get(server, f"{job_id}/log", q="line", limit=7)
    second = await get(server, f"{job_id}/log", q="line", limit=7, cursor=first["next"])
    assert [row["number"] for row in second["items"]] == [*range(8, 15)]


BAD_PATTERNS = {
    "rank (": "pattern: 'rank (' is no regular expression: unclosed group; mend it.",
    r"(a)\1": r"backreferences are not supported",
    "(?=a)": "(? is not supported; write it with plain characters, [classes] and (?:groups).",
    r"\p{L}": r"\p is not supported",
    "((a{1,1000}){1,1000}){1,1000}": "it is too large",
}


async def test_a_bad_pattern_is_one_sentence(server: Server, job_id: int) -> None:
    for (pattern, detail), part in product(BAD_PATTERNS.items(), PARTS):
        answer = await server.admin.get(f"/api/v1/jobs/{job_id}/log{part}", params={"pattern": pattern})
        assert answer.status_code == 422
        (error,) = answer.json()["errors"]
        assert error["pointer"] == "/pattern" and detail in error["detail"]


async def test_a_pattern_that_only_the_database_refuses_is_no_mistake_of_the_server(
    server: Server, job_id: int
) -> None:
    expected = 200 if server.services.database.is_sqlite else 422
    for part in PARTS:
        answer = await server.admin.get(f"/api/v1/jobs/{job_id}/log{part}", params={"pattern": "a{300}"})
        assert answer.status_code == expected


async def test_a_rank_that_no_job_can_have_is_refused(server: Server, job_id: int) -> None:
    for part in PARTS:
        answer = await server.admin.get(f"/api/v1/jobs/{job_id}/log{part}", params={"rank": 2**89})
        assert answer.status_code == 422, part


async def test_no_pattern_keeps_the_server_busy(server: Server, job_id: int) -> None:
    async with asyncio.timeout(60):
        assert (await get(server, f"{job_id}/log/outline", pattern="(.*)*(.*)*(.*)*x$"))["lines"] == 0


async def outline(person: httpx.AsyncClient, job_id: int) -> Any:
    return (await person.get(f"/api/v1/jobs/{job_id}/log/outline", params={"pattern": "a"})).json()


async def test_looks_through_long_logs_leave_connections_for_everybody_else(
    server: Server, job_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, are_as_many_as_may_be, may_end = 0, asyncio.Event(), asyncio.Event()
    page_ends = log.page_ends

    async def slow(session: AsyncSession, wanted: log.LogFilter) -> Any:
        nonlocal under_way
        await session.scalar(select(1))  # it has its connection
        under_way += 1
        if under_way == SCANS_AT_ONCE:
            are_as_many_as_may_be.set()
        await may_end.wait()
        return await page_ends(session, wanted)

    monkeypatch.setattr(log, "page_ends", slow)
    async with asyncio.TaskGroup() as tasks:
        people = [await server.person("viewer", f"viewer {number}") for number in range(4)]
        looks = [tasks.create_task(outline(person, job_id)) for person in people for _ in range(5)]
        async with asyncio.timeout(20):  # for a connection the pool would wait 30 s
            await are_as_many_as_may_be.wait()
            assert (await server.admin.get("/api/v1/jobs")).status_code == 200
            assert (await get(server, f"{job_id}/log", limit=1))["items"], "a page without a search is read at once"
        assert under_way <= SCANS_AT_ONCE
        may_end.set()
    assert [look.result()["lines"] for look in looks] == [0] * 20


async def test_of_a_line_that_is_redrawn_only_the_newest_state_stands_in_the_log(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()

    def state(number: int, replaces: int | None, rank: int = 0) -> dict[str, Any]:
        replaces_ns = None if replaces is None else START_NS + replaces
        return line(number) | {"rank": rank, "stream": "stderr", "replaces_ns": replaces_ns}

    async def told() -> list[int]:
        return [row["time_ns"] - START_NS for row in (await get(server, f"{job['id']}/log"))["items"]]

    await agent.records(attempt, line(0), state(1, None), state(1, None, rank=1), line(2))
    assert await told() == [0, 1, 1, 2]
    await agent.records(attempt, line(3), state(4, 1))
    assert await told() == [0, 1, 2, 3, 4], "the other rank's state of the same time stays"
    await agent.records(attempt, state(5, 4), state(6, 5), line(7), state(8, 6), state(9, 1, rank=1))
    assert await told() == [0, 2, 3, 7, 8, 9]
    outline = await get(server, f"{job['id']}/log/outline")
    assert outline["lines"] == 6
    await agent.records(attempt, state(11, 10))
    assert await told() == [0, 2, 3, 7, 8, 9, 11], "a state whose earlier one was lost is a line as any other"
