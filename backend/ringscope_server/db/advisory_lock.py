"""A lock on a name instead of a row, for what is not in any table yet."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession


async def hold(session: AsyncSession, name: str) -> None:
    """Wait until no other transaction holds ``name``, then hold it to the end of this one.

    On SQLite a write session is alone anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))
