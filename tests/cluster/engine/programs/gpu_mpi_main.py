"""Run by test_mpi_on_gpus.py on every rank: a communicator and a sweep over transport mpi in (fake) GPU memory."""

import sys

import cupy

from ringscope.bench.sweep import Sweep
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Measurement
from ringscope.engine import connect
from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError


def main() -> None:
    """All asserts, as seen by this rank."""
    connect.require_cuda_aware = lambda comm: None  # to MPI the fake's memory is host memory
    cupy.fake.is_lazy = True
    comm = Communicator("mpi", timeout_seconds=30, device="cuda")
    total = sum(range(comm.size))
    registered = comm.empty((3, 5))
    assert isinstance(registered, cupy.ndarray)
    for algorithm in ("ring", "mpi", "auto"):
        registered.fill(comm.rank)
        comm.all_reduce(registered, algorithm=algorithm)
        assert not cupy.fake.pending
        assert (registered.get() == total).all()
    halves = comm.empty(70, "bfloat16")
    halves.fill(1)
    assert (comm.all_reduce(halves, algorithm="auto").get() == comm.size).all(), "not by MPI, which has no bfloat16"
    for algorithm in ("nccl", "gloo"):
        try:
            comm.all_reduce(registered, algorithm=algorithm)
        except EngineError as error:
            assert str(error).startswith(f"algorithm: {algorithm} "), error
        else:
            raise AssertionError(f"{algorithm} worked over transport mpi")

    rows: list[Measurement] = []
    spec = BenchmarkSpec(
        transport="mpi",
        device="cuda",
        algorithms=("auto", "ring", "direct", "mpi"),
        max_bytes=65536,
        step_factor=32,
        iterations=2,
    )
    wrong = Sweep(comm, spec, lambda record: rows.append(record) if isinstance(record, Measurement) else None)
    assert wrong.run() == 0
    if comm.rank == 0:
        assert {row.algorithm for row in rows} == set(spec.algorithms)
        assert {row.transport for row in rows} == {comm.transport.name}, "also of MPI's own: not its host memory"
    comm.free()
    sys.stdout.write("all asserts held\n")


if __name__ == "__main__":
    main()
