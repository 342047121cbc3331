"""NCCL between MPI ranks, the lecture's CUDA program in Python: MPI starts the ranks, NCCL moves the data.

    mpiexec -n 4 python examples/nccl_mpi_demo.py

1. every rank takes the GPU with its number on its node, or the only one that it is shown
2. rank 0 makes NCCL's unique id, MPI broadcasts it
3. all ranks join one NCCL communicator  4. one all-reduce on a stream  5. every rank checks every element
"""

import sys
from typing import Any

COUNT = 1 << 20
NEEDS = (
    "This demo needs an NVIDIA GPU per rank, mpi4py and CuPy with NCCL "
    "(pip install mpi4py mpich 'cupy-cuda12x[ctk]' nvidia-nccl-cu12)"
)


def missing() -> str | None:
    """Return what the demo lacks, in words; None if it can run."""
    try:
        import cupy  # type: ignore[import-not-found]
        import mpi4py  # noqa: F401
        from cupy.cuda import nccl  # type: ignore[import-not-found]
    except ImportError as error:
        return str(error)
    if not nccl.available:
        return "CuPy finds no NCCL"
    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "there is no GPU"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return str(error)


def all_reduce(comm: Any, device: int) -> Any:
    """The sum over all ranks of rank + 1, in ``COUNT`` elements on the GPU."""
    import cupy
    from cupy.cuda import nccl

    cupy.cuda.Device(device).use()  # before the communicator is made: NCCL binds to the current device
    unique_id = comm.bcast(nccl.get_unique_id() if comm.rank == 0 else None)
    communicator = nccl.NcclCommunicator(comm.size, unique_id, comm.rank)
    send = cupy.full(COUNT, comm.rank + 1, cupy.float32)
    receive = cupy.empty_like(send)
    stream = cupy.cuda.Stream.null
    communicator.allReduce(
        send.data.ptr, receive.data.ptr, COUNT, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr
    )  # only enqueued: the result is there once the stream has passed
    stream.synchronize()
    communicator.destroy()
    return receive


def main() -> int:
    """Run the demo; 0: all elements right, 1: some wrong, 2: something is missing."""
    reason = missing()
    if reason is not None:
        sys.stderr.write(f"{NEEDS}; {reason}.\n")
        return 2
    import cupy
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    node = comm.Split_type(MPI.COMM_TYPE_SHARED, key=comm.rank)
    device = node.rank % cupy.cuda.runtime.getDeviceCount()  # Slurm may show each rank only its own GPU
    gpus = len(set(node.allgather(cupy.cuda.runtime.deviceGetPCIBusId(device))))
    crowded = comm.allgather((node.size, gpus) if node.size > gpus else None)
    if any(crowded):
        if comm.rank == 0:
            size, gpus = next(filter(None, crowded))
            sys.stderr.write(f"{NEEDS}; a node has {size} ranks but GPUs for {gpus}, start fewer.\n")
        return 2
    result = all_reduce(comm, device)
    expected = comm.size * (comm.size + 1) // 2
    wrong = int((result != expected).sum())
    line = f"rank {comm.rank} on GPU {device}: {COUNT} elements of {float(result[0]):g}, {wrong} wrong"
    for told in comm.gather(line) or ():  # rank 0 prints for all, in order
        print(told)
    return 1 if comm.allreduce(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
