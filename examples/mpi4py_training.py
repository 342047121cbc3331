"""Training by hand with mpi4py; nothing here knows Ringscope.

It runs unchanged under `mpiexec -n 2 python`, `ringscope run --ranks 2`, and as a job of kind script.
"""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
numbers = np.random.default_rng(0)
inputs = numbers.standard_normal((512, 8))
targets = inputs @ np.arange(8.0) + 1
x, y = inputs[comm.rank :: comm.size], targets[comm.rank :: comm.size]
weights = np.zeros(9)

for _ in range(200):
    error = x @ weights[:8] + weights[8] - y
    gradient = 2 * np.append(x.T @ error, error.sum()) / len(targets)
    comm.Allreduce(MPI.IN_PLACE, gradient)
    weights -= 0.1 * gradient
loss = comm.allreduce(float(error @ error)) / len(targets)
if comm.rank == 0:
    print(f"{comm.size} ranks, loss {loss:.4f}", flush=True)
