"""The schema: up, equal to the models, and down again."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import insert, inspect
from sqlalchemy.exc import IntegrityError
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.db import schema
from ringscope_server.db.engine import Database, sqlite_url
from ringscope_server.db.models import Allocation, Base


async def test_up_check_and_down(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path))
    await schema.upgrade(database.engine)
    await schema.run(database.engine, command.check)
    async with database.engine.connect() as connection:
        tables = await connection.run_sync(lambda sync: set(inspect(sync).get_table_names()))
    assert tables == {*Base.metadata.tables, "alembic_version"}
    await schema.run(database.engine, lambda config: command.downgrade(config, "base"))
    async with database.engine.connect() as connection:
        tables = await connection.run_sync(lambda sync: set(inspect(sync).get_table_names()))
    assert tables == {"alembic_version"}
    await database.dispose()


async def test_a_slot_cannot_be_given_away_twice(server: Server) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    again = {"attempt_id": attempt, "rank": 9, "node_id": 1, "slot": 0, "is_active": True}
    with pytest.raises(IntegrityError):
        async with server.services.database.write() as session:
            await session.execute(insert(Allocation), [again])
    async with server.services.database.write() as session:
        await session.execute(insert(Allocation), [again | {"is_active": False}])
