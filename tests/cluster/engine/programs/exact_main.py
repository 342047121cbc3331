"""Run by test_transports.py on every rank: all that one transport can do gives the exact result, again and again."""

import sys
from itertools import permutations, product
from random import Random

import numpy as np
from mpi4py import MPI

from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.contracts.words.collectives import REDUCING, SCHEDULED
from ringscope.contracts.words.dtypes import DTYPES, ops_of
from ringscope.engine.communicator import Communicator
from ringscope.schedules.algorithms import SCHEDULES

COUNTS = [0, 1, 2, 3, 4, 5, 17, 1009, 65537, 200_003]
FEW_COUNTS = [0, 2, 1009, 65537]
REPEATS = 3


def main() -> int:
    """The number of wrong elements over everything, as seen by this rank."""
    comm = Communicator(sys.argv[1])
    counts = FEW_COUNTS if sys.argv[2] == "few" else COUNTS
    seed = wrong = checked = 0
    random = Random(1)  # every rank draws the same
    for collective, algorithms in SCHEDULED.items():
        send, recv = (comm.buffer((max(counts) * comm.size + 1) * 16) for _ in range(2))
        for algorithm, count, in_place in product((*algorithms, "mpi"), counts, (False, True)):
            dtype, root = random.choice(DTYPES), count % comm.size
            op = random.choice(ops_of(dtype)) if collective in REDUCING else "none"
            total = count * comm.size if collective == "alltoall" else count
            itemsize = np.dtype(dtype).itemsize
            start = random.choice((0, itemsize))  # also one element behind the aligned beginning
            target = recv.section(start, total * itemsize).view(dtype)
            source = target if in_place else send.section(start, total * itemsize).view(dtype)
            plan = comm.plan(algorithm, op, source, target, collective, root)
            for _ in range(REPEATS):
                # No barrier around the call: the next input is written while slower ranks still return.
                seed += 1
                case = Case(np.dtype(dtype), op, comm.size, seed)
                target.local.view(np.uint8).fill(0xA5)
                fill(source.local, case, comm.rank)
                before = source.local.copy()
                plan.run()
                found = check(target.local, case, pieces(collective, total, comm.size, comm.rank, root))
                checked += 1
                if found:
                    sys.stdout.write(f"{collective} {algorithm} {op} {dtype} {count} in place {in_place}: {found}\n")
                    wrong += found.wrong
                if not in_place:
                    assert (source.local.view(np.uint8) == before.view(np.uint8)).all()
            plan.free()
    cancellation(comm)
    comm.free()
    sys.stdout.write(f"checked {checked}\n")
    return min(wrong, 1)


def cancellation(comm: Communicator) -> None:
    """+-1e6 (3e4 in float16) on every pair of ranks, 1e-2 elsewhere: the sum depends on the order, the ranks agree."""
    pairs = list(permutations(range(comm.size), 2))
    buffer = comm.buffer(16 * len(pairs))
    for algorithm, dtype in product(SCHEDULES, ["float16", "bfloat16", "float32", "float64", "complex64"]):
        part = buffer.head(len(pairs) * np.dtype(dtype).itemsize).view(dtype)
        plan = comm.plan(algorithm, "sum", part, part)
        large = 3e4 if dtype == "float16" else 1e6
        part.local[:] = 1e-2
        for index, (one, other) in enumerate(pairs):
            if comm.rank in (one, other):
                part.local[index] = large if comm.rank == one else -large
        plan.run()
        assert len(set(MPI.COMM_WORLD.allgather(part.local.tobytes()))) == 1, (algorithm, dtype)
        assert np.isfinite(part.local.astype(np.complex128)).all()
        plan.free()


if __name__ == "__main__":
    sys.exit(main())
