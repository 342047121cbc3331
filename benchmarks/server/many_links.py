"""Measure what the links of many nodes cost: the bytes and seconds of each answer, and how long others wait meanwhile.

    python -m benchmarks.server.many_links [--nodes 512] [--rack-nodes 32]

A diagnosis has measured all pairs of simulated nodes; their rows are written into a SQLite database, and a real server
answers from it. While it answers, another connection asks for the cluster again and again: its longest wait is the time
that the server kept all others waiting. The targets hold the processor time of the answers for the page, because the
clock also counts what other programs do.
"""

import asyncio
import itertools
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say
from benchmarks.server.http_load import Answer, Connection
from benchmarks.server.serving import Serving, scratch, serving
from sqlalchemy import insert

from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Attempt, Job, LinkMeasurement, Member, Node
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.services import utc_now

TARGET_SECONDS, TARGET_BYTES = 1.0, 1e6
RUNS = 3
BROWSER = "Accept-Encoding: gzip\r\n"  # the page's answers are compressed
RATE = 25e9  # bytes per second
_ROWS_AT_ONCE = 10_000
INVENTORY = {"hostname": "h", "os": "Linux", "cpu_model": "x", "cores": 64, "memory_bytes": 1 << 38}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each answer; 1 if an answer for the page misses its target."""
    parser = Parser(__doc__)
    parser.add_argument("--nodes", type=count(3), default=512, help="nodes (%(default)s)")
    parser.add_argument("--rack-nodes", type=count(1), default=32, help="nodes of a rack (%(default)s)")
    options = parser.parse_args(arguments)
    with scratch() as folder:
        asyncio.run(fill(Path(folder), options.nodes, options.rack_nodes))
        with serving(folder) as server:
            return judged(asyncio.run(_measured(server)))


async def fill(folder: Path, nodes: int, rack_nodes: int) -> None:
    """Write one diagnosis of all pairs of so many nodes into a new database."""
    database, now, chance = Database(sqlite_url(folder)), utc_now(), random.Random(1)
    await schema.upgrade(database.engine)
    async with database.write() as session:
        session.add_all(_node(number, number // rack_nodes, now) for number in range(nodes))
        session.add(_job(nodes, now))
        await session.flush()
        times = {"created_at": now, "started_at": now, "finished_at": now}
        session.add(Attempt(id=1, job_id=1, number=1, token="t", reason="completed", **times))
        await session.flush()
        session.add_all(
            Member(attempt_id=1, node_id=number + 1, member=number, first_rank=number, slots=1, phase="clean")
            for number in range(nodes)
        )
    rows = (_row(first + 1, second + 1, chance) for first, second in itertools.combinations(range(nodes), 2))
    while part := list(itertools.islice(rows, _ROWS_AT_ONCE)):
        async with database.write() as session:
            await session.execute(insert(LinkMeasurement), part)
    await database.dispose()


def _node(number: int, rack: int, now: datetime) -> Node:
    return Node(
        id=number + 1, name=f"n{number:04}", address="10.0.0.1", slots=1, metrics_address="", inventory=INVENTORY,
        versions={}, labels={"rack": f"r{rack}"}, desired="active", observed="lost", epoch=1, registered_at=now,
        last_heartbeat_at=now,
    )  # fmt: skip


def _job(nodes: int, now: datetime) -> Job:
    spec = {
        "kind": "diagnosis",
        "diagnosis": {"measure": "links"},
        "placement": {"ranks": nodes, "nodes": nodes},
    }
    return Job(
        id=1, name="links", kind="diagnosis", spec=spec, user="admin", priority=50, labels={}, ranks=nodes,
        state="succeeded", created_at=now, queued_at=now, started_at=now, finished_at=now,
        rows_done=nodes * (nodes - 1) // 2, summary={"kind": "diagnosis", "verdict": None},
    )  # fmt: skip


def _row(first: int, second: int, chance: random.Random) -> dict[str, Any]:
    def way() -> dict[str, float]:
        middle = RATE * chance.lognormvariate(0, 0.03)
        return {"low": 0.98 * middle, "high": 1.02 * middle, "spread": 0.01, "messages": 12}

    measured_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=first)
    return {
        "attempt_id": 1, "job_id": 1, "round": 0, "first_node_id": first, "second_node_id": second,
        "ending": "measured", "is_loaded": False, "size_bytes": 4 << 20, "both_ways": False, "there": way(),
        "back": way(), "latency_us": 20.0, "measured_at": measured_at,
    }  # fmt: skip


async def _measured(server: Serving) -> list[Target]:
    first = await Connection(server.url, server.admin_token).request("GET", "/links?limit=1000")
    of_page = {
        "each two racks": "/links/racks",
        "the nodes of two racks": "/links?rack=r0&rack=r1&slowest_nodes=64",
        "the 64 nodes with slow links": "/links?slowest_nodes=64",
        "one node": "/links?node=n0001",
        "a diagnosis without pairs": "/jobs/1/diagnosis?without_measured=true",
    }
    others = {
        "all links": "/links",
        "the first 1,000 links": "/links?limit=1000",
        "the next 1,000 links": f"/links?limit=1000&cursor={json.loads(first.body)['next']}",
        "a diagnosis": "/jobs/1/diagnosis",
        "a page of its pairs": "/jobs/1/diagnosis?limit=1000",
    }
    targets = []
    for what, path in of_page.items():
        took = await _took(server, what, path, RUNS, BROWSER)
        targets.append(Target(f"{what}, processor s", TARGET_SECONDS, took.cpu_seconds, at_most=True))
        targets.append(Target(f"{what}, MB", TARGET_BYTES / 1e6, took.size_bytes / 1e6, at_most=True))
    for what, path in others.items():
        await _took(server, what, path, 1, "")
    return targets


class Took(NamedTuple):
    """The size of an answer as it was sent, and the server's processor time for one."""

    size_bytes: int
    cpu_seconds: float


async def _took(server: Serving, what: str, path: str, runs: int, headers: str) -> Took:
    """Ask so many times, and print a line."""
    connection = Connection(server.url, server.admin_token)
    answers, waits, before = [], [], server.cpu_seconds
    for _ in range(runs):
        answer, wait = await _beside(server.url, server.admin_token, connection, path, headers)
        answers.append(answer)
        waits.append(wait)
    connection.close()
    took = Took(len(answers[0].body), (server.cpu_seconds - before) / runs)
    seconds = median(answer.seconds for answer in answers)
    say(
        f"{what:<28} {took.size_bytes / 1e6:7.3f} MB, {seconds:6.2f} s, {took.cpu_seconds:6.2f} s of a processor; "
        f"others waited {max(waits):.2f} s"
    )
    return took


async def _beside(url: str, token: str, connection: Connection, path: str, headers: str) -> tuple[Answer, float]:
    """Return the answer, and the longest that another connection waited meanwhile in seconds."""
    other, longest = Connection(url, token), 0.0
    asked = asyncio.create_task(connection.request("GET", path, headers=headers))
    while not asked.done():
        longest = max(longest, (await other.request("GET", "/cluster")).seconds)
        await asyncio.sleep(0.05)
    other.close()
    answer = asked.result()
    if answer.status != 200:
        raise RuntimeError(f"{path} answers {answer.status}: {answer.body[:200]!r}")
    return answer, longest


if __name__ == "__main__":
    exit_with(main)
