"""Measure what telemetry costs a rank of a training job: steps of 1 ms with telemetry on and off, in turns.

    python -m benchmarks.training.telemetry_cost [ROUNDS]

A round is 20 steps told, and the same steps not told, in an order that changes. The listener is a shim's own
intake (relay, parser and spool) in a process of its own, so that it takes of the machine what it takes in a job.
"Off" is a reporter without a socket, which still makes the records; "none" makes no records at all. The cost is told
twice: of wall time, which other work on the machine makes noisy, and of the rank's own processor time, which it hardly
does. Both are the difference to "none" of the lower quartiles over all rounds, in percent of the steps' 1 ms.

    block    one record for 20 steps after they were timed, as training tells; its processor time has a target
    step     one record for each step, within the time of the steps: more than any job tells today, and held to nothing
"""

import asyncio
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched

from ringscope.contracts.errors import UserError
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment, GangMember
from ringscope.contracts.record import Steps
from ringscope.rank.reporter import Reporter
from ringscope_agent.paths import AttemptPaths
from ringscope_agent.shim.intake import Intake

STEPS = 20  # the default of a job
STEP_US = 1000.0
TARGET_PERCENT = 1.0
ASKED = ("block, off", "block, on")  # what jobs do
Tell = Callable[[Reporter, int, list[int]], None]


class Took(NamedTuple):
    """The seconds of one block of steps."""

    wall: float
    cpu: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the cost of each way of telling; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument(
        "rounds", nargs="?", type=count(2), default=500, metavar="ROUNDS", help="2 or more (%(default)s)"
    )
    rounds = parser.parse_args(arguments).rounds
    context = multiprocessing.get_context("spawn")
    with watched() as conditions, tempfile.TemporaryDirectory() as folder:
        path, ready, over = Path(folder) / "ranks.sock", context.Event(), context.Event()
        listener = context.Process(target=listen, args=(path, ready, over))
        listener.start()
        if not ready.wait(60):
            raise UserError("The listener did not start within 60 s; the machine may be too busy.")
        connected, alone = Reporter(str(path)), Reporter(None)
        try:
            targets = measured(rounds, connected, alone)
        finally:
            dropped = connected.dropped
            connected.close()
            over.set()
            listener.join()
    say(f"({dropped} records were dropped; {conditions})")
    return judged(targets)


def measured(rounds: int, connected: Reporter, alone: Reporter) -> list[Target]:
    """All variants take turns within each round; what they are held to."""
    work = calibrated()
    variants: dict[str, tuple[Reporter, Tell, Tell]] = {
        "none": (alone, nothing, nothing),
        "block, off": (alone, nothing, one_record),
        "block, on": (connected, nothing, one_record),
        "step, on": (connected, last_step, nothing),
    }
    took: dict[str, list[Took]] = {name: [] for name in variants}
    for number in range(rounds + 1):
        order = random.sample(sorted(variants), len(variants))
        for name in order:
            found = block(work, *variants[name])
            if number:  # the first round warms up
                took[name].append(found)
    percents = {name: told(name, took[name], took["none"]) for name in variants if name != "none"}
    return [Target(f"{name}: % of a step's processor time", TARGET_PERCENT, percents[name], True) for name in ASKED]


def block(work: Callable[[], None], reporter: Reporter, each: Tell, after: Tell) -> Took:
    """Time a block of steps, with the records that are sent during and after it."""
    starts_ns: list[int] = []
    wall, cpu = time.perf_counter(), time.thread_time()
    for step in range(STEPS):
        starts_ns.append(time.time_ns())
        work()
        each(reporter, step, starts_ns)
    after(reporter, 0, starts_ns)
    return Took(time.perf_counter() - wall, time.thread_time() - cpu)


def nothing(reporter: Reporter, step: int, starts_ns: list[int]) -> None:
    """Tell nothing."""


def last_step(reporter: Reporter, step: int, starts_ns: list[int]) -> None:
    """Tell the step that has just ended."""
    reporter.send(record(step, starts_ns[-1:]))


def one_record(reporter: Reporter, step: int, starts_ns: list[int]) -> None:
    """Tell all steps of the block."""
    reporter.send(record(0, starts_ns))


def record(first_step: int, starts_ns: list[int]) -> Steps:
    """Return a record as training makes it."""
    times = [STEP_US] * len(starts_ns)
    return Steps(
        rank=0, first_step=first_step, op="all_reduce", algorithm="ring", transport="mpi", in_place=False,
        bytes=1 << 20, bus_factor=1.0, start_ns=starts_ns, duration_us=times, communication_us=times,
        compute_us=[0.0] * len(times), exposed_us=times,
    )  # fmt: skip


def calibrated() -> Callable[[], None]:
    """Work that takes 1 ms of this processor, always the same."""

    def spin(turns: int) -> None:
        for _ in range(turns):
            pass

    best = min(_seconds(lambda: spin(100_000)) for _ in range(20))
    turns = round(100_000 * STEP_US / 1e6 / best)
    return lambda: spin(turns)


def _seconds(call: Callable[[], None]) -> float:
    began = time.thread_time()
    call()
    return time.thread_time() - began


def listen(path: Path, ready: Event, over: Event) -> None:
    """A shim's intake, until it is over."""

    async def serve() -> None:
        paths = AttemptPaths(folder=path.parent, sockets=path.parent)
        intake = Intake(_assignment(), paths, lambda: None, lambda: None)
        await intake.start()
        ready.set()
        await asyncio.to_thread(over.wait)
        await intake.close()

    asyncio.run(serve())


def _assignment() -> Assignment:
    gang = [GangMember(node="n1", address="127.0.0.1", slots=1)]
    return Assignment(
        attempt_id=1, job_id=1, token="t", desired="prepare", member=0, gang=gang, ranks=1, first_rank=0,
        spec=JobSpec.model_validate({"placement": {"ranks": 1}}),
    )  # fmt: skip


def quartile(took: list[Took], part: str) -> float:
    """The lower one: what the work takes where little else gets in its way."""
    seconds: list[float] = [getattr(one, part) for one in took]
    return quantiles(seconds, n=4)[0]


def told(name: str, took: list[Took], none: list[Took]) -> float:
    """Print one line, and return the percentage of processor time."""
    wall, cpu = ((quartile(took, part) - quartile(none, part)) / STEPS for part in ("wall", "cpu"))
    say(
        f"{name:<11} {cpu * 1e6:6.2f} us of CPU a step = {cpu / STEP_US * 1e8:5.2f} %, "
        f"{wall * 1e6:7.2f} us of wall time = {wall / STEP_US * 1e8:6.2f} %"
    )
    return cpu / STEP_US * 1e8


if __name__ == "__main__":
    exit_with(main)
