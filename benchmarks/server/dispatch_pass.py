"""A scheduling pass on SQLite for thousands of waiting jobs: read the tables, plan, write what is new.

    python -m benchmarks.server.dispatch_pass [RUNS]

The first pass tells every job why it waits; in the quiet one nothing has changed, and in
those that follow it for five seconds no plan is made; in the last one gangs have ended, so
that jobs start and places in the queue move. Each on 200 nodes and with ten times the nodes, or the jobs and more.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched
from benchmarks.server.plan_pass import NOW, SCENARIOS, snapshot
from sqlalchemy import insert, update

from ringscope.contracts.inventory import Gpu, Inventory
from ringscope.contracts.job import JobSpec
from ringscope_server.changes import Changes
from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Allocation, Attempt, Job, Member, Node
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.jobs.summary import empty
from ringscope_server.placement.queue import Queue
from ringscope_server.placement.snapshot import NodeState, Policy, QueuedJob, RunningGang, Snapshot
from ringscope_server.scheduler.dispatch import carry_out, decide

# Jobs, nodes, and how many milliseconds of its own work a quiet pass may take.
CASES = ((1_000, 200, 20.0), (20_000, 200, 100.0), (1_000, 2_000, None))


async def one_run(path: Path, seed: int, jobs: int, nodes: int) -> dict[str, dict[str, float]]:
    """Time each kind of pass."""
    database = Database(sqlite_url(path))
    await schema.upgrade(database.engine)
    await _fill(database, snapshot(SCENARIOS[0], seed, nodes, jobs))
    queue = Queue()
    times = {kind: await _timed_pass(database, queue) for kind in ("first", "quiet", "settled")}
    async with database.write() as session:
        await session.execute(update(Allocation).where(Allocation.attempt_id <= 10).values(is_active=False))
    times["after an end"] = await _timed_pass(database, queue)
    await database.dispose()
    return times


async def _timed_pass(database: Database, queue: Queue) -> dict[str, float]:
    """Milliseconds of processor time of each part, and of the whole by the clock."""
    clock, began = time.perf_counter(), time.process_time()
    decided = await decide(database, queue, 1, Policy(), NOW)
    decided_at = time.process_time()
    async with database.write() as session:
        await carry_out(session, decided, Changes(), NOW)
    queue.note(decided.started, decided.stored)
    return {
        "read and plan": (decided_at - began) * 1e3,
        "write": (time.process_time() - decided_at) * 1e3,
        "all by the clock": (time.perf_counter() - clock) * 1e3,
    }


async def _fill(database: Database, made: Snapshot) -> None:
    async with database.write() as session:
        await session.execute(insert(Node), [_node(node) for node in made.nodes])
        await session.execute(
            insert(Job), [_running(gang) for gang in made.running] + [_job(job) for job in made.queue]
        )
        rows = [_attempt(gang) for gang in made.running]
        await session.execute(insert(Attempt), rows)
        await session.execute(insert(Member), [row for gang in made.running for row in _members(gang)])
        await session.execute(insert(Allocation), [row for gang in made.running for row in _allocations(gang)])


def _node(node: NodeState) -> dict[str, Any]:
    gpus = [
        Gpu(index=i, uuid=str(i), model=m, memory_bytes=node.gpu_memory_bytes) for i, m in enumerate(node.gpu_models)
    ]
    inventory = Inventory(hostname=node.name, os="", cpu_model="", cores=8, memory_bytes=node.memory_bytes, gpus=gpus)
    return {
        "id": node.id + 1,
        "name": node.name,
        "address": node.name,
        "slots": len(node.slots),
        "metrics_address": "",
        "inventory": inventory.model_dump(),
        "versions": dict(node.versions),
        "labels": dict(node.labels),
        "desired": "active",
        "observed": "ready",
        "epoch": 1,
        "registered_at": NOW,
        "last_heartbeat_at": NOW,
    }


def _job(job: QueuedJob) -> dict[str, Any]:
    spec = JobSpec(placement=job.placement, time_limit_seconds=job.time_limit_seconds, priority=job.priority)
    return _row(spec, job.id, job.user, "queued") | {
        "queued_at": job.queued_at,
        "excluded_nodes": sorted(job.excluded_nodes),
    }


def _running(gang: RunningGang) -> dict[str, Any]:
    seconds = round((gang.ends_at - gang.started_at).total_seconds())
    spec = JobSpec.model_validate(
        {"placement": {"ranks": gang.slots}, "time_limit_seconds": seconds, "priority": gang.priority}
    )
    return _row(spec, gang.job_id + 1, gang.user, "running") | {"queued_at": NOW, "excluded_nodes": []}


def _row(spec: JobSpec, number: int, user: str, state: str) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"job {number}",
        "kind": spec.kind,
        "spec": spec.model_dump(mode="json"),
        "user": user,
        "priority": spec.priority,
        "labels": {},
        "ranks": spec.placement.ranks,
        "state": state,
        "created_at": NOW,
        "summary": empty("benchmark").model_dump(mode="json"),
    }


def _attempt(gang: RunningGang) -> dict[str, Any]:
    number = gang.job_id + 1
    times = {"created_at": gang.started_at, "started_at": gang.started_at}
    return {"id": number, "job_id": number, "number": 1, "token": str(number)} | times


def _members(gang: RunningGang) -> list[dict[str, Any]]:
    return [
        {
            "attempt_id": gang.job_id + 1,
            "member": index,
            "node_id": share.node_id + 1,
            "slots": len(share.slots),
            "first_rank": sum(len(before.slots) for before in gang.shares[:index]),
            "phase": "running",
        }
        for index, share in enumerate(gang.shares)
    ]


def _allocations(gang: RunningGang) -> list[dict[str, Any]]:
    places = [(share.node_id + 1, slot) for share in gang.shares for slot in share.slots]
    return [
        {"attempt_id": gang.job_id + 1, "rank": rank, "node_id": node_id, "slot": slot, "is_active": True}
        for rank, (node_id, slot) in enumerate(places)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the median and the worst time of each kind of pass; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("runs", nargs="?", type=count(), default=5, metavar="RUNS", help="of each case (%(default)s)")
    runs = parser.parse_args(arguments).runs
    targets = []
    with watched() as conditions:
        for jobs, nodes, most_ms in CASES:
            times = []
            for seed in range(runs):
                with tempfile.TemporaryDirectory() as scratch:
                    times.append(asyncio.run(one_run(Path(scratch), seed, jobs, nodes)))
            say(f"{jobs:,} waiting jobs, {nodes:,} nodes")
            for kind in times[0]:
                for part in times[0][kind]:
                    found = [run[kind][part] for run in times]
                    say(f"  {kind:13} {part:16} median {median(found):6.1f} ms, worst {max(found):6.1f} ms")
            if most_ms is not None:
                quiet = median(sum(run["quiet"][part] for part in ("read and plan", "write")) for run in times)
                targets.append(
                    Target(f"quiet pass, {jobs:,} queued on {nodes} nodes, ms", most_ms, quiet, at_most=True)
                )
    say(f"({conditions}; {runs} runs)")
    return judged(targets)


if __name__ == "__main__":
    exit_with(main)
