"""The control plane's numbers on this machine: a real server process on SQLite, load from a second process.

    python -m benchmarks.server.control_plane [submit] [pages] [changes] [telemetry] [queue] [streams] [records]

What bounds them: the server is one Python process, so one core. A submission is parsed, checked, written in one
transaction and answered, one after the other; a page reads one index range; a step row is parsed from JSON, and
inserted into a table with one index. Both load and server run here, on the cores that there are.
"""

import asyncio
import json
import sqlite3
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from benchmarks.command import Parser, exit_with, one_of
from benchmarks.report import Target, judged, say
from benchmarks.server.heavy import HEAVY, JOB, multiply_job
from benchmarks.server.http_load import Answer, Connection, p
from benchmarks.server.serving import Serving, serving
from benchmarks.server.simulated_agent import Agent, node, step_record

SUBMITTERS, SUBMISSIONS, SUBMISSIONS_PER_SECOND = 20, 2_000, 200
JOBS_IN_TABLE = 1_000_000
PAGES_EACH = 30
CHANGES = 60
NODES, STEPS_PER_RECORD, RECORDS_PER_BATCH = 4, 50, 80
OFFERED_ROWS_PER_SECOND, TELEMETRY_SECONDS = 55_000, 20.0
# Held, so that what is measured is the submission and not a queue of thousands.
HELD_JOB = json.dumps(JOB | {"hold": True}).encode()


async def submit(server: Serving) -> list[Target]:
    """Concurrent clients, each with its own connection: at a steady rate for the latency, then as fast as they can."""
    await node(server, "n0", slots=2)
    paced = await _submit(server, SUBMISSIONS, per_second=SUBMISSIONS_PER_SECOND)
    flat_out = await _submit(server, SUBMISSIONS, per_second=None)
    log = (server.data_dir / "server.log").read_text()
    refused = 2 * SUBMISSIONS - paced.accepted - flat_out.accepted
    return [
        Target(f"submit p99 at {SUBMISSIONS_PER_SECOND}/s, ms", 50, p(paced.seconds, 99) * 1e3, at_most=True),
        Target("submits/s, each client sending again at once", 200, SUBMISSIONS / flat_out.taken),
        Target("submit p99 then, ms", 50, p(flat_out.seconds, 99) * 1e3, at_most=True),
        Target("answers other than 201", 0, refused, at_most=True),
        Target('"database is locked" in the log', 0, log.count("database is locked"), at_most=True),
    ]


@dataclass
class Submitted:
    """The seconds that each submission took, the number accepted, and the seconds of all together."""

    seconds: list[float] = field(default_factory=list)
    accepted: int = 0
    taken: float = 0.0


async def _submit(server: Serving, count: int, per_second: int | None) -> Submitted:
    done = Submitted()

    async def client(number: int) -> None:
        connection = Connection(server.url, server.admin_token)
        for turn in range(number, count, SUBMITTERS):
            if per_second is not None:
                await asyncio.sleep(start + turn / per_second - time.perf_counter())
            key = f"Idempotency-Key: {uuid.uuid4()}\r\n"
            answer = await connection.request("POST", "/jobs", HELD_JOB, key)
            done.accepted += answer.status == 201
            done.seconds.append(answer.seconds)
        connection.close()

    start, cpu = time.perf_counter(), server.cpu_seconds
    await asyncio.gather(*(client(number) for number in range(SUBMITTERS)))
    done.taken = time.perf_counter() - start
    say(
        f"submit: {count} jobs by {SUBMITTERS} clients, {count / done.taken:.0f}/s: "
        f"p50 {p(done.seconds, 50) * 1e3:.1f} ms, p99 {p(done.seconds, 99) * 1e3:.1f} ms; "
        f"server {server.share(cpu, done.taken)}"
    )
    return done


async def pages(server: Serving) -> list[Target]:
    """The list of jobs with a million of them in the table."""
    await node(server, "n0", slots=2)
    connection = Connection(server.url, server.admin_token)
    await connection.request("POST", "/jobs", json.dumps(JOB | {"hold": True, "labels": {"team": "a"}}).encode())
    connection.close()  # the server would, as nothing comes for so long
    multiply_job(server, JOBS_IN_TABLE)
    targets = []
    first = json.loads((await connection.request("GET", "/jobs?limit=50")).body)
    middle = await connection.request("GET", "/jobs?limit=1000&state=failed")
    least = await connection.request("GET", "/jobs?limit=1000&sort=busbw")
    best = "/jobs?limit=1&state=succeeded&kind=benchmark&sort=-busbw"
    questions = {
        "newest": "/jobs?limit=50",
        "second page": f"/jobs?limit=50&cursor={first['next']}",
        "state=failed": "/jobs?limit=50&state=failed",
        "state=failed, after 1,000": f"/jobs?limit=50&state=failed&cursor={json.loads(middle.body)['next']}",
        "state=running (none)": "/jobs?limit=50&state=running",
        "user=nobody (none)": "/jobs?limit=50&user=nobody",
        "q=sweep": "/jobs?limit=50&q=sweep",
        "label=team:a": "/jobs?limit=50&label=team%3Aa",
        "sort=-busbw": "/jobs?limit=50&sort=-busbw",
        "sort=busbw, after 1,000": f"/jobs?limit=50&sort=busbw&cursor={json.loads(least.body)['next']}",
        "sort=-ranks": "/jobs?limit=50&sort=-ranks",
        # As the overview asks every ten seconds; nothing at all ended within the hour to come.
        "best since yesterday": f"{best}&finished_after={_hours_ago(24)}",
        "best, none ended since": f"{best}&finished_after={_hours_ago(-1)}",
    }
    for name, path in questions.items():
        seconds = await _repeated(PAGES_EACH, partial(connection.request, "GET", path))
        say(f"pages: {name:28} p50 {p(seconds, 50) * 1e3:6.1f} ms, p95 {p(seconds, 95) * 1e3:6.1f} ms")
        targets.append(Target(f"page of jobs, {name}, p95 ms", 50, p(seconds, 95) * 1e3, at_most=True))
    for name in ("q=no-such-name", "label=team:rare", "kind=training", "collective=reduce", "sort=name"):
        rare = await connection.request("GET", f"/jobs?limit=50&{name.replace(':', '%3A')}")
        say(f"pages: {name + ', reads all':28} {rare.seconds * 1e3:10.1f} ms (no target)")
    cluster = await _repeated(5, lambda: connection.request("GET", "/cluster"))
    say(f"pages: {'GET /cluster':28} p50 {p(cluster, 50) * 1e3:6.1f} ms (no target)")
    return targets


def _hours_ago(hours: float) -> str:
    return (datetime.now(UTC) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


async def changes(server: Serving) -> list[Target]:
    """Measure the time from an agent's report to the event on a browser's stream, and from POST to the assignment."""
    agent = await node(server, "n0", slots=2)
    browser = Connection(server.url, server.admin_token)  # kept: without it the stream would be closed
    events = await browser.events("/stream?topics=jobs")
    arrived: dict[tuple[int, str], float] = {}
    news = asyncio.Event()

    async def listen() -> None:
        while line := await events.readline():
            if line.startswith(b"data: {"):
                job = json.loads(line[6:])
                arrived.setdefault((job["id"], job["state"]), time.perf_counter())
                news.set()

    listening = asyncio.create_task(listen())
    to_stream, to_assignment = [], []
    connection = Connection(server.url, server.admin_token)

    async def heard(job_id: int, state: str, since: float) -> None:
        while (job_id, state) not in arrived:
            news.clear()
            async with asyncio.timeout(10):
                await news.wait()
        to_stream.append(arrived[job_id, state] - since)

    for _ in range(CHANGES // 3):
        since = time.perf_counter()
        waiting = asyncio.create_task(agent.poll())
        job_id = json.loads((await connection.request("POST", "/jobs", json.dumps(JOB).encode())).body)["id"]
        while not (assigned := await waiting):
            waiting = asyncio.create_task(agent.poll())
        to_assignment.append(time.perf_counter() - since)
        await heard(job_id, "starting", since)
        attempt = assigned[-1]["attempt_id"]
        await agent.report(attempt, "ready")
        for event, state in (("running", "running"), ("ended", "stopping"), ("clean", "failed")):
            since = time.perf_counter()
            await agent.report(attempt, event, reason="rank_exit" if event == "ended" else None)
            await heard(job_id, state, since)
    listening.cancel()
    say(
        f"changes: report to SSE, {len(to_stream)} changes: p50 {p(to_stream, 50) * 1e3:.1f} ms, "
        f"p95 {p(to_stream, 95) * 1e3:.1f} ms"
    )
    say(f"changes: POST to assignment at a polling agent: p95 {p(to_assignment, 95) * 1e3:.1f} ms")
    return [
        Target("state change to SSE client, p95 ms", 300, p(to_stream, 95) * 1e3, at_most=True),
        Target("queued to assignment at an idle agent, p95 ms", 1000, p(to_assignment, 95) * 1e3, at_most=True),
    ]


async def telemetry(server: Serving) -> list[Target]:
    """Several nodes that send step rows at a steady rate, a little above the target, while a person uses the API."""
    agents = [await node(server, f"n{i}", slots=2) for i in range(NODES)]
    person = Connection(server.url, server.admin_token)
    attempts: list[int] = []
    for _ in agents:
        await person.request("POST", "/jobs", json.dumps(JOB | {"time_limit_seconds": 3600}).encode())
    for agent in agents:
        while not (assigned := await agent.poll()):
            pass
        attempts.append(assigned[-1]["attempt_id"])
        await agent.report(attempts[-1], "ready")
        await agent.report(attempts[-1], "running")
    start, cpu = time.perf_counter(), server.cpu_seconds
    end = start + TELEMETRY_SECONDS
    rows, waits = [0], list[float]()
    by_path: dict[str, list[float]] = {}
    record = step_record(STEPS_PER_RECORD)

    async def send(agent: Agent, attempt: int) -> None:
        sequence, due = 1, time.perf_counter()
        while time.perf_counter() < end:
            due += NODES * RECORDS_PER_BATCH * STEPS_PER_RECORD / OFFERED_ROWS_PER_SECOND
            await asyncio.sleep(due - time.perf_counter())
            head = {"epoch": agent.epoch, "attempt_id": attempt, "first_sequence": sequence}
            body = json.dumps(head)[:-1] + ', "records": [' + ", ".join([record] * RECORDS_PER_BATCH) + "]}"
            answer = await agent.connection.request("POST", f"/agents/{agent.name}/records", body.encode())
            assert json.loads(answer.body)["last_sequence"] == sequence + RECORDS_PER_BATCH - 1, answer
            sequence += RECORDS_PER_BATCH
            rows[0] += RECORDS_PER_BATCH * STEPS_PER_RECORD

    async def use() -> None:
        questions = ("/jobs?limit=50", "/nodes", "/jobs/1", "/jobs/1/steps?limit=200", "/cluster")
        while time.perf_counter() < end:
            for path in questions:
                answer = await person.request("GET", path)
                assert answer.status == 200, answer
                waits.append(answer.seconds)
                by_path.setdefault(path, []).append(answer.seconds)
            answer = await person.request("POST", "/jobs", HELD_JOB)
            assert answer.status == 201, answer
            waits.append(answer.seconds)
            by_path.setdefault("POST /jobs", []).append(answer.seconds)
            await asyncio.sleep(0.02)

    await asyncio.gather(use(), *(send(agent, attempt) for agent, attempt in zip(agents, attempts, strict=True)))
    taken = time.perf_counter() - start
    for path, seconds in by_path.items():
        say(f"  {path:28} p50 {p(seconds, 50) * 1e3:6.1f} ms, p99 {p(seconds, 99) * 1e3:6.1f} ms")
    with sqlite3.connect(server.data_dir / "ringscope.sqlite3") as database:
        (stored,) = database.execute("SELECT count(*) FROM steps").fetchone()
    say(f"telemetry: {stored} step rows in {taken:.1f} s from {NODES} nodes = {stored / taken:,.0f} rows/s")
    say(
        f"  API meanwhile: {len(waits)} calls, p50 {p(waits, 50) * 1e3:.1f} ms, p99 {p(waits, 99) * 1e3:.1f} ms; "
        f"server {server.share(cpu, taken)}"
    )
    return [
        Target("step rows/s into SQLite", 50_000, stored / taken),
        Target("step rows sent but not stored, or stored twice", 0, abs(rows[0] - stored), at_most=True),
        Target("API p99 meanwhile, ms", 100, p(waits, 99) * 1e3, at_most=True),
    ]


async def _repeated(times: int, ask: Callable[[], Awaitable[Answer]]) -> list[float]:
    answers = [await ask() for _ in range(times)]
    assert all(answer.status == 200 for answer in answers), answers[0]
    return [answer.seconds for answer in answers]


PARTS = {"submit": submit, "pages": pages, "changes": changes, "telemetry": telemetry, **HEAVY}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run each part on a server of its own, then print all targets; return 1 if one is missed."""
    parser = Parser(__doc__)
    listed = f"of {', '.join(PARTS)}; all if none is named"
    parser.add_argument("parts", nargs="*", type=one_of(PARTS), metavar="PART", help=listed)
    targets: list[Target] = []
    for name in parser.parse_args(arguments).parts or PARTS:
        with serving() as server:
            targets += asyncio.run(PARTS[name](server))
    return judged(targets)


if __name__ == "__main__":
    exit_with(main)
