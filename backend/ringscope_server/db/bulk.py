"""Many rows at once: past the ORM and past SQLAlchemy's own handling of parameters, which costs more than SQLite."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Base

# How each paramstyle of the drivers in use writes a parameter.
_PLACEHOLDERS = {"qmark": "?", "format": "%s", "pyformat": "%s"}
# Rows per statement: beginning and ending one takes SQLite as long as most rows, and PostgreSQL longer.
ROWS_AT_ONCE = 50


async def insert_rows(
    session: AsyncSession, table: type[Base], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows of plain numbers, strings, booleans and None, one value for each of ``columns``.

    Nothing is converted on the way: times and JSON need the ORM.
    """
    if not rows:
        return
    connection = await session.connection()
    placeholder = _PLACEHOLDERS[connection.dialect.paramstyle]
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(name) for name in columns)
    row = f"({', '.join([placeholder] * len(columns))})"
    whole = len(rows) - len(rows) % ROWS_AT_ONCE
    for count, part in ((ROWS_AT_ONCE, rows[:whole]), (1, rows[whole:])):
        values = [tuple(chain.from_iterable(part[at : at + count])) for at in range(0, len(part), count)]
        if values:
            places = ", ".join([row] * count)
            await connection.exec_driver_sql(
                f"INSERT INTO {quote(table.__tablename__)} ({names}) VALUES {places}", values
            )
