"""Run by test_nccl.py on every rank: the communicator on GPUs, with arrays of either kind."""

import sys

import cupy
import numpy as np

from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError


def main() -> None:
    """All asserts, as seen by this rank."""
    comm = Communicator(device="cuda", timeout_seconds=30)
    total = sum(range(comm.size))
    registered = comm.empty((3, 5))
    assert isinstance(registered, cupy.ndarray)
    registered.fill(comm.rank)
    cupy.fake.calls.clear()
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

    where_own = Communicator()
    assert (where_own.gpu is None) == (comm.size > 1), "auto never lets ranks share a GPU"
    where_own.free()
    sys.stdout.write("all asserts held\n")


if __name__ == "__main__":
    main()
