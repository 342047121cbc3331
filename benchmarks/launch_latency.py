"""From POST of a job to the first finished step of its first rank, on this machine, through the whole launch path.

    python benchmarks/launch_latency.py [RUNS]

Each run is cut where the server writes a time: the POST is sent, the slots are assigned, every rank has said hello
(launched), and rank 0 has finished a step. The limit is what has to happen one after the other: a scheduling pass, two
rounds of agent and server (ready, proxies), mpiexec and its proxy (about 0.1 s), Python with NumPy and mpi4py in every
rank, and MPI_Init (together about 0.5 s when four ranks share two cores).
"""

import math
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

import httpx

from ringscope.cli.connection import served_url, token
from ringscope.cli.stack import StackOptions, running_stack
from ringscope.client import Client

RANKS = 4
TARGET_LAUNCHED_SECONDS = 1.0
TARGET_FIRST_STEP_SECONDS = 3.0
JOB = {
    "name": "launch latency",
    "benchmark": {"algorithms": ["ring"], "min_bytes": 8, "max_bytes": 8},
    "placement": {"ranks": RANKS},
}


@dataclass(frozen=True)
class Run:
    """Seconds from the POST on."""

    assigned: float
    launched: float
    first_step: float


def main(runs: int) -> None:
    """Print median and p95 of each part, in seconds, beside the targets."""
    with tempfile.TemporaryDirectory() as scratch:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, RANKS, 0)
        with running_stack(options) as stack:
            api = httpx.Client(
                base_url=f"{served_url(options.data_dir)}/api/v1/",
                headers={"Authorization": f"Bearer {token(options.data_dir)}"},
            )
            with api:
                found = [one_run(stack.client, api) for _ in range(runs)]
    print(f"{runs} jobs of {RANKS} ranks on an idle agent, seconds from the POST")
    say("slots assigned", [run.assigned for run in found])
    say("launched: every rank runs", [run.launched for run in found], TARGET_LAUNCHED_SECONDS)
    say("first step finished", [run.first_step for run in found], TARGET_FIRST_STEP_SECONDS)


def one_run(client: Client, api: httpx.Client) -> Run:
    """Submit one job and wait for its end."""
    posted_ns = time.time_ns()
    job = client.submit(JOB, str(uuid.uuid4()))
    while not (job := client.job(job.id)).is_finished:
        time.sleep(0.05)
    if job.state != "succeeded":
        raise SystemExit(f"Job {job.id} {job.state}: {job.message}")
    first = client.first_step(job.id, rank=0)
    assert first is not None, "a job that succeeded has steps"
    (attempt,) = api.get(f"jobs/{job.id}").raise_for_status().json()["attempts"]
    assigned, launched = (datetime.fromisoformat(attempt[key]).timestamp() for key in ("created_at", "started_at"))
    posted = posted_ns / 1e9
    first_step = (first.started_at_ns - posted_ns) / 1e9 + first.duration_us / 1e6
    return Run(assigned - posted, launched - posted, first_step)


def say(what: str, seconds: list[float], target: float | None = None) -> None:
    """One line of the table; the target is the p95's."""
    p95 = sorted(seconds)[math.ceil(len(seconds) * 0.95) - 1]
    beside = f"   target p95: under {target:.0f} s" if target else ""
    print(f"{what:<26} p50 {median(seconds):.2f}  p95 {p95:.2f}  worst {max(seconds):.2f}{beside}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
