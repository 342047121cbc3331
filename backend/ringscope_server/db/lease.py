"""The lease of the scheduler: of several servers the one schedules that holds a row and keeps renewing it."""

import logging
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Lease as LeaseRow

log = logging.getLogger(__name__)

SCHEDULER = "scheduler"


class LeaseTakenError(Exception):
    """Another server holds the lease, or is taking it at this moment."""


class Lease:
    """This server's claim on a task that only one server may do at a time.

    The work is done in the transaction that took the lease, which keeps its row locked: nobody else can take it before
    that transaction is over, however long this server is paused in it (PostgreSQL ends the transaction after a while,
    and then nothing of it is committed). A server that was paused outside of it finds another holder here, and its work
    is refused. The fence counts holders, for what is done outside of the database.
    """

    def __init__(self, database: Database, holder: str, seconds: float, name: str = SCHEDULER) -> None:
        self.fence = 0
        self.is_held = False
        self._database = database
        self._holder = holder
        self._duration = timedelta(seconds=seconds)
        self._name = name

    async def create(self, session: AsyncSession) -> None:
        """Make the row, once for all servers; the transaction must keep others from doing the same.

        On SQLite a row that is there has no living holder: this server has the lock of the data directory.
        """
        row, now = await session.get(LeaseRow, self._name), await self._database.time(session)
        if row is None:
            session.add(LeaseRow(name=self._name, holder="", fence=0, expires_at=now))
        elif self._database.is_sqlite:
            row.expires_at = now

    async def take(self, session: AsyncSession) -> bool:
        """Take or renew the lease for the rest of this transaction and ``seconds`` beyond; whether it was another's.

        Raises LeaseTakenError.
        """
        row, now = await self._locked_row(session, must_wait=self.is_held)
        if row is None:
            self._note(False)
            raise LeaseTakenError
        before = row.holder
        if before != self._holder:
            row.holder, row.fence = self._holder, row.fence + 1
        self.fence = row.fence
        row.expires_at = now + self._duration
        self._note(True)
        return before not in ("", self._holder)

    async def keep(self, session: AsyncSession) -> None:
        """Renew the lease in a later transaction of the same pass; this server must still hold it.

        Raises LeaseTakenError also when nobody else has it, but this server stood still for longer than it lasts: what
        was decided is too old. On SQLite it is not, as nobody else decides.
        """
        row, now = await self._locked_row(session, must_wait=True)
        is_over = row is not None and row.expires_at <= now and not self._database.is_sqlite
        if row is None or is_over or (row.holder, row.fence) != (self._holder, self.fence):
            self._note(False)
            raise LeaseTakenError
        row.expires_at = now + self._duration

    async def release(self) -> None:
        """Let the next server take over at once. A database that is away learns it from the clock."""
        if not self.is_held:
            return
        self.is_held = False
        try:
            async with self._database.write() as session:
                row = await session.get(LeaseRow, self._name, with_for_update={"key_share": True})
                if row is not None and row.holder == self._holder:
                    row.expires_at = await self._database.time(session)
        except SQLAlchemyError as error:
            log.warning("The lease could not be released: %s", error)

    async def _locked_row(self, session: AsyncSession, must_wait: bool) -> tuple[LeaseRow | None, datetime]:
        """The row if it is this server's or nobody's any more, and the time that counts.

        None while another server has it or is taking it. The condition is the database's to check: a row that is
        another's must never be locked here, or its holder would have to wait. This server may have been paused at any
        moment before, having seen its own name in it.

        A holder waits for a row that is locked: mostly by another task of its own server, as passes and insights are
        transactions side by side. Whoever has no lease looks again later.
        """
        before = await self._database.time(session)
        row = await session.scalar(
            select(LeaseRow)
            .where(LeaseRow.name == self._name)
            .where((LeaseRow.holder == self._holder) | (LeaseRow.expires_at <= before))
            .with_for_update(key_share=True, skip_locked=not must_wait)
        )
        return row, await self._database.time(session)

    def _note(self, is_held: bool) -> None:
        if is_held != self.is_held:
            log.info("This server schedules from now on." if is_held else "Another server schedules.")
        self.is_held = is_held
