"""The database: one engine, short sessions to read, sessions to write that commit as a whole."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, func, make_url, select, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.disk import has_room
from ringscope_server.db.faults import LOCKED, STORAGE_FULL, Fault, fault_of, is_lasting
from ringscope_server.db.postgresql import postgresql_engine
from ringscope_server.db.sqlite import WRITE, sqlite_engine
from ringscope_server.overload.priority_lock import PriorityLock

RETRY_SECONDS = 3.0


class Database:
    """Sessions on SQLite or PostgreSQL. No session may be held across a network call.

    ``read`` sessions see one snapshot and never block. ``write`` sessions are transactions. On SQLite they begin with
    BEGIN IMMEDIATE (a deferred transaction that upgrades later can fail with "database is locked" however long it
    waits) and queue on a lock in this process, which is fairer and cheaper than SQLite's own retry loop. On PostgreSQL
    they run side by side (READ COMMITTED): whoever decides by a row locks it with ``with_for_update(key_share=True)``.
    """

    def __init__(self, url: str | URL) -> None:
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = sqlite_engine(url) if self.is_sqlite else postgresql_engine(url)
        snapshot = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reader = self.engine.execution_options(**snapshot)
        self._writer = self.engine.execution_options(**{WRITE: True})
        self._writing = PriorityLock() if self.is_sqlite else None
        # What is still to be written, in the same transaction, once its block has ended well.
        self.before_commit: list[Callable[[AsyncSession], Awaitable[None]]] = []
        self._fault: Fault | None = None  # the last write that failed for a reason outside the write, and its time
        self._failed_at = 0.0
        self._is_trying = False
        self._locked: BaseException | None = None  # SQLite's own error, where the last write waited for another process

    @property
    def label(self) -> str:
        """The database in words for operators, without user and password."""
        url = self.engine.url
        if self.is_sqlite:
            return f"The database {url.database}"
        host = url.host or url.query.get("host", "")
        return f"The database postgresql://{host}{f':{url.port}' if url.port else ''}/{url.database}"

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session for queries only."""
        async with AsyncSession(self._reader, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self, *, first: bool = False) -> AsyncIterator[AsyncSession]:
        """A session that commits when the block ends well, and rolls back when it raises.

        With ``first`` it comes before those that wait: what must run is not kept by what is asked.
        """
        turn = nullcontext() if self._writing is None else self._writing.held(first=first)
        came_at = time.monotonic()
        async with turn:
            if self._locked is not None and self._failed_at >= came_at:
                # The one before it waited in vain for as long as SQLite waits; one after the other would take minutes.
                raise OperationalError("BEGIN IMMEDIATE", None, self._locked)
            try:
                async with AsyncSession(self._writer, expire_on_commit=False) as session, session.begin():
                    yield session
                    for complete in self.before_commit:
                        await complete(session)
            except SQLAlchemyError as error:
                self._note(error)
                raise
            self._locked = None

    def _note(self, error: SQLAlchemyError) -> None:
        fault = fault_of(error)
        if fault is not None and is_lasting(fault):
            self._fault, self._failed_at = fault, time.monotonic()
        self._locked = error.orig if fault is LOCKED and isinstance(error, OperationalError) else None

    async def fault(self) -> Fault | None:
        """Why nothing can be stored, where a write has failed for that; every few seconds it is tried whether one can.

        On a full disk small writes may go through where others do not, so that a write that went well proves nothing.
        """
        if self._fault is None or self._is_trying or time.monotonic() < self._failed_at + RETRY_SECONDS:
            return self._fault
        self._is_trying = True
        try:
            await self._try_again()
        finally:
            self._failed_at, self._is_trying = time.monotonic(), False
        return self._fault

    async def _try_again(self) -> None:
        if self.is_sqlite and not await asyncio.to_thread(has_room, Path(str(self.engine.url.database)).parent):
            self._fault = STORAGE_FULL
            return
        with suppress(SQLAlchemyError):
            async with self.write(first=True) as session:
                await session.execute(text("UPDATE alembic_version SET version_num = version_num"))
            self._fault = None

    async def time(self, session: AsyncSession) -> datetime:
        """The clock that every server on this database shares. SQLite has none, and serves one machine only."""
        if self.is_sqlite:
            return datetime.now(UTC)
        now: datetime = (await session.execute(select(func.clock_timestamp()))).scalar_one()
        return now.astimezone(UTC)

    @property
    def driver_error(self) -> type[Exception]:
        """The base of what the driver itself raises, where SQLAlchemy does not stand between."""
        error: type[Exception] = self.engine.dialect.loaded_dbapi.Error
        return error

    async def dispose(self) -> None:
        """Close every connection."""
        await self.engine.dispose()
