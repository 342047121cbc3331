"""The databases read a page of jobs along an index and sort nothing."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from sqlalchemy import Select, text
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.db.models import Job
from ringscope_server.jobs.filters import EVERY_JOB, JobFilter
from ringscope_server.jobs.queries import ids_of_page, matching
from ringscope_server.jobs.sorting import Sort, parts

pytestmark = pytest.mark.both_databases

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
async def session(server: Server) -> AsyncIterator[AsyncSession]:
    async with server.services.database.read() as session:
        yield session


PLANS = [
    (EVERY_JOB, "INTEGER PRIMARY KEY", []),
    (JobFilter(("succeeded",)), "COVERING INDEX ix_jobs_state_id", ["state=?"]),
    (JobFilter(("failed", "succeeded")), "COVERING INDEX ix_jobs_state_id", ["state=?"]),
    (JobFilter(user="ada"), "COVERING INDEX ix_jobs_user_id", ["user=?"]),
    (JobFilter(("failed",), user="ada"), "COVERING INDEX ix_jobs_user_state_id", ["user=?", "state=?"]),
    # No index knows them: from the newest job on, each is looked at.
    (JobFilter(labels={"team": "a"}), "INTEGER PRIMARY KEY", []),
    (JobFilter(kind="training"), "INTEGER PRIMARY KEY", []),
    (JobFilter(collective="reduce", algorithm="ring"), "INTEGER PRIMARY KEY", []),
]


@on_sqlite
async def test_the_newest_are_read_along_an_index_and_nothing_is_sorted(session: AsyncSession) -> None:
    """SQLite's planner goes by rules. PostgreSQL's goes by the size of the tables, which here are empty."""
    for (wanted, index, columns), before in product(PLANS, (None, 1000)):
        plan = await sqlite_plan(session, ids_of_page(50, before, wanted))
        bound = columns if before is None else [*columns, "id<?" if columns else "rowid<?"]
        # Without any bound the table is read along its own key, newest first.
        expected = f"SEARCH jobs USING {index} ({' AND '.join(bound)})" if bound else "SCAN jobs"
        assert {line for line in plan if "jobs" in line} == {expected}, plan
        assert not any("TEMP B-TREE" in line for line in plan), plan


BUSBW, RANKS = "ix_jobs_busbw_gb_per_s_id (busbw_gb_per_s", "ix_jobs_ranks_id (ranks"
# By the order, and the number of the job before: null has none, and without a job before it is the first page.
FIRST = "first page"
ORDERS: list[tuple[Sort, Any, list[str]]] = [
    ("-ranks", FIRST, ["SCAN jobs USING COVERING INDEX ix_jobs_ranks_id"]),
    ("-ranks", 4, [f"SEARCH jobs USING COVERING INDEX {RANKS}<?)"]),
    ("ranks", 4, [f"SEARCH jobs USING COVERING INDEX {RANKS}>?)"]),
    ("-busbw", FIRST, [f"SEARCH jobs USING COVERING INDEX {BUSBW}{bound}?)" for bound in ">="]),
    ("-busbw", 2.5, [f"SEARCH jobs USING COVERING INDEX {BUSBW}{b}?)" for b in (">? AND busbw_gb_per_s<", "=")]),
    ("busbw", 2.5, [f"SEARCH jobs USING COVERING INDEX {BUSBW}{bound}?)" for bound in ">="]),
    ("-busbw", None, [f"SEARCH jobs USING COVERING INDEX {BUSBW}=? AND id<?)"]),
    ("busbw", None, [f"SEARCH jobs USING COVERING INDEX {BUSBW}=? AND id>?)"]),
]


@on_sqlite
@pytest.mark.parametrize(("sort", "last", "expected"), ORDERS)
async def test_an_order_is_read_along_its_index(
    session: AsyncSession, sort: Sort, last: Any, expected: list[str]
) -> None:
    plans = [await sqlite_plan(session, part) for part in questions(sort, last)]
    assert plans == [[line] for line in expected]


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OVERVIEW = JobFilter(states=["succeeded"], kind="benchmark", finished_after=NOON)


@on_sqlite
async def test_what_ended_since_a_time_is_all_that_the_overview_has_read(session: AsyncSession) -> None:
    for part in questions("-busbw", FIRST, OVERVIEW):
        plan = await sqlite_plan(session, part)
        assert "SEARCH jobs USING COVERING INDEX ix_jobs_finished_at (finished_at>?)" in plan
        others = {line for line in plan if "jobs" in line and "ix_jobs_finished_at" not in line}
        assert all("id=?" in line for line in others) and len(others) == 1, plan


@on_postgresql
async def test_postgresql_which_knows_its_rows_sorts_none_of_the_history_either(server: Server) -> None:
    await multiply(server, 4_000)
    async with server.services.database.read() as session:
        for sort, last, _ in ORDERS:
            for part in questions(sort, last):
                plan = await postgresql_plan(session, part)
                assert "Index" in plan and "Sort" not in plan and "Seq Scan" not in plan, (sort, last, plan)
        for part in questions("-busbw", FIRST, OVERVIEW):
            plan = await postgresql_plan(session, part)
            assert "ix_jobs_finished_at" in plan and "Seq Scan" not in plan, plan


async def multiply(server: Server, count: int) -> None:
    """Jobs that ended one an hour up to noon, every second with a bandwidth; the planner has counted them."""
    await server.node()
    await server.submit(**ONE_SIZE)
    changed = {
        "id": "n",
        "state": "'succeeded'",
        "finished_at": f"timestamptz '{NOON - timedelta(hours=count - 10)}' + n * interval '1 hour'",
        "busbw_gb_per_s": "CASE WHEN n % 2 = 0 THEN n * 7919 % 10007 END",
        "ranks": "n % 64",
    }
    columns = [f'"{column.name}"' for column in Job.__table__.columns]
    values = [changed.get(column.name, f'jobs."{column.name}"') for column in Job.__table__.columns]
    copies = f"SELECT {', '.join(values)} FROM jobs, generate_series(2, {count}) AS n"
    async with server.services.database.write() as session:
        await session.execute(text(f"INSERT INTO jobs ({', '.join(columns)}) {copies}"))
        await session.execute(text("ANALYZE jobs"))


def questions(sort: Sort, last: Any, wanted: JobFilter = EVERY_JOB) -> list[Select[int]]:
    after = None if last == FIRST else 1000
    return [part.limit(50) for part in parts(matching(wanted), sort, after, None if last == FIRST else last)]


async def sqlite_plan(session: AsyncSession, query: Select[int]) -> list[str]:
    return [row.detail for row in await session.execute(text(f"EXPLAIN QUERY PLAN {words(session, query)}"))]


async def postgresql_plan(session: AsyncSession, query: Select[int]) -> str:
    return "\n".join(await session.scalars(text(f"EXPLAIN {words(session, query)}")))


def words(session: AsyncSession, query: Select[int]) -> str:
    how = {"literal_binds": True, "render_postcompile": True}
    return str(query.compile(dialect=session.get_bind().dialect, compile_kwargs=how))
