"""PostgreSQL: one database for several servers. The driver is psycopg 3, from the extra ``postgres``."""

from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.engine import Connection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from ringscope_server.db.faults import DatabaseUnusableError

SCHEMES = ("postgresql", "postgres")
POOL_SIZE = 10
MAX_OVERFLOW = 20
POOL_TIMEOUT_SECONDS = 10
# A connection that answers no more is given up after about 10 s, so that its locks never outlive its server for long.
CONNECT = {
    "connect_timeout": 5,
    "application_name": "ringscope",
    "client_encoding": "utf8",  # a database in SQL_ASCII would set none, and return all text as bytes
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# A server that is stopped in the middle of a transaction (SIGSTOP, a frozen machine) must not keep its locks.
IDLE_IN_TRANSACTION = "-c idle_in_transaction_session_timeout=10s"
# One that is stopped while it sends many rows counts as busy instead, and only this ends it.
TRANSACTION_TIMEOUT_SECONDS = 10
HAS_TRANSACTION_TIMEOUT = 170_000  # PostgreSQL 17


def postgresql_url(text: str) -> URL:
    """The URL with our driver in it. Raises DatabaseUnusableError, whose sentence does not repeat the password."""
    remedy = "write it like postgresql://USER:PASSWORD@HOST/NAME."
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise DatabaseUnusableError(f"database_url: this is no URL of a database; {remedy}") from None
    if url.drivername not in SCHEMES:
        raise DatabaseUnusableError(f"database_url: {url.drivername!r} is not supported; {remedy}")
    if not url.database:
        raise DatabaseUnusableError(f"database_url: it names no database; {remedy}")
    return url.set(drivername="postgresql+psycopg")


def postgresql_engine(url: str | URL) -> AsyncEngine:
    """An engine with a pool that notices lost connections. Raises DatabaseUnusableError without the driver."""
    given = make_url(url).query.get("options", "")
    try:
        engine = create_async_engine(
            url,
            connect_args=CONNECT | {"options": f"{given} {IDLE_IN_TRANSACTION}".strip()},
            pool_size=POOL_SIZE,
            max_overflow=MAX_OVERFLOW,
            pool_timeout=POOL_TIMEOUT_SECONDS,
            pool_pre_ping=True,
        )
    except ModuleNotFoundError:
        raise DatabaseUnusableError(
            "database_url: PostgreSQL needs the driver psycopg; install it with pip install 'ringscope[postgres]'."
        ) from None
    event.listen(engine.sync_engine, "connect", _limit_transactions)
    return engine


class EncodingError(Exception):
    """The database keeps text in another encoding than UTF-8; the message is a sentence without a subject."""


def check_encoding(connection: Connection) -> None:
    """Raises EncodingError where the database cannot keep, compare or search whatever people write."""
    driver: Any = connection.connection.driver_connection
    encoding = driver.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise EncodingError(
            f"has the encoding {encoding}, and text is stored as UTF-8; make another one with "
            "createdb --encoding UTF8 --template template0, and name it in --database-url."
        )


def let_transaction_last(connection: Connection) -> None:
    """A migration takes as long as it takes: no limit for the transaction that has begun on this connection."""
    if _knows_the_limit(connection.connection.driver_connection):
        connection.exec_driver_sql("SET LOCAL transaction_timeout = 0")


def _limit_transactions(connection: Any, _record: object) -> None:
    if _knows_the_limit(connection.driver_connection):
        cursor = connection.cursor()
        cursor.execute(f"SET transaction_timeout = '{TRANSACTION_TIMEOUT_SECONDS}s'")
        cursor.close()
        connection.commit()


def _knows_the_limit(driver_connection: Any) -> bool:
    return bool(driver_connection.info.server_version >= HAS_TRANSACTION_TIMEOUT)
