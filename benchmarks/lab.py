"""How long a lab of ten hosts takes to be ready, and a job on all of them from the POST to its first step.

    python benchmarks/lab.py [--hosts 10] [--ups 3] [--jobs 5]

All hosts share this machine's cores, which is the limit: every agent and every rank is a Python of its own. Between the
POST and the first step lie a scheduling pass, two rounds of agents and server (ready, proxies), mpiexec, the proxies,
and the start of ten ranks with NumPy and mpi4py.
"""

import argparse
import signal
import sys
import time
from dataclasses import dataclass
from statistics import median

from lab_cluster import LabCluster, lab_cluster
from report import Target, say, say_targets, watched

from ringscope.client import Attempt
from ringscope.contracts.errors import UserError

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


def main() -> int:
    """Print medians and worst beside the targets; 1 when one is missed, 2 where there can be no lab."""
    parser = argparse.ArgumentParser(description="How long a lab and a job on all of its hosts take to start.")
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--ups", type=int, default=3, help="labs that are started, one after another")
    parser.add_argument("--jobs", type=int, default=5, help="jobs on each of them")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    ready: list[float] = []
    starts: list[Start] = []
    try:
        with watched() as conditions:
            for _ in range(options.ups):
                with lab_cluster(options.hosts, RATE_BIT_PER_S) as cluster:
                    ready.append(cluster.ready_seconds)
                    starts += [started(cluster, options.hosts) for _ in range(options.jobs)]
    except UserError as error:
        say(f"lab: {error}")
        return 2
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
    say_targets(targets)
    return 0 if all(target.met for target in targets) else 1


def started(cluster: LabCluster, hosts: int) -> Start:
    """One job of one rank on each host; its end is waited for."""
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
    """One line: median and worst."""
    say(f"{what:<40} median {median(seconds):5.2f} s  worst {max(seconds):5.2f} s  of {len(seconds)}")


if __name__ == "__main__":
    sys.exit(main())
