"""A connection to SQLite whose statements are one visit to its thread each.

aiosqlite runs a connection in a thread of its own, which is asked to make a cursor, to execute, to fetch all rows and
to close the cursor: four times for a statement, and each time two threads wait for each other. All rows are fetched
anyway before SQLAlchemy gives the first one out, so one visit does all four. A transaction begins in the visit of its
first statement, and there is no visit to end one that never began or has ended.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import aiosqlite
from aiosqlite.context import contextmanager


class Answer(NamedTuple):
    """The result of a statement, by the names of a cursor; ``description`` is None if it has no rows."""

    description: Any = None
    rows: list[Any] = []
    rowcount: int = -1
    lastrowid: int | None = None


class Cursor:
    """A cursor with what SQLAlchemy needs and no streaming; between two calls the database holds nothing of it."""

    arraysize = 1  # SQLAlchemy's default for fetchmany, which is served from what was fetched

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._answer = Answer()

    async def execute(self, sql: str, parameters: Any = ()) -> None:
        """Execute a statement and fetch its rows."""
        self._answer = await self._connection.visit(lambda cursor: cursor.execute(sql, parameters))

    async def executemany(self, sql: str, parameters: Iterable[Any]) -> None:
        """Execute a statement for each."""
        self._answer = await self._connection.visit(lambda cursor: cursor.executemany(sql, parameters))

    async def fetchall(self) -> list[Any]:
        """All rows of the last statement."""
        return self._answer.rows

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def description(self) -> Any:
        """The columns; None for a statement without rows."""
        return self._answer.description

    @property
    def rowcount(self) -> int:
        """Return the number of rows that were changed."""
        return self._answer.rowcount

    @property
    def lastrowid(self) -> int | None:
        """Return the id of the last row that was inserted."""
        return self._answer.lastrowid


class Connection(aiosqlite.Connection):
    """Gives out such cursors."""

    _begin = ""  # a transaction that the next statement begins

    def begin(self, how: str) -> None:
        """Begin a transaction by this statement, together with the first one in it."""
        self._begin = how

    async def commit(self) -> None:
        """End the transaction, if one has begun."""
        if self._has_begun():
            await super().commit()

    async def rollback(self) -> None:
        """Undo it, if one has begun."""
        if self._has_begun():
            await super().rollback()

    def _has_begun(self) -> bool:
        self._begin = ""
        return self.in_transaction

    @contextmanager
    async def cursor(self) -> Cursor:  # type: ignore[override]  # it can less: what nobody here asks for is left out
        """One for a statement."""
        return Cursor(self)

    async def visit(self, run: Callable[[sqlite3.Cursor], object]) -> Answer:
        """Run a statement in the connection's thread, to its end."""

        begin, self._begin = self._begin, ""

        def answer() -> Answer:
            cursor = self._conn.cursor()
            try:
                if begin:
                    cursor.execute(begin)
                run(cursor)
                rows = cursor.fetchall() if cursor.description else []
                return Answer(cursor.description, rows, cursor.rowcount, cursor.lastrowid)
            finally:
                cursor.close()

        found: Answer = await self._execute(answer)  # type: ignore[no-untyped-call]  # aiosqlite writes no types there
        return found


def connect(path: str, **options: Any) -> Connection:
    """Connect as ``aiosqlite.connect`` does, in a thread that does not keep the process alive."""
    connection = Connection(lambda: sqlite3.connect(path, **options), iter_chunk_size=64)
    connection._thread.daemon = True
    return connection
