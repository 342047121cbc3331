"""Measure what steps in the ring cost a benchmark's ranks: steps of 20 us with telemetry on and off, in turns.

    python -m benchmarks.engine.step_ring_cost [ROUNDS]

Each rank is a process that times blocks of work of 20 us with the engine's own timed_block, and "off" in the same loop
without its notes. Blocks of 10 ms take turns, in an order that changes; the cost of the stores is the difference of a
step's mean durations in a round, and its median over all rounds.

Then each rank times one block of 10 s, and as many steps in blocks of four, as a sweep of 20 iterations has them. A
shim's intake reads the ranks' rings twice a second, and its spool is folded into the counters as the agent does. If
every core has a rank, both take their time from the ranks. Two blocks that are long enough to show this differ by more
than that, so the processor time of both is measured instead, and divided by the steps. The server is not part of it: it
has another machine, or takes its time once the rows arrive.
"""

import asyncio
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice, repeat
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched

from ringscope.bench.timing import Notes, timed_block
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment, GangMember
from ringscope.contracts.rank_process import STEPS_VARIABLE
from ringscope.engine import positions
from ringscope.engine.step_ring import StepRing, described
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.paths import AttemptPaths
from ringscope_agent.shim.intake import Intake
from ringscope_agent.shim.records import Records

STEP_US = 20.0
BLOCK_STEPS = 500
READ_STEPS = 500_000
SHORT_BLOCK_STEPS = 4
WARMUP_STEPS = 1  # before each block, untimed: a sweep spreads its five over its rounds
TARGET_PERCENT = 1.0
Call = Callable[[], None]


class Read(NamedTuple):
    """The work of the reading process."""

    steps: int
    dropped_steps: int
    seconds: float  # of processor time


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both costs; 1 when the stores' target is missed."""
    parser = Parser(__doc__)
    parser.add_argument(
        "rounds", nargs="?", type=count(2), default=1000, metavar="ROUNDS", help="2 or more (%(default)s)"
    )
    rounds = parser.parse_args(arguments).rounds
    with watched() as conditions:
        costs_us, read = measured(rounds, READ_STEPS)
        target = stores(costs_us)
        say_read("one block", read)
        say_read(f"blocks of {SHORT_BLOCK_STEPS}", measured(0, SHORT_BLOCK_STEPS)[1])
    say(f"({conditions})")
    return judged([target])


def measured(rounds: int, block_steps: int) -> tuple[list[float], Read]:
    """Return what all ranks found (see ``work``), and the reader's work while they timed blocks of so many steps."""
    context = multiprocessing.get_context("spawn")
    ranks = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        paths = AttemptPaths(folder=Path(folder), sockets=Path(folder))
        positions.create(paths.kit.positions, ranks)
        told, tells = context.Pipe(duplex=False)
        found, finds = context.Pipe(duplex=False)
        over = context.Event()
        reader = context.Process(target=read, args=(paths, ranks, tells, over))
        reader.start()
        memory: str = told.recv()
        seats = [(rank, memory, str(paths.kit.positions), rounds, block_steps, finds) for rank in range(ranks)]
        workers = [context.Process(target=work, args=seat) for seat in seats]
        for worker in workers:
            worker.start()
        costs = [cost for _ in workers for cost in found.recv()]
        for worker in workers:
            worker.join()
        over.set()
        what_it_did: Read = told.recv()
        reader.join()
    return costs, what_it_did


def work(rank: int, memory: str, positions_path: str, rounds: int, block_steps: int, finds: Connection) -> None:
    """Measure on one rank by how many microseconds a step took longer with its note, in each round."""
    os.sched_setaffinity(0, {rank})
    call = calibrated()
    text = described(
        op="all_reduce", algorithm="ring", transport="shared_memory", in_place=False, bytes=1024, bus_factor=1.0
    )
    variants = {"on": lambda: timed_block(repeat(call), BLOCK_STEPS).mean_us, "off": lambda: alone(call)}
    costs_us = []
    for number in range(rounds + 1):
        means_us = {name: variants[name]() for name in random.sample(("on", "off"), 2)}
        if number:  # the first round warms up
            costs_us.append(means_us["on"] - means_us["off"])
    notes = Notes(positions.slot(positions_path, rank), StepRing.opened(memory, rank), text)
    for _ in range(READ_STEPS // block_steps):
        for _ in range(WARMUP_STEPS):
            call()
        timed_block(repeat(call), block_steps, notes)
    finds.send(costs_us)


def alone(call: Call) -> float:
    """timed_block's loop without its notes: the mean duration of a step in microseconds."""
    clock, stamps = time.perf_counter_ns, [0] * (BLOCK_STEPS + 1)
    stamps[0] = clock()
    for i, each in enumerate(islice(repeat(call), BLOCK_STEPS), 1):
        each()
        stamps[i] = clock()
    return (stamps[-1] - stamps[0]) / 1e3 / BLOCK_STEPS


def calibrated() -> Call:
    """Work that takes 20 us of this processor, always the same."""

    def spin(turns: int) -> None:
        for _ in range(turns):
            pass

    best = min(_seconds(lambda: spin(10_000)) for _ in range(50))
    turns = round(10_000 * STEP_US / 1e6 / best)
    return lambda: spin(turns)


def _seconds(call: Call) -> float:
    began = time.thread_time()
    call()
    return time.thread_time() - began


def read(paths: AttemptPaths, ranks: int, tells: Connection, over: Event) -> None:
    """A shim's intake, and the agent's counters behind it, until it is over."""

    async def serve() -> None:
        assignment = _assignment(ranks)
        records = Records(assignment, paths.folder, Exporter({}, lambda: 0))
        grown = asyncio.Event()
        intake = Intake(assignment, paths, grown.set, lambda: None)
        await intake.start()
        tells.send(intake.environment[STEPS_VARIABLE])
        began, is_over = time.process_time(), asyncio.create_task(asyncio.to_thread(over.wait))
        while not is_over.done():
            waits = asyncio.create_task(grown.wait())
            await asyncio.wait({waits, is_over}, return_when=asyncio.FIRST_COMPLETED)
            waits.cancel()
            grown.clear()
            await records.read()
        seconds = time.process_time() - began
        await intake.close()
        await records.read()
        steps = sum(place.iterations for place in positions.read(paths.kit.positions))
        tells.send(Read(steps, intake.dropped_records["ring_lapped"], seconds))

    asyncio.run(serve())


def _assignment(ranks: int) -> Assignment:
    gang = [GangMember(node="n1", address="127.0.0.1", slots=ranks)]
    return Assignment(
        attempt_id=1, job_id=1, token="t", desired="prepare", member=0, gang=gang, ranks=ranks, first_rank=0,
        spec=JobSpec.model_validate({"benchmark": {}, "placement": {"ranks": ranks}}),
    )  # fmt: skip


def stores(costs_us: list[float]) -> Target:
    """Print what the stores cost the ranks, and return it with its target."""
    low, middle, high = (100 * cost / STEP_US for cost in quantiles(costs_us, n=4))
    say(
        f"the stores: {middle:.2f} % of a step of {STEP_US:.0f} us (half of {len(costs_us)} rounds: {low:.2f} to "
        f"{high:.2f} %)"
    )
    return Target(f"the stores, % of a step of {STEP_US:.0f} us", TARGET_PERCENT, middle, at_most=True)


def say_read(what: str, read: Read) -> None:
    """Print what the reader costs."""
    read_us = read.seconds / read.steps * 1e6
    say(
        f"shim and agent, {what}: {read_us * 1e3:.0f} ns of a processor for each of {read.steps} steps = "
        f"{100 * read_us / STEP_US:.2f} %, where every core has a rank; {read.dropped_steps} steps dropped"
    )


if __name__ == "__main__":
    exit_with(main)
