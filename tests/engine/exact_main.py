"""Run by test_transports.py on every rank: all algorithms of one transport give the exact sum, again and again."""

import sys

import numpy as np

from ringscope.algorithms import SCHEDULES, VENDORS
from ringscope.bench.oracle import compare, expected_pattern, fill
from ringscope.transports.communicator import Communicator

COUNTS = [0, 1, 2, 3, 4, 5, 17, 1009, 65537, 200_003]
REPEATS = 3


def main() -> int:
    """The number of wrong elements over everything, as seen by this rank."""
    comm = Communicator(sys.argv[1])
    send, recv = (comm.buffer(max(COUNTS) * 4) for _ in range(2))
    seed = wrong = checked = 0
    for dtype in ("float32", "int32"):
        for count in COUNTS:
            for algorithm in (*SCHEDULES, *VENDORS):
                for in_place in (False, True):
                    target = recv.head(count * 4).view(dtype)
                    source = target if in_place else send.head(count * 4).view(dtype)
                    plan = comm.plan(algorithm, "sum", source, target)
                    for _ in range(REPEATS):
                        # No barrier around the call: the next input is written while slower ranks still return.
                        seed += 1
                        target.local.view(np.uint8).fill(0xA5)
                        fill(source.local, seed, comm.rank)
                        before = source.local.copy()
                        plan.run()
                        found = compare(target.local, expected_pattern(seed, comm.size, np.dtype(dtype)))
                        checked += 1
                        if found:
                            sys.stdout.write(f"{algorithm} {dtype} {count} in place {in_place}: {found}\n")
                            wrong += found.wrong
                        if not in_place:
                            np.testing.assert_array_equal(source.local, before)
                    plan.free()
    comm.free()
    sys.stdout.write(f"checked {checked}\n")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
