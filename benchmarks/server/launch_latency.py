"""Measure the time from the POST of a job to the first finished step of its first rank, through the whole launch path.

    python -m benchmarks.server.launch_latency [RUNS]

Each run is divided at the times that the server writes: the POST is sent, the slots are assigned, every rank has said
hello (launched), and rank 0 has finished a step. The limit is what has to happen in sequence: a scheduling pass, two
exchanges of agent and server (ready, proxies), mpiexec and its proxy (about 0.1 s), Python with NumPy and mpi4py in
every rank, and MPI_Init (together about 0.5 s if four ranks share two cores).
"""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched
from benchmarks.stack import Served, say_times, served, wait_for

from ringscope.contracts.errors import UserError

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print median and p95 of each part, in seconds; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("runs", nargs="?", type=count(), default=20, metavar="RUNS", help="jobs (%(default)s)")
    runs = parser.parse_args(arguments).runs
    with watched() as conditions, served(RANKS) as stack:
        found = [one_run(stack) for _ in range(runs)]
    say(f"{runs} jobs of {RANKS} ranks on an idle agent, seconds from the POST")
    say_times("slots assigned", [run.assigned for run in found])
    launched = say_times("launched: every rank runs", [run.launched for run in found])
    first_step = say_times("first step finished", [run.first_step for run in found])
    say(f"({conditions})")
    return judged(
        [
            Target("POST until every rank runs, p95 s", TARGET_LAUNCHED_SECONDS, launched, at_most=True),
            Target("POST until the first step is finished, p95 s", TARGET_FIRST_STEP_SECONDS, first_step, at_most=True),
        ]
    )


def one_run(stack: Served) -> Run:
    """Submit one job and wait for its end; UserError unless it succeeded."""
    client, posted_ns = stack.client, time.time_ns()
    number = client.submit(JOB, str(uuid.uuid4())).id
    job = wait_for(lambda: job if (job := client.job(number)).is_finished else None, "the end of the job", 600.0)
    if job.state != "succeeded":
        raise UserError(f"Job {job.id} {job.state}: {job.message}")
    first = client.first_step(job.id, rank=0)
    assert first is not None, "a job that succeeded has steps"
    (attempt,) = stack.api.get(f"jobs/{job.id}").raise_for_status().json()["attempts"]
    assigned, launched = (datetime.fromisoformat(attempt[key]).timestamp() for key in ("created_at", "started_at"))
    posted = posted_ns / 1e9
    first_step = (first.started_at_ns - posted_ns) / 1e9 + first.duration_us / 1e6
    return Run(assigned - posted, launched - posted, first_step)


if __name__ == "__main__":
    exit_with(main)
