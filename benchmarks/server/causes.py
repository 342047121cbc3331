"""Measure how soon a slow rank of four is named with its cause, and how often the cause is right, with real ranks.

    python -m benchmarks.server.causes [--runs 20] [--clean 30]

A script on four ranks waits for its samples, computes, and sums over the ranks, again and again. In each run one rank
becomes slow for one reason: its loader takes twice as long, it computes four times as much, or it is stopped for 50 ms
of every 150. The result is the time from that moment to an insight in the API that names the rank. Between two runs all
ranks are equally fast until the insight has ended. The ranks and the reasons take turns, at a random time between two
looks. ``--clean`` is the number of seconds that the job runs first without a slow rank; every insight then is a false
one.
"""

import contextlib
import os
import random
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.command import Parser, count, exit_with, quantity
from benchmarks.report import Target, judged
from benchmarks.server.insights import RANKS, false_kinds, ranks_of, slowed
from benchmarks.stack import served, wait_for

from ringscope.client import Client, Insight
from ringscope.contracts.errors import UserError

TARGET_SECONDS = 3.0
GIVE_UP_SECONDS = 20.0
SCRIPT = '''
"""Steps of 10 ms of loading, which sleeps, and 5 ms of computing."""

import sys
import time
from pathlib import Path

import ringscope

folder, comm = Path(sys.argv[1]), ringscope.init()
slow = {name: folder / f"{name}{comm.rank}" for name in ("input", "compute")}
x = ringscope.empty((1 << 14,))
while True:
    begin = time.perf_counter()
    time.sleep(0.01 * (2 if slow["input"].exists() else 1))
    loaded, until = time.perf_counter(), time.thread_time() + 0.005 * (4 if slow["compute"].exists() else 1)
    while time.thread_time() < until:
        pass
    computed = time.perf_counter()
    ringscope.all_reduce(x)
    waited_us = (time.perf_counter() - computed) * 1e6
    ringscope.log_step(samples=1, input_us=(loaded - begin) * 1e6, communication_us=waited_us, exposed_us=waited_us)
'''


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many slow ranks were named with their cause, and how soon; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("--runs", type=count(1), default=20, help="runs of each reason (%(default)s)")
    parser.add_argument("--clean", type=quantity(), default=30.0, help="seconds before the first run (%(default)s)")
    options = parser.parse_args(arguments)
    delays: dict[str, list[float]] = {"input": [], "compute": [], "stopped": []}
    right = dict.fromkeys(delays, 0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "steps.py").write_text(SCRIPT)
        with served(RANKS, folder) as stack, running_job(stack.client, folder) as job_id:
            pids = wait_for(lambda: found if len(found := ranks_of(stack.api, job_id)) == RANKS else None, "all ranks")
            time.sleep(options.clean)
            false = false_kinds(stack.client, job_id)
            for number in range(options.runs * len(delays)):
                cause = list(delays)[number % len(delays)]
                victim = number % RANKS
                reason = slowed(pids[victim]) if cause == "stopped" else marked(folder / f"{cause}{victim}")
                delay, found = named(stack.client, job_id, victim, reason)
                delays[cause].append(delay)
                right[cause] += found == cause
                print(f"  {cause:<8} rank {victim} named after {delay:.1f} s, cause {found}", flush=True)
    print(f"{RANKS} ranks, load {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores")
    for cause, times in delays.items():
        print(
            f"{cause:<8} median {median(times):.1f} s, worst {max(times):.1f} s, {right[cause]} of {len(times)} right"
        )
    return judged(
        [
            Target("a slow loader is named, worst s", TARGET_SECONDS, max(delays["input"]), at_most=True),
            *(Target(f"{cause}: right of {options.runs}", options.runs, right[cause]) for cause in delays),
            Target("false insights", 0, len(false), at_most=True),
        ]
    )


def named(client: Client, job_id: int, victim: int, reason: AbstractContextManager[object]) -> tuple[float, str | None]:
    """Make a rank slow; return the seconds until an insight names it, and its cause. Wait until that has ended."""
    wait_for(lambda: all(insight.until is not None for insight in client.insights(job_id)), "the end of the insights")
    time.sleep(random.random())
    before = len(client.insights(job_id))
    began = time.monotonic()
    found: list[Insight] = []
    with reason:
        while not found and time.monotonic() - began < GIVE_UP_SECONDS:
            time.sleep(0.05)
            new = client.insights(job_id)[before:]
            found = [insight for insight in new if (insight.kind, insight.rank) == ("straggler", victim)]
        delay = time.monotonic() - began
    evidence = found[0].evidence or {} if found else {}
    if found and evidence.get("cause") is None:
        print(found[0].message, evidence)
    return delay, evidence.get("cause")


@contextmanager
def marked(path: Path) -> Iterator[None]:
    """The file exists while the context lasts."""
    path.touch()
    try:
        yield
    finally:
        path.unlink()


@contextmanager
def running_job(client: Client, folder: Path) -> Iterator[int]:
    """The script as a job that runs until the context is left."""
    script = {"file": "steps.py", "arguments": [str(folder)]}
    job = {
        "kind": "script",
        "script": script,
        "placement": {"ranks": RANKS},
        "max_attempts": 1,
        "time_limit_seconds": 86_400,
    }
    number = client.submit(job, str(uuid.uuid4())).id
    try:
        wait_for(lambda: client.job(number).state == "running", "the start of the job")
        yield number
    finally:
        client.cancel(number)
        with contextlib.suppress(UserError):
            wait_for(lambda: client.job(number).is_finished, "the end of the job")


if __name__ == "__main__":
    exit_with(main)
