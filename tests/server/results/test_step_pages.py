"""Pages of steps: each costs as much as its rows, however long the job was and however few of its steps are wanted."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Server, steps
from tests.server.statements import asked

from ringscope_server.results import queries

RANKS, STEPS = 3, 20


@pytest.fixture
async def path(server: Server) -> str:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": RANKS}})
    attempt = await agent.start_next()
    for first in (0, STEPS // 2):
        await agent.records(attempt, *(steps(rank, first, STEPS // 2) for rank in range(RANKS)))
    return f"/api/v1/jobs/{job['id']}/steps"


async def pages(server: Server, path: str, **query: Any) -> list[list[tuple[int, int]]]:
    """Rank and number of the steps, page by page."""
    found, cursor = [], {}
    while True:
        answer = (await server.admin.get(path, params={**query, **cursor})).json()
        found.append([(row["rank"], row["step"]) for row in answer["items"]])
        if answer["next"] is None:
            return found
        cursor = {"cursor": answer["next"]}


@pytest.mark.parametrize("seen_rows", [7, 20_000])
async def test_pages_come_to_every_wanted_step_once(
    server: Server, path: str, seen_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SEEN_ROWS", seen_rows)
    for query, ranks in (({}, range(RANKS)), ({"rank": 1}, [1]), ({"rank": 9}, []), ({"algorithm": "ring"}, range(3))):
        found = sorted(row for page in await pages(server, path, limit=11, **query) for row in page)
        assert found == [(rank, step) for rank in ranks for step in range(STEPS)]


async def test_a_page_looks_at_few_rows_where_none_is_wanted(
    server: Server, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SEEN_ROWS", 10)
    found = await pages(server, path, rank=RANKS - 1, limit=1000)
    assert max(len(page) for page in found) <= 10
    assert found[0] == [], "its steps come later"
    everything = [step for page in await pages(server, path, limit=1000) for step in page]
    assert len(everything) == RANKS * STEPS


async def test_a_page_costs_the_same_queries_wherever_it_is(server: Server, path: str) -> None:
    with asked(server.services.database) as statements:
        await pages(server, path, limit=30)
    of_steps = [statement for statement in statements if "FROM steps" in statement]
    assert len(of_steps) == 2 * (RANKS * STEPS // 30 + 1)
    assert not [statement for statement in of_steps if "count(" in statement.lower()]
