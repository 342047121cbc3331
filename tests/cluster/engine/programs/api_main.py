"""Run by test_transports.py on every rank: the public Python interface."""

import sys

import numpy as np
from mpi4py import MPI

import ringscope
from ringscope.schedules.algorithms import SCHEDULES


def expect_error(part: str, *arguments: object, **keywords: object) -> None:
    """The call is refused, on every rank, with a sentence that contains ``part``."""
    try:
        ringscope.all_reduce(*arguments, **keywords)  # type: ignore[arg-type]
    except ringscope.EngineError as error:
        assert part in str(error), error
    else:
        raise AssertionError(f"not refused: {part}")


def sums(comm: ringscope.Communicator) -> None:
    """Registered and foreign arrays, in place and out of place, every algorithm, any shape."""
    total = sum(range(comm.size))
    for algorithm in ("auto", *SCHEDULES, "mpi"):
        x = ringscope.empty((3, 5), "float32")
        x.fill(comm.rank)
        out = ringscope.empty((3, 5), "float32")
        assert ringscope.all_reduce(x, algorithm=algorithm, out=out) is out
        assert (out == total).all()
        assert (x == comm.rank).all()
        assert ringscope.all_reduce(x[1:], algorithm=algorithm)[0, 0] == total
        assert (x[0] == comm.rank).all()
        foreign = np.full((70_000, 2), comm.rank, np.int32)
        assert (ringscope.all_reduce(foreign, algorithm=algorithm) == total).all()
    for count in (0, 1, 10, 100_000):
        assert (ringscope.all_reduce(np.ones(count, np.float32)) == comm.size).all()


def mixed(comm: ringscope.Communicator) -> None:
    """Ranks may bring different kinds of memory to one call."""
    registered = ringscope.empty(9, "int32")
    mine = registered if comm.rank == 0 else np.empty(9, np.int32)
    mine[:] = 2
    assert (ringscope.all_reduce(mine) == 2 * comm.size).all()


def layouts(comm: ringscope.Communicator) -> None:
    """Any contiguous memory, wherever it begins; never one that would be read or written wrongly."""
    total = sum(range(comm.size))
    registered = ringscope.empty(1001, "float64")
    for memory in (registered, np.empty(1001)):
        memory.fill(-1)
        shifted = memory[1:1000]
        shifted.fill(comm.rank)
        assert (ringscope.all_reduce(shifted) == total).all()
        assert memory[0] == memory[1000] == -1
    for shape in ((0,), (0, 5), (3, 0)):
        assert ringscope.all_reduce(np.empty(shape, np.float32)).shape == shape
    x = np.full(6, comm.rank, np.float32)
    assert ringscope.all_reduce(x, out=x) is x
    assert (x == total).all(), "send is recv"
    x.fill(comm.rank)
    x.flags.writeable = False
    assert (ringscope.all_reduce(x, out=np.empty_like(x)) == total).all(), "an input may be read-only"
    expect_error("out: the array is read-only", x)
    expect_error("x: the array is not contiguous", np.asfortranarray(np.ones((3, 4), np.float32)))
    expect_error("out: the array overlaps x", registered[:500], out=registered[499:999])


def many_calls(comm: ringscope.Communicator) -> None:
    """Ten thousand tiny calls one after another, a rank that comes late, and another order of the ranks."""
    x, out = ringscope.empty(3, "int32"), ringscope.empty(3, "int32")
    for number in range(10_000 if comm.size < 3 else 500):  # more ranks than cores take turns
        x.fill(number + comm.rank)
        ringscope.all_reduce(x, algorithm="ring", out=out)
        assert out[2] == number * comm.size + sum(range(comm.size))
    if comm.rank == comm.size - 1 and comm.size > 1:
        MPI.COMM_WORLD.recv(source=0)  # rank 0 is about to enter the call, and this one still is not
    elif comm.rank == 0 and comm.size > 1:
        MPI.COMM_WORLD.send(None, comm.size - 1)
    x.fill(1)
    assert (ringscope.all_reduce(x) == comm.size).all()
    bits = [np.random.default_rng(rank).integers(-(2**31), 2**31, 1009, np.int32) for rank in range(comm.size)]
    results = [ringscope.all_reduce(bits[place].copy()).tobytes() for place in (comm.rank, comm.size - 1 - comm.rank)]
    assert results[0] == results[1]


def two_at_once(comm: ringscope.Communicator) -> None:
    """Calls of two communicators follow each other without a barrier and do not meet."""
    other = ringscope.Communicator("mpi")
    for number in range(50):
        for communicator, values in ((comm, np.full(100, number)), (other, np.full(100, -number))):
            wanted = values[0] * comm.size
            assert (communicator.all_reduce(values, algorithm="ring") == wanted).all()
    other.free()


def groups(comm: ringscope.Communicator) -> None:
    """Check that even and odd ranks work apart at the same time, each at its own pace, and together afterwards."""
    group = comm.split(comm.rank % 2)
    members = range(comm.rank % 2, comm.size, 2)
    assert (group.rank, group.size) == (comm.rank // 2, len(members))
    for number in range(10 + 30 * (comm.rank % 2)):
        values = group.all_reduce(np.full(1000, comm.rank + number), algorithm="ring")
        assert (values == sum(members) + number * len(members)).all()
    x = group.empty(9, "int32")
    x.fill(1)
    assert (group.all_reduce(x, algorithm="mpi") == len(members)).all()
    assert (ringscope.all_reduce(np.ones(5)) == comm.size).all()
    group.free()


def refusals(comm: ringscope.Communicator) -> None:
    """Check that impossible calls are refused, and that calls that differ between ranks are refused on all of them."""
    x = np.ones(4, np.float32)
    expect_error("dtype: unknown dtype 'float128'; choose one of int8, uint8, ", x.astype(np.longdouble))
    for narrow, wide in (("int16", "int32"), ("uint16", "uint32"), ("bool", "uint8")):
        expect_error(f"dtype: {narrow} is not supported, as NCCL has no such type; convert to {wide}", x.astype(narrow))
    for op in ("prod", "min", "max"):
        expect_error(f"op: {op} is not defined for complex64; choose sum or avg", x.astype(np.complex64), op=op)
    expect_error("op: unknown op 'xor'; choose one of sum, prod, min, max, avg.", x, op="xor")
    expect_error("algorithm: unknown algorithm 'star'", x, algorithm="star")
    expect_error("x: the array is not contiguous", np.ones((4, 4), np.float32)[:, 1])
    expect_error("x: a list is not a NumPy or CuPy array", [1.0])
    expect_error("out: float32[3] does not match x, which is float32[4]", x, out=np.ones(3, np.float32))
    expect_error("out: the array overlaps x", x, out=x[:])
    if comm.size > 1:
        differs = comm.rank == comm.size - 1
        last = f"all_reduce: rank {comm.size - 1} differs from rank 0 in"
        expect_error(f"{last} length (5 elements against 4 elements)", np.ones(4 + differs, np.float32))
        expect_error(f"{last} dtype (int32 against float32)", np.ones(4, np.int32 if differs else np.float32))
        expect_error(f"{last} op (max against sum)", x, op="max" if differs else "sum")
        expect_error(f"{last} algorithm (ring against mpi)", x, algorithm="ring" if differs else "mpi")
        try:
            ringscope.empty(4) if differs else ringscope.all_reduce(x)
        except ringscope.EngineError as error:
            assert f"rank {comm.size - 1} differs from rank 0 in function (empty against all_reduce)" in str(error)
        else:
            raise AssertionError("two different calls went through")
    assert (ringscope.all_reduce(np.ones(4, np.float32)) == comm.size).all(), "usable after a refusal"


if __name__ == "__main__":
    communicator = ringscope.init()
    assert ringscope.init() is communicator
    sums(communicator)
    mixed(communicator)
    layouts(communicator)
    many_calls(communicator)
    two_at_once(communicator)
    groups(communicator)
    refusals(communicator)
    communicator.free()
    sys.stdout.write("all asserts held\n")
