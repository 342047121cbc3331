"""Bus bandwidth of our all-reduce beside MPI's own on this machine: ``python benchmarks/one_node.py [ROUNDS]``.

The limit. An all-reduce among p ranks of one node must read all inputs and write all results: p messages in, p
messages out. If every rank copies one message, as many bytes move; ``copy`` is the bus bandwidth that an all-reduce
of that duration would have. ``direct`` moves the same bytes and comes close to it from 256 KiB up; what it loses
are two waits per call (about 1 us with 2 ranks) and the additions. It can pass the limit a little where a chunk's
tile is still in the cache when it is written to the second result.

All four run in turn, size by size, in every round, so that a change of the machine's speed hits all alike; shown is
the median of the rounds, out of place, float32. Reached with 2 ranks on 2 cores of an AMD EPYC (1 MiB L2 each, 32 MiB
L3) and MPICH 5.0.2: see benchmarks/one_node.txt.
"""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

from ringscope.bench.local import find_mpiexec
from ringscope.bench.timing import timed_block
from ringscope.nccl_tests import bus_factor
from ringscope.transports.communicator import Communicator
from ringscope.units import format_size

RANKS = (2, 4)
SIZES = tuple(1 << power for power in range(14, 27, 2))
ALGORITHMS = ("copy", "direct", "ring", "mpi")
BLOCK_BYTES = 128 << 20  # per timed block: short blocks at every size, many rounds


def main(rounds: int) -> None:
    """Start a gang for each number of ranks; each prints its own table."""
    for ranks in RANKS:
        command = [find_mpiexec(), "-n", str(ranks), sys.executable, __file__, str(rounds), "rank"]
        subprocess.run(command, check=True)


def rank_main(rounds: int) -> None:
    """On every rank: measure; on rank 0: print."""
    comm = Communicator("shared_memory")
    if comm.rank == 0:
        columns = "".join(f"{name:>9}" for name in ALGORITHMS)
        say(f"\n{comm.size} ranks, busbw in GB/s\n{'size':>9}{columns}   direct/mpi   direct/copy")
    send, recv = (comm.buffer(max(SIZES)).view("float32") for _ in range(2))
    for size_bytes in SIZES:
        count = size_bytes // 4
        plans = {
            name: comm.plan(name, "sum", send.head(count), recv.head(count)) for name in ALGORITHMS if name != "copy"
        }
        calls: dict[str, Callable[[], None]] = {name: plan.run for name, plan in plans.items()}
        calls["copy"] = partial(np.copyto, recv.local[:count], send.local[:count])
        iterations = max(3, min(200, BLOCK_BYTES // size_bytes))
        times: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
        for _ in range(rounds):
            for name in ALGORITHMS:
                calls[name]()
                comm.barrier()
                mean_us = timed_block(calls[name], iterations).mean_us
                times[name].append(float(comm.maximum(np.array([mean_us]))[0]))
        for plan in plans.values():
            plan.free()
        if comm.rank == 0:
            show(size_bytes, comm.size, {name: median(values) for name, values in times.items()})
    comm.free()


def show(size_bytes: int, ranks: int, times_us: dict[str, float]) -> None:
    """One line of the table."""
    busbw = {n: size_bytes / time_us / 1e3 * bus_factor("all_reduce", ranks) for n, time_us in times_us.items()}
    columns = "".join(f"{busbw[name]:9.2f}" for name in ALGORITHMS)
    ratios = f"{busbw['direct'] / busbw['mpi']:11.1f}x {busbw['direct'] / busbw['copy']:12.2f}"
    say(f"{format_size(size_bytes):>9}{columns} {ratios}")


def say(line: str) -> None:
    """Print at once, also through mpiexec."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    rank_main(number) if sys.argv[2:] == ["rank"] else main(number)
