"""Run by test_gloo.py on every rank: gloo's all-reduce on registered buffers gives the exact result."""

import sys
from itertools import product

import numpy as np

import ringscope
from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.contracts.words.dtypes import ops_of
from ringscope.engine.communicator import Communicator

COUNTS = [0, 1, 17, 65537]
DTYPES = ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
DTYPES += ["complex64", "complex128"]
REDUCTIONS = [(dtype, op) for dtype in DTYPES for op in ops_of(dtype)]


def main() -> int:
    """The number of wrong elements, as seen by this rank."""
    comm = Communicator("auto")
    send, recv = (comm.buffer(max(COUNTS) * 16) for _ in range(2))
    seed = wrong = checked = 0
    for (dtype, op), count, in_place in product(REDUCTIONS, COUNTS, (False, True)):
        size_bytes = count * np.dtype(dtype).itemsize
        target = recv.head(size_bytes).view(dtype)
        source = target if in_place else send.head(size_bytes).view(dtype)
        plan = comm.plan("gloo", op, source, target)
        for _ in range(2):
            seed += 1
            target.local.view(np.uint8).fill(0xA5)
            case = Case(np.dtype(dtype), op, comm.size, seed)
            fill(source.local, case, comm.rank)
            before = source.local.copy()
            plan.run()
            found = check(target.local, case, pieces("all_reduce", count, comm.size, comm.rank, 0))
            checked += 1
            if found:
                sys.stdout.write(f"{dtype} {op} {count} in place {in_place}: {found}\n")
                wrong += found.wrong
            if not in_place:
                assert (source.local.view(np.uint8) == before.view(np.uint8)).all()
        plan.free()
    refuses(comm, "uint64", "all_reduce", "gloo does not support uint64")
    refuses(comm, "float32", "broadcast", "broadcast has no gloo")
    x = np.full(5, comm.rank, np.float32)
    comm.all_reduce(x, algorithm="gloo")
    assert (x == sum(range(comm.size))).all()
    comm.free()
    sys.stdout.write(f"checked {checked}\n")
    return min(wrong, 1)


def refuses(comm: Communicator, dtype: str, collective: str, part: str) -> None:
    """Nothing is executed, and the error says what to do instead."""
    buffer = comm.buffer(64).view(dtype)
    try:
        comm.plan("gloo", "sum", buffer, buffer, collective)
    except ringscope.EngineError as error:
        assert part in str(error), error
    else:
        raise AssertionError(f"not refused: {part}")


if __name__ == "__main__":
    sys.exit(main())
