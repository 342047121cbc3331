"""The schema: up, equal to the models, and down again, with what is stored in it."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, MetaData, insert, inspect, select
from sqlalchemy.exc import IntegrityError
from tests.server.conftest import ONE_SIZE, Server
from tests.server.statements import asked

from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Allocation, Base
from ringscope_server.db.postgresql import postgresql_url
from ringscope_server.db.sqlite import sqlite_url

pytestmark = pytest.mark.both_databases

T = TypeVar("T")
# What these move is moved alike on both databases; whether a way up and down exists on PostgreSQL is another test's.
LONG_ON_POSTGRESQL = pytest.mark.parametrize(
    "empty_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | URL]:
    if request.param == "sqlite":
        yield sqlite_url(tmp_path)
        return
    postgres, name = request.getfixturevalue("postgres"), uuid4().hex
    yield postgresql_url(postgres.create(name))
    postgres.drop(name)


@pytest.fixture
async def empty(empty_url: str | URL) -> AsyncIterator[Database]:
    """A database without tables."""
    database = Database(empty_url)
    yield database
    await database.dispose()


async def test_up_check_and_down(empty: Database) -> None:
    await schema.upgrade(empty.engine)
    await schema.run(empty.engine, command.check)
    assert await ask(empty, tables) == {*Base.metadata.tables, "alembic_version"}
    await downgrade(empty, "base")
    assert await ask(empty, tables) == {"alembic_version"}


async def test_a_database_of_the_newest_version_is_left_as_it_is(empty: Database) -> None:
    await schema.upgrade(empty.engine)
    config = Config()
    config.set_main_option("script_location", "ringscope_server:db/migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == schema.newest_version()
    with asked(empty) as statements:
        await schema.upgrade(empty.engine)
    assert not any("foreign_key" in statement or "advisory_lock" in statement for statement in statements)
    assert len(statements) < 5, statements


async def test_what_the_first_version_stored_is_there_after_the_way_up_and_down(empty: Database) -> None:
    await schema.run(empty.engine, lambda config: command.upgrade(config, "0001"))
    await write(empty, FIRST_VERSION)
    before = await ask(empty, rows)
    assert all(before[name] for name in FIRST_VERSION), "every table has a row"

    await schema.upgrade(empty.engine)
    now = await ask(empty, rows)
    assert [(job["ranks"], job["revision"], job["excluded_nodes"]) for job in now["jobs"]] == [(3, 1, []), (8, 1, [])]
    filtered = [(job["collective"], job["algorithms"], job["busbw_gb_per_s"]) for job in now["jobs"]]
    assert filtered == [("all_reduce", "ring,direct", 2.5), (None, "", None)]
    assert [job["queued_at"] for job in now["jobs"]] == [job["created_at"] for job in now["jobs"]]
    assert [(key["target_type"], key["target_id"]) for key in now["idempotency_keys"]] == [("job", 2)]
    assert [node["label_overrides"] for node in now["nodes"]] == [{}]
    for name in FIRST_VERSION:
        kept = [{column: row[column] for column in row if column in before[name][0]} for row in now[name]]
        assert kept == [{column: row[column] for column in row if column in now[name][0]} for row in before[name]]

    await downgrade(empty, "0001")
    assert await ask(empty, rows) == before
    await schema.upgrade(empty.engine)
    assert await ask(empty, rows) == now


@LONG_ON_POSTGRESQL
async def test_the_last_migration_is_undone_and_done_again_without_a_loss(empty: Database) -> None:
    await schema.run(empty.engine, lambda config: command.upgrade(config, "0001"))
    await write(empty, FIRST_VERSION)
    await schema.upgrade(empty.engine)
    newest = await ask(empty, rows)

    await schema.downgrade(empty.engine, schema.versions()[-2])
    assert await schema.version(empty.engine) == schema.versions()[-2]
    earlier = await ask(empty, rows)
    for name, kept in earlier.items():
        if name in newest and name != "alembic_version":
            assert len(kept) == len(newest[name]), name
            for before, after in zip(newest[name], kept, strict=True):
                shared = before.keys() & after.keys()
                assert {key: before[key] for key in shared} == {key: after[key] for key in shared}, name

    await schema.upgrade(empty.engine)
    await schema.run(empty.engine, command.check)
    assert await ask(empty, rows) == newest


@LONG_ON_POSTGRESQL
async def test_what_lists_go_by_is_taken_out_of_earlier_jobs(empty: Database) -> None:
    await schema.run(empty.engine, lambda config: command.upgrade(config, "0005"))
    simulated = {"best": [{"transport": "simulated", "busbw_gb_per_s": 9.0}]}
    told: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"training": {"all_reduce": "ring"}, "benchmark": None}, {"loss": 1.0}),
        ({"benchmark": {"collective": "alltoall", "algorithms": ["direct"]}}, {"best": []}),
        ({"benchmark": {"collective": "reduce", "algorithms": ["auto", "mpi"]}}, simulated),
    ]
    known = {"ranks": 2, "revision": 1, "queued_at": NOON, "excluded_nodes": []}
    jobs = [
        job(number, 2) | known | {"spec": spec, "summary": summary} for number, (spec, summary) in enumerate(told, 1)
    ]
    await write(empty, {"jobs": jobs})
    await schema.upgrade(empty.engine)
    found = (await ask(empty, rows))["jobs"]
    assert [(row["collective"], row["algorithms"], row["busbw_gb_per_s"]) for row in found] == [
        (None, "ring", None),
        ("alltoall", "direct", None),
        ("reduce", "auto,mpi", None),
    ]


@LONG_ON_POSTGRESQL
async def test_a_job_that_went_on_with_bad_numbers_skips_steps_instead(empty: Database) -> None:
    await schema.run(empty.engine, lambda config: command.upgrade(config, "0022"))
    known = {"ranks": 2, "revision": 1, "queued_at": NOON, "excluded_nodes": []}
    trainings: list[dict[str, Any] | None] = [{"on_nan": "continue", "seed": 3}, {"on_nan": "stop"}, None]
    stored = [job(number, 2) | known | {"spec": {"training": one}} for number, one in enumerate(trainings, 1)]
    await write(empty, {"jobs": stored})
    await schema.upgrade(empty.engine)
    now = [row["spec"]["training"] for row in (await ask(empty, rows))["jobs"]]
    assert now == [{"on_nan": "skip", "seed": 3}, {"on_nan": "stop"}, None]
    await downgrade(empty, "0022")
    assert [row["spec"]["training"] for row in (await ask(empty, rows))["jobs"]] == trainings


@LONG_ON_POSTGRESQL
async def test_keys_of_what_the_first_version_does_not_know_are_left_behind_on_the_way_down(empty: Database) -> None:
    await schema.upgrade(empty.engine)
    key = {"user": "ada", "body_sha256": "0", "created_at": NOON, "target_id": 1}
    await write(empty, {"idempotency_keys": [key | {"key": "w", "target_type": "webhook"}]})
    await downgrade(empty, "0001")
    assert (await ask(empty, rows))["idempotency_keys"] == []


@LONG_ON_POSTGRESQL
async def test_foreign_keys_are_watched_again_after_a_migration(empty: Database) -> None:
    await schema.upgrade(empty.engine)
    with pytest.raises(IntegrityError):
        await write(empty, {"members": [MEMBER | {"attempt_id": 77}]})


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


async def ask(database: Database, question: Callable[[Connection], T]) -> T:
    async with database.engine.connect() as connection:
        return await connection.run_sync(question)


async def downgrade(database: Database, version: str) -> None:
    await schema.run(database.engine, lambda config: command.downgrade(config, version))


async def write(database: Database, content: dict[str, list[dict[str, Any]]]) -> None:
    """Insert rows into tables as they are in the database now, whatever the models say."""

    def fill(connection: Connection) -> None:
        metadata = reflected(connection)
        for name, items in content.items():
            connection.execute(insert(metadata.tables[name]), items)

    async with database.write() as session:
        await (await session.connection()).run_sync(fill)


def rows(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key))]
        for name, table in reflected(connection).tables.items()
    }


def tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def reflected(connection: Connection) -> MetaData:
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata


def job(job_id: int, ranks: int) -> dict[str, Any]:
    return {
        "id": job_id,
        "name": f"job {job_id}",
        "kind": "benchmark",
        "spec": {"placement": {"ranks": ranks}},
        "user": "ada",
        "priority": 50,
        "labels": {"team": "infra"},
        "state": "succeeded",
        "message": "",
        "created_at": NOON.replace(minute=job_id),
        "rows_done": 1,
        "summary": {},
    }


OWNER = {"job_id": 1, "attempt_id": 1}
MEMBER = {"member": 0, "node_id": 1, "slots": 3, "first_rank": 0, "phase": "clean", "last_sequence": 9}
SWEEP = {"collective": "all_reduce", "algorithms": ["ring", "direct"]}
# One row and more for each table of 0001.
FIRST_VERSION: dict[str, list[dict[str, Any]]] = {
    "jobs": [
        job(1, 3)
        | {
            "spec": {
                "placement": {"ranks": 3},
                "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "direct"]},
            }
        }
        | {"summary": {"best": [{"transport": "mpi", "busbw_gb_per_s": 2.5}]}},
        job(2, 8),
    ],
    "nodes": [
        {
            "id": 1,
            "name": "n1",
            "address": "n1",
            "slots": 8,
            "metrics_address": "n1:9465",
            "inventory": {"cores": 8},
            "versions": {},
            "labels": {"rack": "r1"},
            "desired": "active",
            "observed": "ready",
            "epoch": 4,
            "registered_at": NOON,
            "last_heartbeat_at": NOON,
        }
    ],
    "attempts": [{"id": 1, "job_id": 1, "number": 1, "token": "t", "is_launched": True, "created_at": NOON}],
    "members": [MEMBER | {"attempt_id": 1}],
    "allocations": [{"attempt_id": 1, "rank": 0, "node_id": 1, "slot": 2, "is_active": False}],
    "tokens": [
        {"id": 1, "name": "ada", "kind": "personal", "role": "admin", "sha256": "f", "created_at": NOON},
        {"id": 2, "name": "agent", "kind": "agent", "role": "agent", "sha256": "e", "created_at": NOON},
    ],
    "idempotency_keys": [{"user": "ada", "key": "k", "body_sha256": "0", "job_id": 2, "created_at": NOON}],
    "events": [
        {
            "id": 1,
            "time": NOON,
            "actor": "ada",
            "action": "job.submitted",
            "target_type": "job",
            "target_id": "1",
            "message": "",
        }
    ],
    "log_lines": [OWNER | {"id": 1, "node": "n1", "rank": 0, "stream": "stdout", "time_ns": 2**60, "text": "hi"}],
    "measurements": [
        OWNER
        | {"id": 1, "collective": "all_reduce", "algorithm": "ring", "transport": "mpi", "in_place": False}
        | {"cycle": 0, "size_bytes": 2**40, "count": 2**38, "dtype": "float32", "op": "sum", "ranks": 3}
        | {"iterations": 20, "time_us": 1.0, "algbw_gb_per_s": 1.0, "busbw_gb_per_s": 1.0, "wrong": 0}
        | {"min_us": 1.0, "mean_us": 1.0, "p50_us": 1.0, "p95_us": 1.0, "p99_us": 1.0, "max_us": 1.0}
        | {"stdev_us": 0.0, "cv_percent": 0.0, "measured_at": NOON}
    ],
    "steps": [
        OWNER
        | {"id": 1, "rank": 0, "step": 0, "op": "all_reduce", "algorithm": "ring", "transport": "mpi"}
        | {"in_place": False, "bytes": 8, "started_at_ns": 2**60, "duration_us": 1.0, "compute_us": 0.0}
        | {"communication_us": 1.0, "exposed_us": 1.0}
    ],
}
