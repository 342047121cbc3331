"""Bus bandwidth of our all-reduce beside MPI's own on this machine: ``python benchmarks/one_node.py [ROUNDS]``.

The limit. An all-reduce among p ranks of one node must read all inputs and write all results: p messages in, p
messages out. If every rank copies one message, as many bytes move; ``copy`` is the bus bandwidth that an all-reduce
of that duration would have. It is a fair limit once messages leave the private caches, from about 1 MiB on: below,
the copy stays inside one core, while an all-reduce must move every cache line from core to core.

All four run in turn, size by size, in every round, so that a change of the machine's speed hits all alike; shown is
the median of the rounds, out of place, float32.

Reached on 2 cores of an AMD EPYC (1 MiB of L2 each, 32 MiB of L3) with MPICH 5.0.2, otherwise idle; ``direct``:
  2 ranks  42 GB/s at 1 MiB (0.72 of the limit), 48 at 4 MiB (0.8 to 0.9), 20 at 64 MiB (0.94 to 1.0);
           5 to 9 times MPI_Allreduce at 1 MiB, never less than 3.7 times from 16 KiB up
  4 ranks  (two per core) 21 GB/s at 1 MiB, 7.4 at 64 MiB (0.70); 8 to 9 times MPI_Allreduce
With other work on the machine everything is slower and the ratios scatter between 3 and 35.
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
