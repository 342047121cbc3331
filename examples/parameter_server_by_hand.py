"""A synchronous parameter server by hand: rank 0 keeps the weights, the others compute gradients.

    mpiexec -n 4 python examples/parameter_server_by_hand.py

Workers pull the weights, push the gradient of their share of the data; the server averages and takes a step. All
traffic crosses the server's link, 2(p-1) messages an iteration: `ringscope plan --algorithm naive,ring --ranks 10
--bytes 1.2GB --bandwidth 1GB/s` shows what that costs, and what a ring does instead.
"""

import sys

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

Vector = NDArray[np.float64]

ITERATIONS, RATE, SAMPLES = 200, 0.1, 120
WEIGHTS = np.array([3.0, -2.0, 0.5])  # what the workers are to find


def data() -> tuple[NDArray[np.float64], Vector]:
    """Inputs and answers, the same on every rank."""
    inputs = np.random.default_rng(seed=1).normal(size=(SAMPLES, WEIGHTS.size))
    return inputs, inputs @ WEIGHTS


def gradient(inputs: NDArray[np.float64], answers: Vector, weights: Vector) -> Vector:
    """Return the gradient of the mean squared error of a linear model."""
    result: Vector = 2 * inputs.T @ (inputs @ weights - answers) / len(answers)
    return result


def serve(comm: MPI.Intracomm) -> Vector:
    """Rank 0: hand out weights, gather gradients, take a step with their mean."""
    weights, pushed = np.zeros_like(WEIGHTS), np.empty_like(WEIGHTS)
    workers = range(1, comm.size)
    for _ in range(ITERATIONS):
        for worker in workers:
            comm.Send(weights, worker)
        total = np.zeros_like(WEIGHTS)
        for worker in workers:
            comm.Recv(pushed, worker)
            total += pushed
        weights -= RATE * total / len(workers)
    return weights


def work(comm: MPI.Intracomm) -> None:
    """Work as one of the other ranks: pull the weights, push the gradient of a share of the samples."""
    inputs, answers = (np.array_split(part, comm.size - 1)[comm.rank - 1] for part in data())
    weights = np.empty_like(WEIGHTS)
    for _ in range(ITERATIONS):
        comm.Recv(weights, 0)
        comm.Send(gradient(inputs, answers, weights), 0)


def main() -> int:
    """Train; the exit code says whether the weights were found."""
    comm = MPI.COMM_WORLD
    if comm.size < 2:
        sys.stderr.write("A server needs a worker; start 2 ranks or more with mpiexec -n 2.\n")
        return 2
    if comm.rank:
        work(comm)
        return 0
    weights = serve(comm)
    error = float(np.abs(weights - WEIGHTS).max())
    print(f"{comm.size - 1} workers found {weights.round(6)}, largest error {error:.1e}")
    return 0 if error < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
