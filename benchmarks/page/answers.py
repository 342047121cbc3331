"""Measure the answers that the web page waits for after months of use: lists of jobs, plans, predictions, one long job.

    PYTHONPATH=. python -m benchmarks.page.answers [sqlite] [postgresql]

The server is a real process that gets one request after the other over one connection. 10,000 jobs with their attempts
and members are in the database, and the first of them has 1,000,000 steps. Each request for a plan has another latency,
as those of a user who moves a slider: the answer to an equal request would come from a cache.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.command import Parser, exit_with, one_of
from benchmarks.report import Target, judged, say, watched
from benchmarks.server.heavy import JOB
from benchmarks.server.http_load import Answer, Connection, p
from benchmarks.server.serving import Serving, scratch, serving
from benchmarks.server.simulated_agent import node
from sqlalchemy import Engine, Table, create_engine, insert, make_url, select

from ringscope.contracts.errors import UserError
from ringscope_server.db.models import Attempt, Job, Measurement, Member, Step
from ringscope_server.db.postgresql import postgresql_url
from ringscope_server.db.sqlite import sqlite_url

if TYPE_CHECKING:
    from tests.postgres import Postgres

JOBS, RANKS, STEPS = 10_000, 4, 250_000
ASKED, ASKED_LONG = 60, 5
DATABASES = ("sqlite", "postgresql")
STATES = ("succeeded", "succeeded", "succeeded", "failed", "cancelled")
LISTS = {
    "newest": "/jobs?limit=50",
    "state=failed": "/jobs?limit=50&state=failed",
    "two states": "/jobs?limit=50&state=failed&state=cancelled",
    "sort=-busbw": "/jobs?limit=50&sort=-busbw",
    "sort=name": "/jobs?limit=50&sort=name",
    "q=77": "/jobs?limit=50&q=77",
    "algorithm=ring": "/jobs?limit=50&algorithm=ring",
    "facets": "/jobs/facets",
    "facets, state=failed": "/jobs/facets?state=failed",
}
LONG = {
    "latencies of 1,000,000 steps": "/jobs/1/latencies?algorithm=ring&size_bytes=1024",
    "lateness of 1,000,000 steps": "/jobs/1/lateness",
}
USUAL = ["naive", "parameter_server", "direct", "ring", "halving_doubling", "tree"]
SIZES = [2**exponent for exponent in range(6, 31, 4)] + [64 << 20]
CURVE = [2**exponent for exponent in range(8, 31, 2)]
PLANS: dict[str, dict[str, Any]] = {
    "table, 8 ranks": {"shape": "8", "sizes_bytes": [64 << 20]},
    "curve, 8 ranks": {"shape": "8", "sizes_bytes": CURVE},
    "winner map, 2 to 32 ranks": {"shape": "8", "sizes_bytes": SIZES, "shapes": ["2", "4", "8", "16", "32"]},
    "winner map, 1x8 to 4x8": {"shape": "4x8", "sizes_bytes": SIZES, "shapes": ["1x8", "2x8", "4x8"]},
    "table, 128 ranks": {"shape": "128", "sizes_bytes": [64 << 20]},
}
PREDICTIONS: dict[str, dict[str, Any]] = {
    "prediction, 4 ranks": {"ranks": 4, "algorithms": ["ring", "direct", "mpi"]},
    "prediction, auto, 8 ranks": {"ranks": 8, "algorithms": ["auto"]},
    "prediction, 32 ranks": {"ranks": 32, "algorithms": ["ring", "direct", "tree"]},
}

Request = Callable[[Connection], Awaitable[Answer]]


async def _asked(server: Serving) -> AsyncIterator[Target]:
    async def ask(name: str, times: int, most_ms: float, request: Request) -> Target:
        connection = Connection(server.url, server.admin_token)
        answers: list[Answer] = [await request(connection) for _ in range(times)]
        connection.close()
        assert all(answer.status == 200 for answer in answers), answers[0]
        seconds = [answer.seconds for answer in answers]
        say(f"{name:32} p50 {p(seconds, 50) * 1e3:7.1f} ms, p95 {p(seconds, 95) * 1e3:7.1f} ms of {times}")
        return Target(f"{name}, p95 ms", most_ms, p(seconds, 95) * 1e3, at_most=True)

    for name, path in LISTS.items():
        yield await ask(f"jobs, {name}", ASKED, 100, _get(path))
    for name, question in PLANS.items():
        yield await ask(f"plan, {name}", ASKED, 300, _post("/plan", _plans(**question)))
    for name, sweep in PREDICTIONS.items():
        yield await ask(name, ASKED, 300, _post("/jobs/prediction", repeat(_job(**sweep))))
    for name, path in LONG.items():
        yield await ask(name, ASKED_LONG, 1000, _get(path))


def _get(path: str) -> Request:
    return lambda connection: connection.request("GET", path)


def _post(path: str, bodies: Iterator[bytes]) -> Request:
    return lambda connection: connection.request("POST", path, next(bodies))


async def _measured(server: Serving) -> list[Target]:
    return [target async for target in _asked(server)]


def _plans(shape: str, sizes_bytes: list[int], shapes: list[str] | None = None) -> Iterator[bytes]:
    for number in count(1):
        cluster = {"shape": shape, "link": "ib200", "latency_us": 1 + number / 1000}
        question = {"cluster": cluster, "algorithms": USUAL, "sizes_bytes": sizes_bytes, "shapes": shapes or []}
        yield json.dumps(question).encode()


def _job(ranks: int, algorithms: list[str]) -> bytes:
    sweep = {"algorithms": algorithms, "min_bytes": 8, "max_bytes": 64 << 20}
    return json.dumps({"benchmark": sweep, "placement": {"ranks": ranks}}).encode()


async def _first_job(server: Serving) -> None:
    agent = await node(server, "n0", slots=RANKS)
    connection = Connection(server.url, server.admin_token)
    body = JOB | {"placement": {"ranks": RANKS}, "benchmark": JOB["benchmark"] | {"iterations": STEPS}}
    await connection.request("POST", "/jobs", json.dumps(body).encode())
    while not (assigned := await agent.poll()):
        pass
    for event in ("ready", "running"):
        await agent.report(assigned[-1]["attempt_id"], event)
    connection.close()


def _multiply(engine: Engine) -> None:
    """Copies of the first job with what was measured, and a million steps of that one, straight into the tables."""
    start = time.perf_counter()
    with engine.begin() as database:

        def first(table: Any) -> dict[str, Any]:
            return dict(database.execute(select(table.__table__)).mappings().first() or {})

        def add(table: Any, rows: list[dict[str, Any]]) -> None:
            assert isinstance(table.__table__, Table)
            for begin in range(0, len(rows), 10_000):
                database.execute(insert(table.__table__), rows[begin : begin + 10_000])

        job, attempt, member = first(Job), first(Attempt), first(Member)
        ids = range(2, JOBS + 1)
        add(Job, [job | {"id": i, "name": f"nightly {i}", "state": STATES[i % 5], **_result(i)} for i in ids])
        add(Attempt, [attempt | {"id": i, "job_id": i, "token": f"t{i}", "reason": "completed"} for i in ids])
        add(Member, [member | {"attempt_id": i, "phase": "clean"} for i in ids])
        for rank in range(RANKS):
            add(Step, [_step(rank, number) for number in range(STEPS)])
        add(Measurement, [_row(i, size) for i in ids[-50:] for size in range(3, 27)])
    if engine.dialect.name == "postgresql":  # which does so by itself, some time later
        with engine.connect() as database:
            database.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("VACUUM ANALYZE")
    say(f"{JOBS:,} jobs and {RANKS * STEPS:,} steps, made in {time.perf_counter() - start:.0f} s")


def _result(number: int) -> dict[str, Any]:
    busbw = number * 7919 % 1000 / 10
    best = {"algorithm": "ring", "transport": "mpi", "size_bytes": 64 << 20, "in_place": False, "busbw_gb_per_s": busbw}
    sizes = [{"size_bytes": 2**exponent, "busbw_gb_per_s": busbw * exponent / 26} for exponent in range(3, 27)]
    told = {"best": [best], "sizes": sizes, "min_size_p99_us": 9.5, "limit_gb_per_s": 25.0}
    return {"summary": told | {"wrong": 0, "verdict": "ring is fastest."}, "busbw_gb_per_s": busbw}


def _step(rank: int, step: int) -> dict[str, Any]:
    start_ns = 1_767_225_600_000_000_000 + step * 100_000 + (step * 7919 + rank * 104_729) % 5000
    times = {"duration_us": 10 + step % 13, "compute_us": 0.0, "communication_us": 10.0, "exposed_us": 10.0}
    what = {"op": "all_reduce", "algorithm": "ring", "transport": "mpi", "in_place": False, "bytes": 1024}
    return {"job_id": 1, "attempt_id": 1, "rank": rank, "step": step, "started_at_ns": start_ns, **times, **what}


def _row(attempt_id: int, exponent: int) -> dict[str, Any]:
    size, time_us = 2**exponent, 10 + 2**exponent / 1e4 + attempt_id % 7
    times = dict.fromkeys(("time_us", "min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
    what = {"collective": "all_reduce", "algorithm": "ring", "transport": "mpi", "in_place": False, "cycle": 0}
    rates = {"algbw_gb_per_s": size / time_us / 1e3, "busbw_gb_per_s": size / time_us / 1e3 * 1.5}
    shape = {"size_bytes": size, "count": size // 4, "dtype": "float32", "op": "sum", "ranks": RANKS, "iterations": 20}
    rest = {"wrong": 0, "stdev_us": 0.1, "cv_percent": 1.0, "measured_at": datetime.now(UTC)}
    return {"job_id": attempt_id, "attempt_id": attempt_id, **what, **shape, **times, **rates, **rest}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure on the databases named, and say which numbers are good enough; 1 when one is not."""
    parser = Parser(__doc__)
    listed = f"of {', '.join(DATABASES)}; both if none is named"
    parser.add_argument("databases", nargs="*", type=one_of(DATABASES), metavar="DATABASE", help=listed)
    names = parser.parse_args(arguments).databases or DATABASES
    postgres = _postgres() if "postgresql" in names else None
    targets: list[Target] = []
    for name in names:
        with ExitStack() as stack:
            settings = {}
            if name == "postgresql" and postgres is not None:
                settings["database_url"] = stack.enter_context(postgres()).url()
            folder = stack.enter_context(scratch())
            file = make_url(sqlite_url(Path(folder))).set(drivername="sqlite")
            engine = create_engine(postgresql_url(settings["database_url"]) if settings else file)
            say(f"\n{name}")
            with serving(folder, **settings) as server:
                asyncio.run(_first_job(server))
            # No server sees 10,000 jobs come at once.
            _multiply(engine)
            server = stack.enter_context(serving(folder, **settings))
            conditions = stack.enter_context(watched())
            found = asyncio.run(_measured(server))
        say(conditions)
        targets += [replace(target, name=f"{name}: {target.name}") for target in found]
    return judged(targets)


def _postgres() -> "Callable[[], AbstractContextManager[Postgres]]":
    """Return the function that starts PostgreSQL; raise UserError if it is not installed."""
    try:
        from tests.postgres import running_postgres
    except ImportError as error:
        raise UserError(
            f"PostgreSQL is not to be had ({error}): run `pip install --group postgres`, or name sqlite alone."
        ) from None
    return running_postgres


if __name__ == "__main__":
    exit_with(main)
