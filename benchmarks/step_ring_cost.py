"""What noting steps in the ring costs a benchmark's ranks: steps of 20 us with telemetry on and off, in turns.

    python benchmarks/step_ring_cost.py [ROUNDS [RANKS]]

Each rank is a process that times blocks of work of 20 us with the engine's own timed_block. "On", its ring is read
twice a second by a keeper's intake, and its spool folded into the counters as the agent does, both in a process of
their own; "off", the steps go nowhere: the loop has the clock readings alone. Blocks of half a second take turns, in
an order that changes and is the same for all ranks, which begin together.

The cost is the difference of the mean durations of a step, whose lower quartiles over all rounds are compared. With one
rank less than there are cores it is that of the stores. With as many ranks as cores reader and agent take their time
from the ranks, which is told as well: what they do for a step is the same wherever they run. The server is not part of
it; it has another machine, or it takes what it takes once the rows arrive.
"""

import asyncio
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice, repeat
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from ringscope.bench.timing import Notes, timed_block
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment, GangMember
from ringscope.contracts.record import STEPS_VARIABLE
from ringscope.engine import positions
from ringscope.engine.step_ring import StepRing, described
from ringscope_agent.launch.intake import Intake
from ringscope_agent.launch.records import Records
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.paths import AttemptPaths

STEP_US = 20.0
BLOCK_STEPS = 25_000
TARGET_PERCENT = 1.0
Call = Callable[[], None]


class Read(NamedTuple):
    """What the reading process did."""

    steps: int
    dropped_steps: int
    seconds: float  # of processor time


def main(rounds: int, ranks: int) -> None:
    """Print the cost with as many ranks as asked, or with one rank less than cores and with as many."""
    cores = os.cpu_count() or 1
    for number in [ranks] if ranks else sorted({max(1, cores - 1), cores}):
        measure(rounds, number)
    load = f"load average of this machine with {cores} cores: {os.getloadavg()[0]:.1f}"
    sys.stdout.write(f"{load}\n")


def measure(rounds: int, ranks: int) -> None:
    """Start a reader and its ranks, and print what they found."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        paths = AttemptPaths(folder=Path(folder), sockets=Path(folder))
        positions.create(paths.kit.positions, ranks)
        told, tells = context.Pipe(duplex=False)
        over, together = context.Event(), context.Barrier(ranks)
        reader = context.Process(target=read, args=(paths, ranks, tells, over))
        reader.start()
        memory: str = told.recv()
        orders = [random.sample(("on", "off"), 2) for _ in range(rounds + 1)]
        found, finds = context.Pipe(duplex=False)
        workers = [
            context.Process(target=work, args=(rank, memory, str(paths.kit.positions), orders, together, finds))
            for rank in range(ranks)
        ]
        for worker in workers:
            worker.start()
        means = [found.recv() for _ in workers]
        for worker in workers:
            worker.join()
        over.set()
        say(ranks, means, told.recv())
        reader.join()


def work(
    rank: int, memory: str, positions_path: str, orders: list[list[str]], together: Barrier, finds: Connection
) -> None:
    """One rank: the mean duration of a step in microseconds, by variant, of each round."""
    os.sched_setaffinity(0, {rank % (os.cpu_count() or 1)})
    call = calibrated()
    text = described(
        op="all_reduce", algorithm="ring", transport="shared_memory", in_place=False, bytes=1024, bus_factor=1.0
    )
    notes = Notes(positions.slot(positions_path, rank), StepRing.opened(memory, rank), text)
    variants = {"on": lambda: timed_block(repeat(call), BLOCK_STEPS, notes).mean_us, "off": lambda: alone(call)}
    means: dict[str, list[float]] = {name: [] for name in variants}
    for number, order in enumerate(orders):
        for name in order:
            together.wait()
            mean_us = variants[name]()
            if number:  # the first round warms up
                means[name].append(mean_us)
    finds.send(means)


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
    """A keeper's intake, and the agent's counters behind it, until it is over."""

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


def say(ranks: int, means: list[dict[str, list[float]]], read: Read) -> None:
    """What it cost the ranks, and what the reader did."""
    quartile = {name: sum(quantiles(each[name], n=4)[0] for each in means) / ranks for name in ("on", "off")}
    cost_us = quartile["on"] - quartile["off"]
    sys.stdout.write(
        f"{ranks} of {os.cpu_count()} cores have a rank: a step takes {quartile['off']:.2f} us alone, "
        f"{quartile['on']:.2f} us when it is noted: {cost_us * 1e3:.0f} ns = {100 * cost_us / quartile['off']:.2f} %   "
        f"target: under {TARGET_PERCENT:.0f} %\n"
        f"    keeper and agent: {read.seconds / read.steps * 1e9:.0f} ns of a processor for each of {read.steps} steps"
        f", {read.dropped_steps} dropped\n"
    )


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(numbers[0] if numbers else 40, numbers[1] if len(numbers) > 1 else 0)
