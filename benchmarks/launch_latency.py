"""From POST of a job to the first finished step of its first rank, on this machine, through the whole launch path.

    python benchmarks/launch_latency.py [RUNS]

The limit is what has to happen one after the other: a scheduling pass, two rounds of agent and server (ready, proxies),
mpiexec and its proxy (about 0.1 s), Python with NumPy and mpi4py in every rank, and MPI_Init (together about 0.5 s when
four ranks share two cores).
"""

import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median

from ringscope.cli.stack import StackOptions, running_stack
from ringscope.client import Client

RANKS = 4
JOB = {
    "name": "launch latency",
    "benchmark": {"algorithms": ["ring"], "min_bytes": 8, "max_bytes": 8},
    "placement": {"ranks": RANKS},
}


def main(runs: int) -> None:
    """Print each run and the median, in seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, RANKS, 0)
        with running_stack(options) as stack:
            seconds = [one_run(stack.client) for _ in range(runs)]
    print("POST to first finished step, s:", " ".join(f"{value:.2f}" for value in seconds))
    print(f"median {median(seconds):.2f} s, worst {max(seconds):.2f} s, target 3 s")


def one_run(client: Client) -> float:
    """Submit one job and wait for its end; the seconds from the POST to the end of rank 0's first step."""
    posted_ns = time.time_ns()
    job = client.submit(JOB, str(uuid.uuid4()))
    while not (job := client.job(job.id)).is_finished:
        time.sleep(0.05)
    if job.state != "succeeded":
        raise SystemExit(f"Job {job.id} {job.state}: {job.message}")
    first = client.first_step(job.id, rank=0)
    assert first is not None, "a job that succeeded has steps"
    return (first.started_at_ns - posted_ns) / 1e9 + first.duration_us / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
