"""Measure how long a lab of ten hosts takes to be ready, and a job on all of them from the POST to its first step.

    python -m benchmarks.experiments.lab [--hosts 10] [--ups 3] [--jobs 5]

All hosts share this machine's cores, which is the limit: every agent and every rank is a Python process of its own.
Between the POST and the first step are a scheduling pass, two exchanges of agents and server (ready, proxies), mpiexec,
the proxies, and the start of ten ranks with NumPy and mpi4py.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.command import Parser, count, exit_with
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import Target, judged, say, watched

from ringscope.client import Attempt

RATE_BIT_PER_S = 80_000_000
TARGET_READY_SECONDS = 20.0
TARGET_FIRST_STEP_SECONDS = 6.0
_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Start:
    """Seconds from the POST until slots were assigned, every rank ran, and a step could be read from the server."""

    assigned: float
    launched: float
    first_step: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print medians and worst beside the targets; 1 when one is missed. UserError where there can be no lab."""
    parser = Parser(__doc__)
    parser.add_argument("--hosts", type=count(2), default=10, help="2 or more (%(default)s)")
    parser.add_argument("--ups", type=count(), default=3, help="labs that are started, one after another (%(default)s)")
    parser.add_argument("--jobs", type=count(), default=5, help="jobs on each of them (%(default)s)")
    options = parser.parse_args(arguments)
    ready: list[float] = []
    starts: list[Start] = []
    with watched() as conditions:
        for _ in range(options.ups):
            with lab_cluster(options.hosts, RATE_BIT_PER_S) as cluster:
                ready.append(cluster.ready_seconds)
                starts += [started(cluster, options.hosts) for _ in range(options.jobs)]
    first = [start.first_step for start in starts]
    show("lab up until every node was ready", ready)
    show("POST until slots were assigned", [start.assigned for start in starts])
    show("POST until every rank ran", [start.launched for start in starts])
    show("POST until the first step was stored", first)
    say(f"({conditions})")
    targets = [
        Target(f"{options.hosts} hosts ready, worst s", TARGET_READY_SECONDS, max(ready), at_most=True),
        Target("submit to first step, median s", TARGET_FIRST_STEP_SECONDS, median(first), at_most=True),
        Target("submit to first step, worst s", TARGET_FIRST_STEP_SECONDS, max(first), at_most=True),
    ]
    return judged(targets)


def started(cluster: LabCluster, hosts: int) -> Start:
    """Start one job of one rank on each host, and wait for its end."""
    posted, posted_at = time.perf_counter(), time.time()
    body = {
        "name": "start of a lab's job",
        "benchmark": {"algorithms": ["ring"], "min_bytes": 4096, "max_bytes": 4096},
        "placement": {"ranks": hosts, "ranks_per_node": 1},
    }
    job = cluster.client.submit(body)
    while cluster.client.first_step(job.id, rank=0) is None:
        if cluster.client.job(job.id).state == "failed":
            raise RuntimeError(f"Job {job.id} failed: {cluster.client.job(job.id).message}")
        time.sleep(_LOOK_SECONDS)
    first_step = time.perf_counter() - posted
    attempt = cluster.finished(job.id).attempts[-1]
    return Start(*_since(posted_at, attempt), first_step)


def _since(posted_at: float, attempt: Attempt) -> tuple[float, float]:
    assert attempt.created_at is not None and attempt.started_at is not None
    return attempt.created_at.timestamp() - posted_at, attempt.started_at.timestamp() - posted_at


def show(what: str, seconds: list[float]) -> None:
    """Print one line with the median and the worst time."""
    say(f"{what:<40} median {median(seconds):5.2f} s  worst {max(seconds):5.2f} s  of {len(seconds)}")


if __name__ == "__main__":
    exit_with(main)
