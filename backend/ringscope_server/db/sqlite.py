"""SQLite: the embedded database, in WAL mode."""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from ringscope_server.db import one_visit, regex

# Execution options of a connection, which say how its transactions begin.
WRITE = "ringscope_write"
MIGRATE = "ringscope_migrate"


def sqlite_url(data_dir: Path) -> str:
    """The URL of the embedded database in a data directory."""
    return f"sqlite+aiosqlite:///{data_dir / 'ringscope.sqlite3'}"


def sqlite_engine(url: str | URL) -> AsyncEngine:
    """An engine whose connections are all set up alike."""
    engine = create_async_engine(url, connect_args={"async_creator_fn": one_visit.connect})
    event.listen(engine.sync_engine, "do_connect", _try_file)
    event.listen(engine.sync_engine, "connect", _prepare_connection)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _try_file(_dialect: object, _record: object, arguments: list[Any], _options: object) -> None:
    # A connection that aiosqlite fails to open leaves its thread behind, which may still have an answer for the event
    # loop when a start that failed has closed it, and prints a traceback then. A file that cannot be opened fails here.
    sqlite3.connect(arguments[0]).close()


def _prepare_connection(connection: Any, _record: object) -> None:
    # The driver must not begin transactions on its own: _begin does, in the mode that is needed.
    connection.isolation_level = None
    connection.create_function("regexp", 2, regex.matches, deterministic=True)
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
    options = connection.get_execution_options()
    if options.get(MIGRATE):
        # A table is altered by copying it and dropping the old one, which would take the rows that refer to it along.
        # Inside a transaction the pragma does nothing.
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
    driver = connection.connection.driver_connection
    assert isinstance(driver, one_visit.Connection)
    driver.begin("BEGIN IMMEDIATE" if options.get(WRITE) else "BEGIN")
