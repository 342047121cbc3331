"""A connection to SQLite whose statements are one visit to its thread each.

aiosqlite runs a connection in a thread of its own, which is asked to make a cursor, to execute, to fetch all rows and
to close the cursor: four times for a statement, and each time two threads wait for each other. All rows are fetched
anyway before SQLAlchemy gives the first one out, so one visit does all four.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

import aiosqlite
from aiosqlite.context import contextmanager


class Cursor(aiosqlite.Cursor):
    """What came of the last statement; nothing of it is left in the database."""

    def __init__(self, connection: "Connection") -> None:
        super().__init__(connection, None)  # type: ignore[arg-type]  # the real one lives as long as a visit
        self._description: Any = None
        self._rowcount = -1
        self._lastrowid: int | None = None
        self._rows: list[Any] = []

    async def execute(self, sql: str, parameters: Any = None) -> "Cursor":
        """Execute a statement and fetch its rows."""
        return await self._visit(lambda cursor: cursor.execute(sql, parameters or ()))

    async def executemany(self, sql: str, parameters: Iterable[Any]) -> "Cursor":
        """Execute a statement for each."""
        return await self._visit(lambda cursor: cursor.executemany(sql, parameters))

    async def _visit(self, run: Callable[[sqlite3.Cursor], object]) -> "Cursor":
        def visit() -> None:
            cursor = self._conn._conn.cursor()
            try:
                run(cursor)
                self._description = cursor.description
                self._rows = cursor.fetchall() if cursor.description else []
                self._rowcount, self._lastrowid = cursor.rowcount, cursor.lastrowid
            finally:
                cursor.close()

        await self._conn._execute(visit)  # type: ignore[no-untyped-call]
        return self

    async def fetchall(self) -> list[Any]:
        """All rows."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def description(self) -> Any:
        """The columns; None for a statement without rows."""
        return self._description

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        return self._rowcount

    @property
    def lastrowid(self) -> int | None:
        """Of the last row that was inserted."""
        return self._lastrowid


class Connection(aiosqlite.Connection):
    """Gives out such cursors."""

    @contextmanager
    async def cursor(self) -> aiosqlite.Cursor:
        """One for a statement."""
        return Cursor(self)


def connect(path: str, **options: Any) -> Connection:
    """As ``aiosqlite.connect``; its thread does not keep the process alive, as SQLAlchemy sees to for its own."""
    connection = Connection(lambda: sqlite3.connect(path, **options), iter_chunk_size=64)
    connection._thread.daemon = True
    return connection
