"""SQLite's connection: a statement is one visit to its thread, and answers as the library's own would."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from ringscope_server.db import one_visit

STATEMENTS: list[tuple[str, list[Any]]] = [
    ("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", []),
    ("INSERT INTO t (name) VALUES (?), (?)", ["one", "two"]),
    ("SELECT id, name AS called FROM t ORDER BY id", []),
    ("SELECT id FROM t WHERE name = ?", ["three"]),
    ("INSERT INTO t (name) VALUES (?) RETURNING id, name", ["three"]),
    ("UPDATE t SET name = ? WHERE id > ?", ["other", 1]),
    ("DELETE FROM t WHERE id = ? RETURNING name", [7]),
    ("PRAGMA table_info(t)", []),
]


@pytest.fixture
async def connections(tmp_path: Path) -> AsyncIterator[tuple[one_visit.Connection, aiosqlite.Connection]]:
    mine, theirs = one_visit.connect(str(tmp_path / "mine")), aiosqlite.connect(tmp_path / "theirs")
    async with mine, theirs:
        yield mine, theirs


async def answer(connection: Any, statement: str, parameters: list[Any]) -> tuple[Any, ...]:
    async with connection.cursor() as cursor:
        await cursor.execute(statement, parameters)
        rows = await cursor.fetchall() if cursor.description else []
        return cursor.description, list(rows), cursor.rowcount, cursor.lastrowid


async def test_statements_answer_as_the_librarys_own(
    connections: tuple[one_visit.Connection, aiosqlite.Connection],
) -> None:
    mine, theirs = connections
    for statement, parameters in STATEMENTS:
        assert await answer(mine, statement, parameters) == await answer(theirs, statement, parameters), statement


async def test_many_rows_are_one_statement(connections: tuple[one_visit.Connection, aiosqlite.Connection]) -> None:
    await answer(connections[0], *STATEMENTS[0])
    async with connections[0].cursor() as cursor:
        await cursor.executemany("INSERT INTO t (name) VALUES (?)", [(str(number),) for number in range(100)])
        assert cursor.rowcount == 100


Visits = list[Any]


@pytest.fixture
def visits(connections: tuple[one_visit.Connection, aiosqlite.Connection], monkeypatch: pytest.MonkeyPatch) -> Visits:
    """Return the list of requests that our connection sends to its thread."""
    found, execute = [], connections[0]._execute

    async def counted(visit: Any, *arguments: Any) -> Any:
        found.append(visit)
        return await execute(visit, *arguments)

    monkeypatch.setattr(connections[0], "_execute", counted)
    return found


async def test_a_statement_is_one_visit(
    connections: tuple[one_visit.Connection, aiosqlite.Connection], visits: Visits
) -> None:
    for statement, parameters in STATEMENTS:
        await answer(connections[0], statement, parameters)
    assert len(visits) == len(STATEMENTS)


async def test_a_transaction_begins_with_its_first_statement_and_ends_once(
    connections: tuple[one_visit.Connection, aiosqlite.Connection], visits: Visits
) -> None:
    mine, _ = connections
    await answer(mine, "CREATE TABLE t (id INTEGER)", [])
    visits.clear()
    for end, left in ((mine.rollback, 0), (mine.commit, 1)):
        mine.begin("BEGIN IMMEDIATE")
        assert not mine.in_transaction
        await answer(mine, "INSERT INTO t VALUES (1)", [])
        assert mine.in_transaction
        await end()
        await mine.rollback()  # as a pool does with what comes back to it
        assert len(visits) == 2
        assert (await answer(mine, "SELECT count(*) FROM t", []))[1] == [(left,)]
        visits.clear()


async def test_a_transaction_without_a_statement_is_none(
    connections: tuple[one_visit.Connection, aiosqlite.Connection], visits: Visits
) -> None:
    mine, _ = connections
    for end in (mine.commit, mine.rollback):
        mine.begin("BEGIN IMMEDIATE")
        await end()
        await answer(mine, "SELECT 1", [])
        assert not mine.in_transaction
    assert len(visits) == 2


async def test_a_first_statement_that_fails_leaves_a_transaction_to_undo(
    connections: tuple[one_visit.Connection, aiosqlite.Connection],
) -> None:
    mine, _ = connections
    mine.begin("BEGIN")
    with pytest.raises(sqlite3.OperationalError, match="no such table: t"):
        await answer(mine, "SELECT * FROM t", [])
    assert mine.in_transaction
    await mine.rollback()
    assert not mine.in_transaction


async def test_an_error_is_the_databases_own_and_leaves_the_connection_usable(
    connections: tuple[one_visit.Connection, aiosqlite.Connection],
) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table: t"):
        await answer(connections[0], "SELECT * FROM t", [])
    assert (await answer(connections[0], "SELECT 1", []))[1] == [(1,)]
