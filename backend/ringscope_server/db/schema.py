"""The schema's version: upgrade at start, and what the tests need to walk up and down.

Most starts find the newest version. They need no Alembic, whose import takes a twentieth of a server's imports.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from ringscope_server.db.postgresql import check_encoding, let_transaction_last
from ringscope_server.db.sqlite import MIGRATE, WRITE

if TYPE_CHECKING:
    from alembic.config import Config

# Any number that no other program uses on the same database: servers that start together migrate one after the other.
ADVISORY_LOCK = 7_464_672_637
MIGRATIONS = Path(__file__).parent / "migrations" / "versions"


class UnknownVersionError(Exception):
    """Another version of Ringscope made the tables; the message is Alembic's."""


def newest_version() -> str:
    """The version of the tables that this server works with: its migrations' files begin with theirs."""
    return versions()[-1]


def versions() -> list[str]:
    """Return all versions of the tables, the oldest first."""
    return sorted(path.name.partition("_")[0] for path in MIGRATIONS.glob("[0-9]*_*.py"))


def alembic_config(connection: Connection) -> "Config":
    """Alembic's configuration for one open connection; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "ringscope_server:db/migrations")
    config.attributes["connection"] = connection
    return config


async def upgrade(engine: AsyncEngine) -> None:
    """Bring the database to the newest version. Raises UnknownVersionError, and EncodingError on PostgreSQL."""
    async with engine.connect() as connection:
        if await connection.run_sync(_is_newest):
            return
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        await run(engine, lambda config: command.upgrade(config, "head"))
    except CommandError as error:
        raise UnknownVersionError(str(error)) from error


async def version(engine: AsyncEngine) -> str | None:
    """Return the version of the tables; None for a database without tables."""
    async with engine.connect() as connection:
        return await connection.run_sync(_version)


async def downgrade(engine: AsyncEngine, wanted: str) -> None:
    """Bring the tables back to an earlier version; what they have no place for is deleted."""
    from alembic import command

    await run(engine, lambda config: command.downgrade(config, wanted))


def _is_newest(connection: Connection) -> bool:
    if connection.dialect.name == "postgresql":
        check_encoding(connection)
    return _version(connection) == newest_version()


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


async def run(engine: AsyncEngine, action: Callable[["Config"], None]) -> None:
    """Run one Alembic command on a connection of this engine, in one transaction: all of it or nothing."""
    writer = engine.execution_options(**{WRITE: True, MIGRATE: True})
    async with writer.connect() as connection:
        try:
            await connection.run_sync(_run, action)
            await connection.commit()
        finally:
            # It does not watch foreign keys: see db/sqlite.py.
            await connection.invalidate()


def _run(connection: Connection, action: Callable[["Config"], None]) -> None:
    if connection.dialect.name == "postgresql":
        check_encoding(connection)
        let_transaction_last(connection)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})")
    action(alembic_config(connection))
    if connection.dialect.name == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise RuntimeError(f"the migration would leave {len(broken)} rows that refer to nothing: {broken[:3]}")
