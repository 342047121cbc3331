"""The database: one engine, short sessions to read, serialised sessions to write."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine


class Database:
    """Sessions on SQLite in WAL mode.

    ``read`` sessions see one snapshot and never block. ``write`` sessions begin with BEGIN IMMEDIATE (a deferred
    transaction that upgrades later can fail with "database is locked" however long it waits) and queue on a lock in
    this process, which is fairer and cheaper than SQLite's own retry loop. No session may be held across a network
    call.
    """

    def __init__(self, url: str) -> None:
        self.engine = _sqlite_engine(url)
        self._writing = asyncio.Lock()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session for queries only."""
        async with AsyncSession(self.engine, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """A session that commits when the block ends well, and rolls back when it raises."""
        writer = self.engine.execution_options(ringscope_write=True)
        async with self._writing, AsyncSession(writer, expire_on_commit=False) as session, session.begin():
            yield session

    async def dispose(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


def sqlite_url(data_dir: Path) -> str:
    """The URL of the embedded database in a data directory."""
    return f"sqlite+aiosqlite:///{data_dir / 'ringscope.sqlite3'}"


def _sqlite_engine(url: str) -> AsyncEngine:
    engine = create_async_engine(url)
    event.listen(engine.sync_engine, "connect", _prepare_connection)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _prepare_connection(connection: Any, _record: object) -> None:
    # The driver must not begin transactions on its own: _begin does, in the mode that is needed.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "busy_timeout = 10000",
        "foreign_keys = ON",
        "temp_store = MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    is_write = connection.get_execution_options().get("ringscope_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")
