"""The ring all-reduce by hand: scatter-reduce, then all-gather, each rank talks to its neighbours only.

    mpiexec -n 4 python examples/ring_by_hand.py

Every rank sends 2(p-1)/p of its data, however many ranks there are. `ringscope trace ring --ranks 4` prints the same
steps with numbers; the engine's own version is workers/ringscope/schedules/algorithms/ring.py.
"""

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray


def ring_all_reduce(comm: MPI.Intracomm, x: NDArray[np.float64]) -> None:
    """Replace ``x`` by the sum over all ranks, in place."""
    rank, size = comm.rank, comm.size
    right, left = (rank + 1) % size, (rank - 1) % size
    chunks = np.array_split(x, size)  # views: the first x.size mod size are one element longer
    received = np.empty_like(chunks[0])

    # Scatter-reduce: pass on what was just added up; after size - 1 steps chunk rank + 1 is complete here.
    for step in range(size - 1):
        outgoing, own = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        incoming = received[: own.size]
        comm.Sendrecv(outgoing, right, recvbuf=incoming, source=left)
        own += incoming

    # All-gather: pass on what is complete; after size - 1 steps everything is.
    for step in range(size - 1):
        outgoing, incoming = chunks[(rank + 1 - step) % size], chunks[(rank - step) % size]
        comm.Sendrecv(outgoing, right, recvbuf=incoming, source=left)


def main() -> None:
    """Sum up a vector whose answer is known, and check every element on every rank."""
    comm = MPI.COMM_WORLD
    x = np.arange(10.0) * (comm.rank + 1)
    ring_all_reduce(comm, x)
    expected = np.arange(10.0) * comm.size * (comm.size + 1) / 2
    wrong = comm.allreduce(int(np.count_nonzero(x != expected)))
    if comm.rank == 0:
        print(f"{comm.size} ranks, {wrong} wrong elements: {x}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
