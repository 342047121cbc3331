"""Run by test_transports.py on every rank: all that one transport can do gives the exact result, again and again."""

import sys
from itertools import product
from random import Random

import numpy as np

from ringscope.algorithms import COLLECTIVES, REDUCING
from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.dtypes import DTYPES, ops_of
from ringscope.transports.communicator import Communicator

COUNTS = [0, 1, 2, 3, 4, 5, 17, 1009, 65537, 200_003]
REPEATS = 3


def main() -> int:
    """The number of wrong elements over everything, as seen by this rank."""
    comm = Communicator(sys.argv[1])
    seed = wrong = checked = 0
    random = Random(1)  # every rank draws the same
    for collective, algorithms in COLLECTIVES.items():
        send, recv = (comm.buffer(max(COUNTS) * comm.size * 16) for _ in range(2))
        for algorithm, count, in_place in product((*algorithms, "mpi"), COUNTS, (False, True)):
            dtype, root = random.choice(DTYPES), count % comm.size
            op = random.choice(ops_of(dtype)) if collective in REDUCING else "none"
            total = count * comm.size if collective == "alltoall" else count
            size_bytes = total * np.dtype(dtype).itemsize
            target = recv.head(size_bytes).view(dtype)
            source = target if in_place else send.head(size_bytes).view(dtype)
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
    comm.free()
    sys.stdout.write(f"checked {checked}\n")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
