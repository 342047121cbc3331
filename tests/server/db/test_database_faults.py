"""A database that is full, broken or away: one sentence, nothing half-written, and the server lives on."""

import asyncio
import errno
import logging
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, event, select, text
from sqlalchemy.exc import DataError, IntegrityError, OperationalError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncSession
from tests.postgres import running_postgres
from tests.server.conftest import ONE_SIZE, Clock, Server, measurement, running_server, steps

from ringscope_server.app import prepare, services_for
from ringscope_server.attempts import gangs
from ringscope_server.background import detection, heartbeats, upkeep
from ringscope_server.db import disk, engine, postgresql
from ringscope_server.db.engine import Database
from ringscope_server.db.faults import LOCKED, DatabaseUnusableError, fault_of
from ringscope_server.db.models import Job
from ringscope_server.db.postgresql import postgresql_engine, postgresql_url
from ringscope_server.http.problems import of_database
from ringscope_server.scheduler import loop
from ringscope_server.settings import Settings
from ringscope_server.webhooks import courier

UNLIMITED_PAGES = 2**32 - 2


@contextmanager
def full_disk(server: Server) -> Iterator[None]:
    """SQLite may not take another page, as if the disk had none."""
    engine = server.services.database.engine.sync_engine

    def limit(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def lift(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {UNLIMITED_PAGES}")

    event.listen(engine, "begin", limit)
    yield
    event.remove(engine, "begin", limit)
    event.listen(engine, "begin", lift)


@pytest.fixture
def database_url() -> str:
    """These tests break SQLite's file, or a PostgreSQL of their own."""
    return ""


async def test_a_full_disk_refuses_jobs_in_one_sentence_and_keeps_none_of_it(server: Server) -> None:
    await server.node()
    big = ONE_SIZE | {"labels": {f"label-{number}": "x" * 200 for number in range(60)}}
    with full_disk(server):
        answers = [await server.admin.post("/api/v1/jobs", json=big, headers=key(number)) for number in range(20)]
        refused(answers[-1], "storage_full")
        stored = [answer.json()["id"] for answer in answers if answer.status_code == 201]
        listed = (await server.admin.get("/api/v1/jobs")).json()["items"]
        assert [job["id"] for job in listed] == stored[::-1], "reading goes on, and shows what was stored"
    again = await server.admin.post("/api/v1/jobs", json=big, headers=key(19))
    assert again.status_code == 201
    events = (await server.admin.get(f"/api/v1/jobs/{again.json()['id']}/events")).json()["items"]
    assert [event["action"] for event in events] == ["job.submitted"]


async def test_records_that_found_no_room_are_stored_once_when_there_is_some(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    batch = [measurement(), steps(count=2000), measurement(in_place=True)]
    with full_disk(server):
        refused(await agent.records(attempt, *batch), "storage_full")
        assert (await server.admin.get(f"/api/v1/jobs/{job['id']}/steps")).json()["items"] == []
    agent.sequence = 0
    assert (await agent.records(attempt, *batch)).json() == {"last_sequence": 3}
    rows = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert [row["in_place"] for row in rows] == [False, True]


@asynccontextmanager
async def unwritable(server: Server) -> AsyncIterator[None]:
    """SQLite reads and does not write, as after trouble with the disk."""
    database = server.services.database

    def forbid(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA query_only = ON")

    event.listen(database.engine.sync_engine, "begin", forbid)
    yield
    event.remove(database.engine.sync_engine, "begin", forbid)
    await database.dispose()  # new connections know nothing of it


async def test_a_server_is_not_ready_while_its_database_cannot_be_written(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "RETRY_SECONDS", 0)
    await server.one_pass()
    async with unwritable(server):
        assert (await server.admin.get("/readyz")).status_code == 200, "nobody has tried yet"
        refused(await server.admin.post("/api/v1/jobs", json=ONE_SIZE), "database_unusable")
        for _ in range(2):
            refused(await server.client().get("/readyz"), "database_unusable")
    assert (await server.client().get("/readyz")).json() == {"status": "ready"}


async def test_a_server_is_not_ready_while_another_process_has_locked_its_file(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "RETRY_SECONDS", 0)
    async with running_server(tmp_path, clock) as server:
        await server.node()
        await server.one_pass()
        event.listen(server.services.database.engine.sync_engine, "connect", impatient)
        await server.services.database.dispose()  # the next connections wait for a moment only
        other = sqlite3.connect(tmp_path / "ringscope.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = await server.admin.post("/api/v1/jobs", json=ONE_SIZE)
        refused(answer, "database_busy")
        assert "Another process has locked the database's file" in answer.json()["detail"]
        refused(await server.client().get("/readyz"), "database_busy")
        other.execute("ROLLBACK")
        other.close()
        assert (await server.client().get("/readyz")).status_code == 200


async def test_writes_that_wait_together_for_a_locked_file_wait_once(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path, clock) as server:
        database, noted = server.services.database, list[Exception]()
        event.listen(database.engine.sync_engine, "connect", impatient)
        await database.dispose()
        note = database._note
        monkeypatch.setattr(database, "_note", lambda error: (noted.append(error), note(error)))

        async def write() -> None:
            async with database.write() as session:
                await session.execute(text("UPDATE alembic_version SET version_num = version_num"))

        other = sqlite3.connect(tmp_path / "ringscope.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert database._writing is not None
        async with database._writing.held():
            writing = [asyncio.create_task(write()) for _ in range(5)]
            for _ in range(5):
                await asyncio.sleep(0)
        found = await asyncio.gather(*writing, return_exceptions=True)
        assert [fault_of(error) for error in found if isinstance(error, SQLAlchemyError)] == [LOCKED] * 5
        assert len(noted) == 1, "the others learned it from the first"
        other.execute("ROLLBACK")
        other.close()
        await write()


def impatient(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 10")
    cursor.close()


async def test_small_writes_that_find_room_make_no_full_disk_ready(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "RETRY_SECONDS", 0)
    has_room = False
    monkeypatch.setattr(engine, "has_room", lambda folder: has_room)
    await server.node()
    await server.one_pass()
    big = ONE_SIZE | {"labels": {f"label-{number}": "x" * 200 for number in range(60)}}
    with full_disk(server):
        answers = [await server.admin.post("/api/v1/jobs", json=big, headers=key(number)) for number in range(20)]
        refused(answers[-1], "storage_full")
        await server.one_pass()
        refused(await server.client().get("/readyz"), "storage_full")
    has_room = True
    assert (await server.client().get("/readyz")).status_code == 200


def test_whether_there_is_room_on_a_disk_is_found_by_trying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert disk.has_room(tmp_path)
    for number, found in ((errno.ENOSPC, False), (errno.EDQUOT, False), (errno.EACCES, True)):
        monkeypatch.setattr(disk.os, "posix_fallocate", raising(OSError(number, "words of the system")))
        assert disk.has_room(tmp_path) is found


async def test_a_file_that_finds_no_room_is_told_in_one_sentence_too(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(server.services.database), "fault", raising(OSError(errno.ENOSPC, "No space")))
    refused(await server.client().get("/readyz"), "storage_full")


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


async def test_a_file_that_is_overwritten_is_named_and_the_server_answers(server: Server, tmp_path: Path) -> None:
    await server.services.database.dispose()
    overwrite(tmp_path / "ringscope.sqlite3")
    refused(await server.admin.get("/api/v1/jobs"), "database_unusable")
    assert (await server.admin.get("/healthz")).status_code == 200


async def test_a_postgresql_that_is_started_again_is_used_again(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with running_postgres() as postgres:
        async with running_server(tmp_path, clock, database_url=postgres.create("ringscope")) as server:
            await server.node()
            postgres.stop()
            refused(await server.admin.post("/api/v1/jobs", json=ONE_SIZE), "database_unreachable")
            with caplog.at_level(logging.WARNING):
                await loop.try_pass(server.services)
            [told] = [record for record in caplog.records if record.name == loop.log.name]
            assert told.getMessage().startswith("A scheduling pass failed: ")
            assert told.exc_info is None
            postgres.start()
            job = await server.submit(**ONE_SIZE)
            await loop.try_pass(server.services)
            assert (await server.job(job["id"]))["state"] == "starting"


@pytest.mark.parametrize(("code", "is_mistake"), [(13, False), (1, True)])
async def test_what_runs_unasked_says_in_one_line_what_the_database_cannot_help(
    server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, code: int, is_mistake: bool
) -> None:
    failed = OperationalError("INSERT", {}, DriverError(sqlite_errorcode=code))
    server.services.heartbeats.note(1, 1, server.clock())
    works = {
        "Heartbeats could not be written": heartbeats.run(server.services),
        "A look for insights failed": detection.run(server.services),
        "Webhooks could not be looked at": courier.run(server.services),
        "A scheduling pass failed": loop.try_pass(server.services),
        "Upkeep of tokens failed": upkeep.run(server.services),
    }
    with monkeypatch.context() as broken:
        for session in ("read", "write"):
            broken.setattr(Database, session, raising(failed))
        broken.setattr(upkeep, "INTERVAL_SECONDS", 0.1)
        tasks = [asyncio.create_task(work) for work in works.values()]
        async with asyncio.timeout(30):
            while not all(work in caplog.text for work in works):  # noqa: ASYNC110  # the log wakes nobody
                await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert {record.exc_info is not None for record in caplog.records} == {is_mistake}, caplog.text


class DriverError(Exception):
    """An exception of a driver, with its codes."""

    def __init__(self, **codes: Any) -> None:
        super().__init__("words of the driver")
        for name, code in codes.items():
            setattr(self, name, code)


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ({"sqlite_errorcode": 13}, "storage_full"),
        ({"sqlite_errorcode": 5}, "database_busy"),
        ({"sqlite_errorcode": 10 | 3 << 8}, "database_unusable"),  # an extended code: I/O error while writing
        ({"sqlite_errorcode": 1}, None),
        ({"sqlstate": "53100"}, "storage_full"),
        ({"sqlstate": "53300"}, "database_busy"),  # too many connections
        ({"sqlstate": "40001"}, "database_busy"),  # could not serialise
        ({"sqlstate": "40P01"}, "database_busy"),  # deadlock
        ({"sqlstate": "25P04"}, "database_busy"),  # a transaction timed out
        ({"sqlstate": "08006"}, "database_unreachable"),
        ({"sqlstate": "57P01"}, "database_unreachable"),  # an administrator stops it
        ({"sqlstate": "42P01"}, None),  # no such table
    ],
)
def test_what_the_database_cannot_help_is_told_apart_from_our_mistakes(codes: dict[str, Any], code: str | None) -> None:
    fault = fault_of(OperationalError("SELECT 1", {}, DriverError(**codes)))
    assert (fault.code if fault else None) == code


def test_what_somebody_else_took_or_deleted_first_and_a_pool_that_is_used_up_mean_try_again() -> None:
    taken, deleted = (fault_of(IntegrityError("INSERT", {}, DriverError(sqlstate=f"2350{n}"))) for n in (5, 3))
    used_up = fault_of(PoolTimeoutError())
    assert taken is not None and deleted is not None and used_up is not None
    assert (taken.code, deleted.code, used_up.code) == ("database_busy", "database_busy", "database_busy")
    assert fault_of(IntegrityError("INSERT", {}, DriverError(sqlstate="23502"))) is None
    assert fault_of(DataError("INSERT", {}, DriverError(sqlstate="22003"))) is None


async def test_a_time_that_no_calendar_holds_is_a_bad_value(server: Server) -> None:
    first = datetime.min.replace(tzinfo=timezone(timedelta(hours=1)))
    with pytest.raises(StatementError) as error:
        async with server.services.database.read() as session:
            await session.execute(select(Job.id).where(Job.created_at >= first))
    problem = of_database(error.value)
    assert problem is not None
    assert (problem.document.status, problem.document.detail) == (
        422,
        "A value cannot be stored: date value out of range.",
    )


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://ada:secret@db/ringscope", "'mysql' is not supported; write it like postgresql://"),
        ("ada:secret", "this is no URL of a database"),
        ("postgresql://ada:secret@db", "it names no database"),
        ("postgresql://ada:secret@db:port/ringscope", "this is no URL of a database"),
    ],
)
def test_a_url_that_is_none_is_refused_without_repeating_it(url: str, words: str) -> None:
    with pytest.raises(DatabaseUnusableError, match="database_url: ") as refusal:
        postgresql_url(url)
    assert words in str(refusal.value)
    assert "secret" not in str(refusal.value)


async def test_what_stands_still_while_it_sends_rows_loses_its_locks(
    postgresql_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "TRANSACTION_TIMEOUT_SECONDS", 1)
    database = Database(postgresql_url(postgresql_database))
    async with database.engine.connect() as frozen, database.engine.connect() as other:
        wire = (await frozen.get_raw_connection()).driver_connection.pgconn  # type: ignore[union-attr]
        wire.enter_pipeline_mode()  # as for many rows: PostgreSQL has answered, and waits for more, but is not idle
        for statement in (b"BEGIN", b"LOCK TABLE leases IN ACCESS EXCLUSIVE MODE"):
            wire.send_query_params(statement, None)
        wire.send_flush_request()
        wire.flush()
        locks = text("SELECT count(*) FROM pg_locks WHERE relation = 'leases'::regclass AND granted")
        while not await other.scalar(locks):  # the deadline is the lock's own end
            await other.rollback()
        await other.rollback()
        await other.run_sync(postgresql.let_transaction_last)
        await other.execute(text("SET LOCAL lock_timeout = '8s'"))
        assert await other.scalar(text("SELECT count(*) FROM leases")) == 0
        wire.finish()
        await frozen.invalidate()
    await database.dispose()


async def test_what_is_done_once_after_an_upgrade_takes_as_long_as_it_takes(
    tmp_path: Path, postgresql_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def of_very_many(session: AsyncSession) -> None:
        await session.execute(text("SELECT pg_sleep(1.5)"))

    monkeypatch.setattr(postgresql, "TRANSACTION_TIMEOUT_SECONDS", 1)
    monkeypatch.setattr(gangs, "forget_marks", of_very_many)
    services = services_for(Settings(data_dir=tmp_path, database_url=postgresql_database))
    await prepare(services)
    await services.database.dispose()


def test_without_the_driver_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseUnusableError, match=r"pip install 'ringscope\[postgres\]'"):
        postgresql_engine(postgresql_url("postgresql://db/ringscope"))


def overwrite(file: Path) -> None:
    file.write_bytes(b"this is no database, whatever its name says\n" * 100)


def key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": str(number)}


def refused(answer: httpx.Response, code: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (503, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    assert "sqlite3." not in answer.text and "psycopg" not in answer.text
