"""Run on every rank, with the fake CuPy or a real one: the communicator on GPUs, and arrays of either kind."""

import sys
from typing import Any

import cupy
import numpy as np

from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError

TIMEOUT_SECONDS = 30
FAKE: Any = getattr(cupy, "fake", None)


def check_auto(fake: Any) -> None:
    """Check that ``auto`` takes GPUs only if every rank has its own, however many GPUs a rank sees."""
    comm = Communicator()
    assert (comm.gpu is None) == (comm.size > 1), "ranks would share a GPU"
    comm.free()
    fake.bus_ids = [f"0000:{comm.rank:02x}:00.0"]
    comm = Communicator()
    assert comm.gpu is not None and (comm.gpu.index, len(comm.gpu.ranks)) == (0, 1)
    comm.free()
    fake.bus_ids = None
    fake.gpus = max(1, comm.size - 1)
    crowded = Communicator()
    alone = crowded.split(crowded.rank)
    assert (alone.gpu is None) == (crowded.gpu is None), "what was settled for all holds for their groups"
    alone.free()
    crowded.free()


def check_groups(transport: str) -> None:
    """A process stays on its GPU, whatever its number in a group: streams and communicators belong to it."""
    if FAKE is not None:
        FAKE.gpus = 8
    comm = Communicator(transport, device="cuda", timeout_seconds=TIMEOUT_SECONDS)
    mine = [rank for rank in range(comm.size) if rank % 2 == comm.rank % 2]
    group = comm.split(comm.rank % 2)
    assert comm.gpu is not None and group.gpu is not None
    assert comm.gpu.index == group.gpu.index == cupy.cuda.Device().id
    assert group.size == len(mine)
    if FAKE is not None:
        assert (group.gpu.index, len(group.gpu.ranks)) == (comm.rank, 1)
    for one, members in ((group, mine), (comm, range(comm.size))):
        x = one.empty(1000)
        x.fill(comm.rank)
        one.all_reduce(x, algorithm="ring")
        assert (x.get() == sum(members)).all()
    group.free()
    comm.free()


def main() -> None:
    """All asserts, as seen by this rank."""
    transport = sys.argv[1]
    comm = Communicator(transport, device="cuda", timeout_seconds=TIMEOUT_SECONDS)
    total = sum(range(comm.size))
    registered = comm.empty((3, 5))
    assert isinstance(registered, cupy.ndarray)
    registered.fill(comm.rank)
    assert comm.all_reduce(registered, algorithm="ring") is registered
    assert (registered.get() == total).all()
    foreign = np.full((70, 2), comm.rank, np.int32)
    assert (comm.all_reduce(foreign) == total).all(), "staged to the GPU and back"
    elsewhere = cupy.zeros(17, "float64")
    elsewhere.fill(comm.rank)
    out = cupy.zeros(17, "float64")
    comm.all_reduce(elsewhere, op="max", out=out)
    assert (out.get() == comm.size - 1).all()
    assert (elsewhere.get() == comm.rank).all()
    for algorithm in ("mpi", "gloo"):
        try:
            comm.all_reduce(elsewhere, algorithm=algorithm)
        except EngineError as error:
            assert f"{algorithm} does not work on device cuda" in str(error), error
        else:
            raise AssertionError(f"{algorithm} took GPU memory")
    comm.free()

    if FAKE is not None:
        check_auto(FAKE)
    check_groups(transport)
    sys.stdout.write("all asserts held\n")


if __name__ == "__main__":
    main()
