"""Run by test_transports.py on every rank: registered arrays that come and go."""

import gc
import os
import sys
from pathlib import Path

import numpy as np

import ringscope
from ringscope.engine import communicator
from ringscope.engine.errors import OutOfMemoryError
from ringscope.engine.memory.buffer import HostMemory
from ringscope.engine.transports import shared_memory

ROW = 1000


def mapped_bytes() -> int:
    """Return the number of bytes that this process has mapped."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def summed(x: np.ndarray) -> None:
    """Check that the array is registered memory like any other."""
    comm = ringscope.init()
    x.fill(comm.rank + 1)
    ringscope.all_reduce(x)
    assert (x == sum(range(1, comm.size + 1))).all()


def in_a_row(arrays: int, is_lent: bool) -> None:
    """Check that arrays in a row are freed, or replace the one before, and that no memory grows."""
    before = 0
    for number in range(arrays):
        if is_lent:
            with ringscope.lent(ROW, "float32") as y:
                y[-1] = 1
        x = ringscope.empty(ROW, "float32")
        assert not x.any(), "zeroed, whoever had it before"
        x[-1] = 1
        if number % (arrays // 10) == 0:
            summed(x)
        if number == arrays // 5:
            before = mapped_bytes()
    assert mapped_bytes() <= before + (16 << 20), (before, mapped_bytes())


def views() -> None:
    """A view keeps its array; slices are registered."""
    x = ringscope.empty((8, 512), "float64")
    part = x[2:5].reshape(-1)
    part.fill(5)
    del x
    others = [ringscope.empty(ROW, "float64") for _ in range(2000)]
    for other in others:
        other.fill(9)
    assert (part == 5).all()
    summed(part)


def given_back() -> None:
    """Check that memory that is freed explicitly, or at the end of a block, is reused by the next buffer."""
    x = ringscope.empty(ROW, "int32")
    first = x.ctypes.data
    ringscope.free(x)
    with ringscope.lent(ROW, "int32") as y:
        assert y.ctypes.data == first
        summed(y)
    z = ringscope.empty(ROW, "int32")
    assert z.ctypes.data == first
    for wrong in (x, y, z[1:], z[:1], np.zeros(3)):
        try:
            ringscope.free(wrong)
        except ringscope.EngineError as error:
            assert "does not come from ringscope.empty" in str(error)
        else:
            raise AssertionError("not refused")


def disagreeing() -> None:
    """Check that a buffer that one rank still holds is not reused, even if the other ranks have dropped theirs."""
    comm = ringscope.init()
    kept = [ringscope.empty(ROW, "float32") for _ in range(50)]
    for x in kept:
        x.fill(comm.rank)
    if comm.rank:
        kept.clear()
        gc.collect()
    for _ in range(2000):
        ringscope.empty(ROW, "float32").fill(77)
    assert all((x == comm.rank).all() for x in kept)
    comm.barrier()


def too_much() -> None:
    """Check that a too large request is refused in one sentence, and that the ranks can continue."""
    try:
        ringscope.empty(1 << 50, "uint8")
    except ringscope.EngineError as error:
        assert "free; lower" in str(error), error
    else:
        raise AssertionError("not refused")
    summed(ringscope.empty(3))


def refuse(*_: object) -> None:
    raise OutOfMemoryError("one rank has no room")


def refused_to_one() -> None:
    """Check that all ranks raise at once, and stay in step, if one rank alone lacks memory."""
    comm = ringscope.init()
    own = (shared_memory, "require_memory") if comm.transport.name == "shared_memory" else (HostMemory, "allocate")
    for owner, name in (communicator, "require_memory"), own:
        allowed = getattr(owner, name)
        if comm.rank == comm.size - 1:
            setattr(owner, name, refuse)
        try:
            ringscope.empty(64 << 20, "uint8")
        except OutOfMemoryError as error:
            assert str(error) == "one rank has no room", error
        else:
            raise AssertionError("not refused")
        setattr(owner, name, allowed)
        summed(ringscope.empty(ROW, "float32"))


ringscope.init(sys.argv[1], timeout_seconds=60)
in_a_row(int(sys.argv[2]), is_lent=False)
in_a_row(int(sys.argv[2]) // 10, is_lent=True)
views()
given_back()
disagreeing()
too_much()
refused_to_one()
sys.stdout.write(f"rank {ringscope.init().rank} of {ringscope.init().size} is done\n")
