"""Run by test_transports.py on every rank: all that one transport can do gives the exact result, again and again."""

import sys
from itertools import product

import numpy as np

from ringscope.algorithms import COLLECTIVES, VENDORS
from ringscope.bench.oracle import check, fill, pieces
from ringscope.transports.communicator import Communicator

COUNTS = [0, 1, 2, 3, 4, 5, 17, 1009, 65537, 200_003]
REPEATS = 3


def main() -> int:
    """The number of wrong elements over everything, as seen by this rank."""
    comm = Communicator(sys.argv[1])
    seed = wrong = checked = 0
    for collective, algorithms in COLLECTIVES.items():
        send, recv = (comm.buffer(max(COUNTS) * comm.size * 4) for _ in range(2))
        for algorithm, count, in_place in product((*algorithms, *VENDORS), COUNTS, (False, True)):
            dtype, root = (("float32", 0), ("int32", comm.size - 1))[count % 2]
            total = count * comm.size if collective == "alltoall" else count
            target = recv.head(total * 4).view(dtype)
            source = target if in_place else send.head(total * 4).view(dtype)
            plan = comm.plan(algorithm, "sum", source, target, collective, root)
            for _ in range(REPEATS):
                # No barrier around the call: the next input is written while slower ranks still return.
                seed += 1
                target.local.view(np.uint8).fill(0xA5)
                fill(source.local, seed, comm.rank)
                before = source.local.copy()
                plan.run()
                found = check(target.local, seed, pieces(collective, total, comm.size, comm.rank, root))
                checked += 1
                if found:
                    sys.stdout.write(f"{collective} {algorithm} {dtype} {count} in place {in_place}: {found}\n")
                    wrong += found.wrong
                if not in_place:
                    np.testing.assert_array_equal(source.local, before)
            plan.free()
    comm.free()
    sys.stdout.write(f"checked {checked}\n")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
