"""The schema's version: upgrade at start, and what the tests need to walk up and down."""

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncEngine


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration for one open connection; there is no ini file."""
    config = Config()
    config.set_main_option("script_location", "ringscope_server:db/migrations")
    config.attributes["connection"] = connection
    return config


async def upgrade(engine: AsyncEngine) -> None:
    """Bring the database to the newest version."""
    await run(engine, lambda config: command.upgrade(config, "head"))


async def run(engine: AsyncEngine, action: Callable[[Config], None]) -> None:
    """Run one Alembic command on a connection of this engine."""
    writer = engine.execution_options(ringscope_write=True)
    async with writer.connect() as connection:
        await connection.run_sync(lambda sync: action(alembic_config(sync)))
        await connection.commit()
