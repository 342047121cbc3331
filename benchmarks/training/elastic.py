"""Measure the time from kill -9 of one of four ranks to the first step of the next attempt, on three.

    python -m benchmarks.training.elastic [KILLS]

One job is killed again and again: each time one rank, once the job has its four ranks back. Each wait is cut where the
server writes a time: the attempt is over (all of its processes are proven gone), the slots are assigned again, every
rank has started, and rank 0 has finished a step. The limit is what has to happen one after the other; on a machine with
fewer cores than ranks most of it is the start of Python and PyTorch, which the ranks do side by side.
"""

import os
import signal
import time
import uuid
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime

import httpx
from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched
from benchmarks.stack import Served, say_times, served, wait_for

from ringscope.client import Client, Job
from ringscope.contracts.errors import UserError

RANKS = 4
TARGET_SECONDS = 3.0
WAIT_SECONDS = 600.0  # a start takes minutes if other processes keep the cores busy, and may be tried again
_STEADY_SECONDS = 10.0  # PyTorch is loaded in advance for the next attempt meanwhile
_ENDLESS = 100_000  # epochs
JOB = {
    "name": "elastic",
    "kind": "training",
    "training": {
        "dataset": {"name": "synthetic", "samples": 2048},
        "global_batch_size": 64,
        "epochs": _ENDLESS,
        "all_reduce": "direct",
    },
    "placement": {"ranks": RANKS, "min_ranks": RANKS - 1},
    "time_limit_seconds": 86_400,
}
_PARTS = ("attempt over", "slots assigned", "every rank started", "first step finished")


@dataclass(frozen=True)
class Recovery:
    """Seconds from the kill on."""

    over: float
    assigned: float
    started: float
    first_step: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print median and p95 of each part, in seconds; 1 when the target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("kills", nargs="?", type=count(), default=20, metavar="KILLS", help="kills (%(default)s)")
    kills = parser.parse_args(arguments).kills
    with watched() as conditions, served(RANKS) as stack:
        job_id = stack.client.submit(JOB, str(uuid.uuid4())).id
        found = [one_kill(stack, job_id) for _ in range(kills)]
        stack.client.cancel(job_id)
    say(f"{kills} kills of one of {RANKS} ranks, seconds from the kill")
    p95 = [say_times(what, values) for what, values in zip(_PARTS, zip(*map(astuple, found), strict=True), strict=True)]
    say(f"({conditions})")
    what = "kill of one of four ranks until the first step on three is finished, p95 s"
    return judged([Target(what, TARGET_SECONDS, p95[-1], at_most=True)])


def one_kill(stack: Served, job_id: int) -> Recovery:
    """Kill a rank of the attempt that has all ranks and wait for the first step of the next one."""
    api = stack.api
    number = wait_for_steps(stack, job_id, RANKS)
    time.sleep(_STEADY_SECONDS)
    environment = api.get(f"jobs/{job_id}/environment").raise_for_status().json()["items"][-1]
    pids = {rank["rank"]: rank["pid"] for rank in environment["ranks"]}
    killed = time.time()
    os.kill(pids[RANKS - 1], signal.SIGKILL)
    wait_for_steps(stack, job_id, RANKS - 1)
    before, after = api.get(f"jobs/{job_id}").raise_for_status().json()["attempts"][number - 1 : number + 1]
    over, assigned, started = (
        datetime.fromisoformat(text).timestamp() - killed
        for text in (before["finished_at"], after["created_at"], after["started_at"])
    )
    (first,) = steps(api, job_id, number + 1)
    return Recovery(over, assigned, started, first["started_at_ns"] / 1e9 + first["duration_us"] / 1e6 - killed)


def wait_for_steps(stack: Served, job_id: int, ranks: int) -> int:
    """Return the attempt with this number of ranks once it has made a step; UserError with what came instead."""
    try:
        return wait_for(lambda: with_steps(stack.client, stack.api, job_id, ranks), f"{ranks} ranks", WAIT_SECONDS)
    except UserError as error:
        attempts = stack.client.job(job_id).attempts
        ends = "; ".join(f"attempt {attempt.number}: {attempt.reason} {attempt.message}" for attempt in attempts[-4:])
        raise UserError(f"{error}. {ends}") from None


def with_steps(client: Client, api: httpx.Client, job_id: int, ranks: int) -> int | None:
    """Return the newest attempt's number if it has this number of ranks and has finished a step."""
    job: Job = client.job(job_id)
    if job.is_finished:
        raise UserError(f"Job {job_id} {job.state}: {job.message}")
    number = len(job.attempts)
    has_all = bool(number) and sum(member.ranks for member in job.attempts[-1].members) == ranks
    return number if job.state == "running" and has_all and steps(api, job_id, number) else None


def steps(api: httpx.Client, job_id: int, attempt: int) -> list[dict[str, float]]:
    """Return the first step of rank 0 in an attempt, in a list that may be empty."""
    query = {"rank": 0, "attempt": attempt, "limit": 1}
    items: list[dict[str, float]] = api.get(f"jobs/{job_id}/steps", params=query).raise_for_status().json()["items"]
    return items


if __name__ == "__main__":
    exit_with(main)
