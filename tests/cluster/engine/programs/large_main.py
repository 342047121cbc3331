"""Run by test_large.py on every rank: transport, dtype, count and algorithms; in place, exact to the last element."""

import sys

import numpy as np

from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.engine.communicator import Communicator


def main() -> None:
    transport, dtype, count, *algorithms = sys.argv[1:]
    comm = Communicator(transport)
    size_bytes = int(count) * np.dtype(dtype).itemsize
    buffer = comm.buffer(size_bytes).head(size_bytes).view(dtype)
    for seed, algorithm in enumerate(algorithms):
        case = Case(np.dtype(dtype), "sum", comm.size, seed)
        fill(buffer.local, case, comm.rank)
        plan = comm.plan(algorithm, "sum", buffer, buffer)
        plan.run()
        plan.free()
        found = check(buffer.local, case, pieces("all_reduce", int(count), comm.size, comm.rank, 0))
        assert found is None, (algorithm, found)
    comm.free()
    sys.stdout.write(f"right: {len(algorithms)}\n")


if __name__ == "__main__":
    main()
