"""Measure how long a scrape of an agent's metrics page takes, from the request to the last byte.

    python -m benchmarks.server.agent_page [RANKS]

The page has one running job of RANKS ranks (64 by default), whose histograms are full, and which report while the page
is scraped. It is requested in both formats as Prometheus does: over one connection that stays open, one scrape at a
time.
"""

import math
import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from statistics import median
from typing import Any

import httpx
import psutil
from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched

from ringscope.contracts.metrics.agent import COLLECTIVE_BUCKETS_SECONDS
from ringscope.contracts.record import Hello, Steps
from ringscope_agent.metrics.counters import JobCounters
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.metrics.metrics_server import MetricsServer

SCRAPES = 200
TARGET_MS = 20.0
RECORDS_PER_SECOND = 64  # of 100 steps each, over all ranks
FORMATS = {"text": "text/plain", "OpenMetrics": "application/openmetrics-text; version=1.0.0"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print p50, p95 and the worst of each format, in milliseconds; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("ranks", nargs="?", type=count(), default=64, metavar="RANKS", help="of the job (%(default)s)")
    ranks = parser.parse_args(arguments).ranks
    targets = []
    context = multiprocessing.get_context("spawn")
    ports, over = context.Queue(), context.Event()
    agent = context.Process(target=serve, args=(ranks, ports, over))
    with watched() as conditions:
        agent.start()
        try:
            url = f"http://127.0.0.1:{ports.get(timeout=60)}"
            with httpx.Client(base_url=url, trust_env=False) as client:
                for name, accept in FORMATS.items():
                    targets.append(told(name, *scraped(client, accept, psutil.Process(agent.pid))))
        finally:
            over.set()
            agent.join()
    say(f"({conditions})")
    return judged(targets)


def serve(ranks: int, ports: "Queue[int]", over: Event) -> None:
    """An agent's part in it: the page, and records that are folded in meanwhile."""
    exporter = Exporter({"ringscope": "0", "nccl": "", "driver": ""}, lambda: 0)
    job = JobCounters(1, "benchmark", 0, ranks, ["all_reduce"])
    exporter.add(job)
    for rank in range(ranks):
        exporter.fold(job, Hello(rank=rank, local_rank=rank, ranks=ranks, pid=1, host="h", time_ns=0))
        exporter.fold(job, steps(rank, 0))
    server = MetricsServer(exporter, "127.0.0.1", 0)
    ports.put(server.port)
    number = 0
    while not over.wait(1 / RECORDS_PER_SECOND):
        number += 1
        exporter.fold(job, steps(number % ranks, 100 * (number // ranks)))
    server.close()


def steps(rank: int, first_step: int) -> Steps:
    """A block of 100 steps that fills every bucket."""
    times = [bound * 0.9e6 for bound in COLLECTIVE_BUCKETS_SECONDS] * 6
    columns: dict[str, Any] = dict.fromkeys(("duration_us", "communication_us", "exposed_us"), times[:100])
    return Steps(
        rank=rank, first_step=first_step, op="all_reduce", algorithm="ring", transport="mpi", in_place=False,
        bytes=1 << 20, bus_factor=1.5, start_ns=[time.time_ns()] * 100, compute_us=[0.0] * 100, **columns,
    )  # fmt: skip


def scraped(client: httpx.Client, accept: str, agent: psutil.Process) -> tuple[list[float], float, int, int]:
    """Milliseconds of each scrape, the agent's own CPU milliseconds for each, the page's bytes, and its samples."""
    times_ms, used = [], sum(agent.cpu_times()[:2])
    for _ in range(SCRAPES):
        began = time.perf_counter()
        page = client.get("/metrics", headers={"Accept": accept})
        times_ms.append((time.perf_counter() - began) * 1e3)
    cpu_ms = (sum(agent.cpu_times()[:2]) - used) / SCRAPES * 1e3
    lines = [line for line in page.text.splitlines() if not line.startswith("#")]
    return times_ms, cpu_ms, len(page.content), len(lines)


def told(name: str, times_ms: list[float], cpu_ms: float, size_bytes: int, samples: int) -> Target:
    """Print one line, and return the format's target."""
    p95 = sorted(times_ms)[math.ceil(len(times_ms) * 0.95) - 1]
    say(
        f"{name:<12} {samples} samples, {size_bytes / 1000:.0f} kB: p50 {median(times_ms):.1f} ms, p95 {p95:.1f} ms, "
        f"worst {max(times_ms):.1f} ms, {cpu_ms:.1f} ms of CPU"
    )
    return Target(f"scrape as {name}, p95 ms", TARGET_MS, p95, at_most=True)


if __name__ == "__main__":
    exit_with(main)
