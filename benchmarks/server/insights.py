"""Measure how soon a slow rank is named, and how often a good one is, on this machine with real ranks.

    python -m benchmarks.server.insights [--slow 10] [--clean 20] [--seconds 20] [--sweeps 20]

Slow runs are jobs of four ranks, one of which is stopped and resumed in turns (50 ms of every 150, so it is 1.5 times
slower); the result is the time from the first stop to an insight in the API that names the rank and its node. They take
turns with clean runs of ``--seconds``, in which every insight is a false one. The jobs take turns among algorithms and
sizes. Sweeps are clean jobs that run to their end, so that the times of their steps are judged as well. On a machine
with fewer than four cores, or with other load, all of it is harder than on a good one.
"""

import contextlib
import os
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from statistics import median
from typing import Any

import httpx
from benchmarks.command import Parser, count, exit_with, quantity
from benchmarks.report import Target, judged
from benchmarks.stack import served, wait_for

from ringscope.client import Client, Insight

RANKS = 4
STOPPED_SECONDS, RUNNING_SECONDS = 0.05, 0.1
TARGET_SECONDS = 5.0
GIVE_UP_SECONDS = 20.0
SWEEPS = (("ring", 1 << 20), ("direct", 1 << 16), ("mpi", 1 << 20), ("ring", 1 << 24), ("tree", 1 << 10))
SWEEP = {
    "algorithms": ["ring", "direct", "tree", "mpi"],
    "min_bytes": 1 << 10,
    "max_bytes": 1 << 20,
    "step_factor": 32,
    "iterations": 200,
}
SETTLED_SECONDS = 2.5  # then the last look at a job that has ended is over


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the delays and the false insights beside their targets; 1 when one is missed."""
    parser = Parser(__doc__)
    parser.add_argument("--slow", type=count(0), default=10, help="runs with a slow rank (%(default)s)")
    parser.add_argument("--clean", type=count(0), default=20, help="runs without one (%(default)s)")
    parser.add_argument("--sweeps", type=count(0), default=20, help="clean jobs that run to their end (%(default)s)")
    parser.add_argument("--seconds", type=quantity(), default=20.0, help="of each clean run (%(default)s)")
    options = parser.parse_args(arguments)
    if not options.slow + options.clean + options.sweeps:
        parser.error("--slow, --clean and --sweeps are all 0: there is nothing to run")
    delays: list[float] = []
    false: Counter[str] = Counter()
    with served(RANKS) as stack:
        for number, sweep in zip(range(max(options.slow, options.clean)), cycle(SWEEPS)):
            if number < options.slow:
                delays.append(slow_run(stack.client, stack.api, sweep, victim=number % RANKS))
            if number < options.clean:
                false.update(clean_run(stack.client, stack.api, sweep, options.seconds))
        for _ in range(options.sweeps):
            false.update(clean_sweep(stack.client))
    load = f"load {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores"
    print(f"{RANKS} ranks, a rank stopped {STOPPED_SECONDS * 1e3:.0f} ms of every 150, {load}")
    if delays:
        print(f"named after    median {median(delays):.1f} s, worst {max(delays):.1f} s")
    print(f"clean runs     {options.clean} of {options.seconds:.0f} s and {options.sweeps} sweeps")
    print(f"false insights {dict(false) or 'none'}")
    return judged(targets_of(delays, false))


def targets_of(delays: list[float], false: Counter[str]) -> list[Target]:
    """Return the targets of the delays in seconds and of the insights by kind."""
    worst = [Target("a slow rank is named, worst s", TARGET_SECONDS, max(delays), at_most=True)] if delays else []
    return [*worst, Target("false insights", 0, false.total(), at_most=True)]


def slow_run(client: Client, api: httpx.Client, sweep: tuple[str, int], victim: int) -> float:
    """Seconds from the first stop to the insight that names the rank; GIVE_UP_SECONDS where none came."""
    with running_job(client, api, sweep) as (job_id, pids), slowed(pids[victim]) as began:
        while (delay := time.monotonic() - began) < GIVE_UP_SECONDS:
            if any(names(insight, victim) for insight in client.insights(job_id)):
                break
            time.sleep(0.05)
    print(f"  {sweep[0]:<7} {sweep[1]:>9} B  rank {victim} named after {delay:.1f} s", flush=True)
    return delay


def names(insight: Insight, rank: int) -> bool:
    """Return whether the insight says that this rank is slow, and where it is."""
    return insight.kind == "straggler" and insight.rank == rank and insight.node is not None


def clean_run(client: Client, api: httpx.Client, sweep: tuple[str, int], seconds: float) -> list[str]:
    """The kinds of the insights that came up in a run without anything to find."""
    with running_job(client, api, sweep) as (job_id, _):
        time.sleep(seconds)
    return false_kinds(client, job_id)


def clean_sweep(client: Client) -> list[str]:
    """The same of a job that runs to its end."""
    number = client.submit({"benchmark": SWEEP, "placement": {"ranks": RANKS}, "max_attempts": 1}, str(uuid.uuid4())).id
    job = wait_for(lambda: job if (job := client.job(number)).is_finished else None, "the end of the job", 600.0)
    assert job.state == "succeeded", job.message
    time.sleep(SETTLED_SECONDS)
    return false_kinds(client, number)


def false_kinds(client: Client, job_id: int) -> list[str]:
    """Return the kinds of false insights; low bandwidth is not one of them, as a busy machine gives less."""
    found = [insight for insight in client.insights(job_id) if insight.kind != "low_bandwidth"]
    for insight in found:
        print(f"  job {job_id}: FALSE {insight.message} {insight.evidence}", flush=True)
    return [insight.kind for insight in found]


@contextmanager
def running_job(client: Client, api: httpx.Client, sweep: tuple[str, int]) -> Iterator[tuple[int, dict[int, int]]]:
    """A job that runs until the context is left: its number and the pids of its ranks."""
    algorithm, size_bytes = sweep
    benchmark = {"algorithms": [algorithm], "min_bytes": size_bytes, "max_bytes": size_bytes, "iterations": 1_000_000}
    job: dict[str, Any] = {"benchmark": benchmark, "placement": {"ranks": RANKS}, "max_attempts": 1}
    number = client.submit(job, str(uuid.uuid4())).id
    try:
        wait_for(lambda: client.job(number).state == "running", "the start of the job")
        pids = wait_for(lambda: found if len(found := ranks_of(api, number)) == RANKS else None, "all ranks")
        time.sleep(1.0)  # past the warm-up
        yield number, pids
    finally:
        client.cancel(number)
        wait_for(lambda: client.job(number).is_finished, "the end of the job")


def ranks_of(api: httpx.Client, job_id: int) -> dict[int, int]:
    """Pids by rank, as far as they have told."""
    items = api.get(f"jobs/{job_id}/environment").raise_for_status().json()["items"]
    return {rank["rank"]: rank["pid"] for item in items for rank in item["ranks"]}


@contextmanager
def slowed(pid: int) -> Iterator[float]:
    """Stop and resume the process in turns while the context lasts; yield the time of the first stop."""
    is_over = threading.Event()

    def alternate() -> None:
        with contextlib.suppress(ProcessLookupError):
            while not is_over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(STOPPED_SECONDS)
                os.kill(pid, signal.SIGCONT)
                time.sleep(RUNNING_SECONDS)

    turns = threading.Thread(target=alternate)
    began = time.monotonic()
    turns.start()
    try:
        yield began
    finally:
        is_over.set()
        turns.join()


if __name__ == "__main__":
    exit_with(main)
