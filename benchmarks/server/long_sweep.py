"""Measure what the last batch of rows of a long sweep costs to store, compared with the first one.

    python -m benchmarks.server.long_sweep [BATCHES]

Batches of one row each are stored in a SQLite database as the route stores them: the attempt is loaded, the row written
and the job's summary renewed, all in one transaction. There are three sweeps of equally many rows: one that repeats 25
sizes of 4 algorithms, one that repeats a single size, and one in which every row out of place has a size of its own. At
the end the summary is compared with that of all rows at once.
"""

import asyncio
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched
from sqlalchemy import select

from ringscope.contracts import record
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import RecordBatch
from ringscope_server.attempts import gangs
from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Attempt, Job, Member, Node
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.jobs.summary import empty, summary_of
from ringscope_server.jobs.tally import Tally
from ringscope_server.services import utc_now
from ringscope_server.telemetry.ingest import ingest

BATCHES, WINDOW = 10_000, 100
MOST_RATIO = 1.5
INVENTORY = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1 << 30}
# Algorithms and sizes of each sweep, which is repeated until there are rows enough.
SWEEPS = {
    "25 sizes, 4 algorithms": (("ring", "direct", "tree", "mpi"), [8 << exponent for exponent in range(25)]),
    "1 size, 1 algorithm": (("ring",), [1 << 20]),
    "a size for each pair": (("ring",), range(1024, 1024 + 8 * BATCHES, 8)),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a batch costs at the beginning, the middle and the end of each sweep; 1 when a target is missed."""
    parser = Parser(__doc__)
    listed = f"of each sweep, {WINDOW} or more (%(default)s)"
    parser.add_argument("batches", nargs="?", type=count(WINDOW), default=BATCHES, metavar="BATCHES", help=listed)
    batches = parser.parse_args(arguments).batches
    targets = []
    with watched() as conditions:
        for name, (algorithms, sizes) in SWEEPS.items():
            with tempfile.TemporaryDirectory() as folder:
                times_ms = asyncio.run(store(Path(folder), job_of(algorithms, sizes), rows(algorithms, sizes, batches)))
            middle = batches // 2
            parts = [times_ms[:WINDOW], times_ms[middle : middle + WINDOW], times_ms[-WINDOW:]]
            first, half, last = map(median, parts)
            say(
                f"{name:24} {batches} batches: the first {WINDOW} {first:.2f} ms each, in the middle {half:.2f}, "
                f"the last {WINDOW} {last:.2f}; last / first {last / first:.2f}"
            )
            targets.append(Target(f"{name}: last / first", MOST_RATIO, last / first, at_most=True))
    say(f"(medians, processor time of all threads; {conditions})")
    return judged(targets)


def job_of(algorithms: tuple[str, ...], sizes: Any) -> JobSpec:
    """A job that asks for these rows: others would be passed over."""
    steps = {"step_bytes": sizes.step} if isinstance(sizes, range) else {}
    sweep = {"algorithms": algorithms, "min_bytes": sizes[0], "max_bytes": sizes[-1], **steps}
    return JobSpec.model_validate({"benchmark": sweep, "placement": {"ranks": 2}})


def rows(algorithms: tuple[str, ...], sizes: Any, count: int) -> Iterator[dict[str, Any]]:
    """Yield ``count`` rows, cycle after cycle, with times that scatter."""
    draw, cycle, made = random.Random(0), 0, 0
    while True:
        for size_bytes in sizes:
            for algorithm in algorithms:
                for in_place in (False, True):
                    if made == count:
                        return
                    made += 1
                    yield _row(algorithm, size_bytes, in_place, cycle, 10 + size_bytes / 1e4 * draw.uniform(1, 2))
        cycle += 1


def _row(algorithm: str, size_bytes: int, in_place: bool, cycle: int, time_us: float) -> dict[str, Any]:
    names = ("time_us", "min_us", "mean_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us")
    rate = size_bytes / time_us / 1e3
    what = {"type": "measurement", "collective": "all_reduce", "algorithm": algorithm, "transport": "shared_memory"}
    shape = {"size_bytes": size_bytes, "count": size_bytes // 4, "dtype": "float32", "op": "sum", "ranks": 2}
    rest = {"iterations": 20, "wrong": 0, "stdev_us": 1.0, "cv_percent": 1.0, "time_ns": 1_767_225_600_000_000_000}
    rates = {"algbw_gb_per_s": rate, "busbw_gb_per_s": rate}
    return what | shape | rest | rates | dict.fromkeys(names, time_us) | {"in_place": in_place, "cycle": cycle}


async def store(folder: Path, spec: JobSpec, told: Iterator[dict[str, Any]]) -> list[float]:
    """Milliseconds of processor time that each row took, in a transaction of its own."""
    database = Database(sqlite_url(folder))
    await schema.upgrade(database.engine)
    await _fill(database, spec)
    whole, times_ms = Tally(), []
    for number, row in enumerate(told, 1):
        batch = RecordBatch(epoch=1, attempt_id=1, first_sequence=number, records=[row])
        began = time.process_time()
        async with database.write() as session:
            attempt = await gangs.load(session, 1)
            assert attempt is not None
            await ingest(session, attempt.members[0], attempt, "n1", batch)
        times_ms.append((time.process_time() - began) * 1e3)
        whole.add(record.Measurement.model_validate(row))
    async with database.read() as session:
        (summary,) = await session.scalars(select(Job.summary))
    await database.dispose()
    expected = summary_of(whole).model_dump(mode="json")
    assert summary == expected, json.dumps([summary, expected], indent=1)
    return times_ms


async def _fill(database: Database, spec: JobSpec) -> None:
    now = utc_now()
    async with database.write() as session:
        node = {"id": 1, "name": "n1", "address": "n1", "slots": 2, "metrics_address": "", "versions": {}, "labels": {}}
        state = {"desired": "active", "observed": "ready", "epoch": 1, "registered_at": now, "last_heartbeat_at": now}
        session.add(Node(**node, **state, inventory=INVENTORY))
        session.add(
            Job(
                id=1, name="long", kind="benchmark", spec=spec.model_dump(mode="json"), user="admin", priority=50,
                labels={}, ranks=2, collective="all_reduce", state="running", created_at=now, queued_at=now,
                summary=empty("benchmark").model_dump(mode="json"),
            )
        )  # fmt: skip
        await session.flush()
        session.add(Attempt(id=1, job_id=1, number=1, token="t", created_at=now))
        await session.flush()
        session.add(Member(attempt_id=1, member=0, node_id=1, slots=2, first_rank=0, phase="running"))


if __name__ == "__main__":
    exit_with(main)
