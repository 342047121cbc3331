"""Statements that one test compiled serve the next, which saves more than a quarter of their time.

SQLAlchemy keeps compiled statements by dialect, of which each engine has one of its own, and each test an engine.
"""

from typing import Any

from sqlalchemy.dialects.postgresql.psycopg import PGDialectAsync_psycopg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.engine.default import DefaultDialect

from ringscope_server.db.engine import Database

COMPILED: dict[Any, Any] = {}


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
