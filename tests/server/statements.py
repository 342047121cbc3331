"""Statements: those that one test compiled serve the next, and a test may look at what is asked of the database.

To share them saves more than a quarter of the tests' time. SQLAlchemy keeps compiled statements by dialect, of which
each engine has one of its own, and each test an engine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import event
from sqlalchemy.dialects.postgresql.psycopg import PGDialectAsync_psycopg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.engine.default import DefaultDialect

from ringscope_server.db.engine import Database

COMPILED: dict[Any, Any] = {}
_asking: ContextVar[list[str] | None] = ContextVar("asking", default=None)


def _equals(self: DefaultDialect, other: object) -> bool:
    return type(self) is type(other)


def _hash(self: DefaultDialect) -> int:
    return hash(type(self))


for _dialect in (SQLiteDialect_aiosqlite, PGDialectAsync_psycopg):
    _dialect.__eq__ = _equals  # type: ignore[method-assign, assignment]
    _dialect.__hash__ = _hash  # type: ignore[method-assign, assignment]


def share_statements(database: Database) -> None:
    """Let the database use what others have compiled."""
    database._reader = database._reader.execution_options(compiled_cache=COMPILED)
    database._writer = database._writer.execution_options(compiled_cache=COMPILED)


@contextmanager
def asked(database: Database) -> Iterator[list[str]]:
    """The statements of this task and those that it begins, while the context lasts.

    The server's own tasks go on beside it: on PostgreSQL one tells other servers of what the test did before.
    """
    found: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if _asking.get() is found:
            found.append(statement)

    event.listen(database.engine.sync_engine, "before_cursor_execute", note)
    asking = _asking.set(found)
    try:
        yield found
    finally:
        _asking.reset(asking)
        event.remove(database.engine.sync_engine, "before_cursor_execute", note)
