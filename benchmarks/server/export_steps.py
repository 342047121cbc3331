"""Measure what it takes to write every step of a large job: time, processor and memory of the server's code.

    python -m benchmarks.server.export_steps [STEPS]

A SQLite database gets one attempt of 8 ranks; each format is then written as the route does, by a process of its own,
whose memory is compared with what it had before.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.queues import Queue
from pathlib import Path
from typing import NamedTuple, get_args

import psutil
from benchmarks.command import Parser, count, exit_with
from benchmarks.report import say

from ringscope_server.db import schema
from ringscope_server.db.bulk import insert_rows
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Attempt, Base, Job, Step
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.results.export import Format, exported
from ringscope_server.results.rows import STEP_COLUMNS
from ringscope_server.results.step_rows import StepFilter
from ringscope_server.services import utc_now

RANKS = 8
BLOCK = 100  # steps that a rank tells together
SAMPLE_PIECES = 20  # between two looks at the memory
START_NS = 1_767_225_600_000_000_000


class Written(NamedTuple):
    """The size, the times and the memory growth of one export."""

    size_bytes: int
    wall_seconds: float
    cpu_seconds: float
    grown_bytes: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each format; there is no target."""
    parser = Parser(__doc__)
    fewest = RANKS * BLOCK
    parser.add_argument(
        "steps",
        nargs="?",
        type=count(fewest),
        default=1_000_000,
        metavar="STEPS",
        help=f"{fewest} or more (%(default)s)",
    )
    steps = parser.parse_args(arguments).steps
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(fill(Path(folder), steps))
        context = multiprocessing.get_context("spawn")
        for format in get_args(Format):
            results = context.Queue()
            writer = context.Process(target=measure, args=(Path(folder), format, results))
            writer.start()
            took: Written = results.get()
            writer.join()
            say(
                f"{format:<12} {steps} steps, {took.size_bytes / 1e6:.0f} MB: {took.wall_seconds:.1f} s, "
                f"{took.cpu_seconds:.1f} s of CPU, {took.grown_bytes / 1e6:.0f} MB more memory at most"
            )
    return 0


async def fill(folder: Path, steps: int) -> None:
    """Write an attempt with this number of steps into a new database."""
    database = Database(sqlite_url(folder))
    await schema.upgrade(database.engine)
    async with database.write() as session:
        session.add_all([_job(), Attempt(id=1, job_id=1, number=1, token="t", created_at=utc_now())])
    for first in range(0, steps // RANKS, BLOCK):
        rows = [_step(rank, first + index) for rank in range(RANKS) for index in range(BLOCK)]
        async with database.write() as session:
            await insert_rows(session, Step, STEP_COLUMNS, rows)
    await database.dispose()


def _job() -> Base:
    now = utc_now()
    return Job(
        id=1, name="large", kind="benchmark", spec={}, user="admin", priority=50, labels={}, ranks=RANKS,
        state="succeeded", created_at=now, queued_at=now, summary={},
    )  # fmt: skip


def _step(rank: int, step: int) -> tuple[object, ...]:
    start_ns = START_NS + step * 1_100_000
    times_us = (1000.1, 0.0, 1000.1, 1000.1)
    return (1, 1, rank, step, "all_reduce", "ring", "mpi", False, 1 << 20, start_ns, *times_us, None, None, None)


def measure(folder: Path, format: Format, results: "Queue[Written]") -> None:
    """Write one format and tell what it took."""
    results.put(asyncio.run(_write(folder, format)))


async def _write(folder: Path, format: Format) -> Written:
    database, process = Database(sqlite_url(folder)), psutil.Process()
    size_bytes = pieces = 0
    before = most = process.memory_info().rss
    wall, cpu = time.perf_counter(), time.process_time()
    async for piece in exported(database, format, StepFilter(1), 1, RANKS):
        size_bytes += len(piece)
        pieces += 1
        if pieces % SAMPLE_PIECES == 0:
            most = max(most, process.memory_info().rss)
    took = Written(size_bytes, time.perf_counter() - wall, time.process_time() - cpu, most - before)
    await database.dispose()
    return took


if __name__ == "__main__":
    exit_with(main)
