"""The control plane under a long queue, many browsers, chatty ranks: parts of control_plane.py.

Each cost stands beside what it is at ten times the queue, the rows or the browsers.
"""

import asyncio
import json
import resource
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from benchmarks.report import Target, say
from benchmarks.server.http_load import Connection, p
from benchmarks.server.long_sweep import rows as sweep_rows
from benchmarks.server.serving import Serving
from benchmarks.server.simulated_agent import Agent, node, step_record

JOB: dict[str, Any] = {
    "benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024},
    "placement": {"ranks": 2},
}
QUEUES = (0, 500, 5_000)
CONNECTIONS, SUBMISSIONS = 8, 400
CALLS = 300
BROWSERS = (200, 2_000)
LOG_LINES, PER_BATCH = 60_000, 1_000
STEP_ROWS, STEPS_A_RECORD = 80_000, {50: 80, 20: 200}  # and how many records a batch
ALONE, ROWS = 100, 20_000


async def queue(server: Serving) -> list[Target]:
    """Measure calls and submissions with a queue behind a running job, and with a stream that reports it."""
    agent = await node(server, "n0", slots=2)
    await _running_job(server, agent)
    watching = asyncio.create_task(_watch(server))
    targets = []
    for depth in QUEUES:
        await _lengthen(server, depth)
        for path, most_ms in (("/healthz", 0.5), ("/api/v1/me", 3)):
            seconds = await _calls(server, path)
            say(f"queue of {depth:5,}: GET {path:12} {_ms(seconds)}")
            targets.append(Target(f"{path} with {depth:,} queued, p50 ms", most_ms, p(seconds, 50) * 1e3, at_most=True))
        rate, seconds = await _submits(server)
        say(f"queue of {depth:5,}: {rate:.0f} submits/s over {CONNECTIONS} connections, {_ms(seconds)}")
        targets.append(Target(f"submits/s with {depth:,} queued", 200, rate))
        targets.append(Target(f"submit p99 with {depth:,} queued, ms", 50, p(seconds, 99) * 1e3, at_most=True))
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    return targets


async def streams(server: Serving) -> list[Target]:
    """Measure submissions while thousands of open browsers get the events."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard > soft else soft, hard))
    await node(server, "n0", slots=2)
    watching: list[asyncio.Task[None]] = []
    targets = []
    for browsers in BROWSERS:
        hellos = asyncio.Semaphore(0)
        opening = browsers - len(watching)
        for _ in range(opening):
            watching.append(asyncio.create_task(_watch(server, hellos)))
            await asyncio.sleep(0.002)
        for _ in range(opening):
            await hellos.acquire()
        person, seconds = Connection(server.url, server.admin_token), []
        for _ in range(40):
            seconds.append((await person.request("POST", "/jobs", json.dumps(JOB | {"hold": True}).encode())).seconds)
            await asyncio.sleep(0.1)
        memory_mb = server.process.memory_info().rss / 1e6
        say(f"{browsers:,} open streams: a submit {_ms(seconds)}; the server has {memory_mb:.0f} MB")
        targets.append(Target(f"submit p99 with {browsers:,} streams, ms", 100, p(seconds, 99) * 1e3, at_most=True))
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return targets


async def records(server: Serving) -> list[Target]:
    """Log lines, steps that come few to a record, and rows of a sweep that come one by one; each stored once."""
    agent = await node(server, "n0", slots=2)
    spool = _Spool(agent, await _running_job(server, agent))
    line = {"type": "log", "rank": 0, "stream": "stdout", "time_ns": 1_767_225_600_000_000_000, "text": "step 17 done"}
    lines = LOG_LINES / sum([await spool.tell([json.dumps(line)] * PER_BATCH) for _ in range(LOG_LINES // PER_BATCH)])
    say(f"records: {lines:,.0f} log lines/s")
    targets = [Target("log lines/s", 30_000, lines)]
    for many, per_batch in STEPS_A_RECORD.items():
        batches = STEP_ROWS // many // per_batch
        rate = STEP_ROWS / sum([await spool.tell([step_record(many)] * per_batch) for _ in range(batches)])
        say(f"records: {rate:,.0f} step rows/s at {many} a record")
        targets.append(Target(f"step rows/s at {many} a record", 50_000, rate))
    rows = [json.dumps(row) for row in sweep_rows(("ring",), [1024], ROWS)]
    for at in range(0, ROWS, PER_BATCH):
        await spool.tell(rows[at : at + PER_BATCH])
    other = await node(server, "n1", slots=2)
    young = _Spool(other, await _running_job(server, other))
    # By turns, so that what else the machine does meets both.
    alone = [(await young.tell([row]), await spool.tell([row])) for row in rows[:ALONE]]
    first_ms, last_ms = (p(list(seconds), 50) * 1e3 for seconds in zip(*alone, strict=True))
    say(f"records: a batch of one {first_ms:.2f} ms, behind {ROWS:,} rows {last_ms:.2f} ms")
    targets.append(Target(f"a batch of one behind {ROWS:,} rows, of one behind none", 1.25, last_ms / first_ms, True))
    sent = {"log_lines": LOG_LINES, "steps": STEP_ROWS * len(STEPS_A_RECORD), "measurements": ROWS + 2 * ALONE}
    with sqlite3.connect(server.data_dir / "ringscope.sqlite3") as database:
        stored = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in sent}
    amiss = sum(abs(sent[name] - stored[name]) for name in sent)
    return [*targets, Target("rows lost, or stored twice", 0, amiss, at_most=True)]


@dataclass
class _Spool:
    """The records that an agent sends of an attempt, one batch after another."""

    agent: Agent
    attempt: object
    told: int = 0

    async def tell(self, records: Sequence[str]) -> float:
        """Send records, each as JSON; the seconds until they were stored."""
        head = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "first_sequence": self.told + 1}
        body = json.dumps(head)[:-1] + ', "records": [' + ", ".join(records) + "]}"
        self.told += len(records)
        answer = await self.agent.connection.request("POST", f"/agents/{self.agent.name}/records", body.encode())
        assert json.loads(answer.body)["last_sequence"] == self.told, answer
        return answer.seconds


HEAVY = {"queue": queue, "streams": streams, "records": records}


def _ms(seconds: list[float]) -> str:
    return f"p50 {p(seconds, 50) * 1e3:.2f} ms, p99 {p(seconds, 99) * 1e3:.1f} ms"


async def _running_job(server: Serving, agent: Agent) -> object:
    """A job that keeps the slots of the node; its attempt."""
    person = Connection(server.url, server.admin_token)
    await person.request("POST", "/jobs", json.dumps(JOB | {"time_limit_seconds": 86_400}).encode())
    while not (fresh := [each["attempt_id"] for each in await agent.poll() if each["desired"] == "prepare"]):
        pass
    for event in ("ready", "running"):
        await agent.report(fresh[0], event)
    person.close()
    return fresh[0]


async def _watch(server: Serving, hellos: asyncio.Semaphore | None = None) -> None:
    browser = Connection(server.url, server.admin_token)
    events = await browser.events("/stream?topics=jobs")
    if hellos is not None:
        hellos.release()
    while await events.readline():
        pass


async def _lengthen(server: Serving, depth: int) -> None:
    """Make ``depth`` queued jobs, as copies of one that waits."""
    if not depth:
        return
    person = Connection(server.url, server.admin_token)
    answer = await person.request("POST", "/jobs", json.dumps(JOB).encode())
    first = json.loads(answer.body)["id"]
    multiply_job(server, depth, first, "'queued'")
    deadline = time.monotonic() + 60
    while json.loads((await person.request("GET", f"/jobs/{first + depth - 1}")).body)["pending"] is None:
        assert time.monotonic() < deadline, "the last of them is told why it waits"
        await asyncio.sleep(0.2)
    person.close()


async def _calls(server: Serving, path: str) -> list[float]:
    person = Connection(server.url, server.admin_token, prefix="")
    found = [(await person.request("GET", path)).seconds for _ in range(CALLS)]
    person.close()
    return found


async def _submits(server: Serving) -> tuple[float, list[float]]:
    """Return the submissions per second and the seconds of each; every connection sends again at once."""
    seconds: list[float] = []

    async def client() -> None:
        person = Connection(server.url, server.admin_token)
        for _ in range(SUBMISSIONS // CONNECTIONS):
            answer = await person.request("POST", "/jobs", json.dumps(JOB).encode())
            assert answer.status == 201, answer
            seconds.append(answer.seconds)
        person.close()

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return SUBMISSIONS / (time.perf_counter() - start), seconds


def multiply_job(server: Serving, count: int, first: int = 1, state: str = "") -> None:
    """Copies of a job straight into the table, ``count`` with it; without a state (SQL) a long history."""
    start = time.perf_counter()
    with sqlite3.connect(server.data_dir / "ringscope.sqlite3", timeout=60) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(jobs)")]
        changed = {
            "id": "n.value",
            "state": state or "CASE WHEN n.value % 10 = 0 THEN 'failed' ELSE 'succeeded' END",
            "name": "'nightly sweep ' || n.value",
            "pending_position": "NULL",
            "pending_sentence": "NULL",
            "pending_reason": "NULL",
        }
        if not state:
            # One ended each minute up to now, a third without a bandwidth, few with a label that others lack.
            changed |= {
                "ranks": "2 << n.value % 8",
                "finished_at": f"datetime('now', (n.value - {first + count}) || ' minutes')",
                "busbw_gb_per_s": "CASE WHEN n.value % 3 THEN n.value * 7919 % 1000003 / 1e4 END",
                "labels": """CASE WHEN n.value % 100000 = 7 THEN '{"team": "rare"}' ELSE j.labels END""",
            }
        columns = ", ".join(f'"{name}"' for name in names)
        values = ", ".join(changed.get(name, f'j."{name}"') for name in names)
        database.execute(
            f"WITH RECURSIVE n(value) AS (SELECT {first + 1} UNION ALL SELECT value + 1 FROM n "
            f"WHERE value < {first + count - 1}) INSERT INTO jobs ({columns}) "
            f"SELECT {values} FROM n, jobs j WHERE j.id = {first}"
        )
    say(f"{count:,} jobs in the table, made in {time.perf_counter() - start:.0f} s")
