"""Choose the transport that connects the ranks, and the device of their buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mpi4py import MPI

from ringscope.contracts.words.devices import TRANSPORT_DEVICES, settle
from ringscope.engine.base import Transport
from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.memory.buffer import GpuMemory
from ringscope.engine.transports.cuda_aware import require_cuda_aware
from ringscope.engine.transports.cuda_ipc import CudaIpcTransport
from ringscope.engine.transports.mpi import MpiTransport
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.transports.shared_memory import SharedMemoryTransport
from ringscope.engine.waiting.watchdog import Watchdog

_DEVICES = ("auto", "cpu", "cuda")


def connect(
    comm: MPI.Intracomm,
    transport: str,
    device: str,
    timeout_seconds: float,
    watchdog: Watchdog,
    gpu: cuda.Gpu | None = None,
    ended: Callable[[], Sequence[int]] = list,
    registration: int = 0,
    reports: bool = False,
) -> tuple[Transport, cuda.Gpu | None]:
    """Return the transport between all ranks of ``comm``, and this rank's GPU if the transport uses GPUs (collective).

    ``auto`` chooses GPUs if every rank can have its own, and NCCL between them; else host memory: shared memory inside
    one node, MPI messages between nodes. ``mpi`` uses GPU memory only if ``device`` is cuda and MPI is CUDA-aware.
    ``gpu`` is the GPU that this process already uses; ``ended`` returns the ranks whose processes have ended;
    ``registration`` is what NCCL knows of the buffers, and ``reports`` asks it what it chose. Raises EngineError if a
    name is wrong or not available here; if a rank is lost meanwhile, ``watchdog`` ends the gang.
    """
    if transport != "auto" and transport not in TRANSPORT_DEVICES:
        choices = ", ".join(("auto", *TRANSPORT_DEVICES))
        raise EngineError(f"transport: unknown transport {transport!r}; choose one of {choices}.")
    if device not in _DEVICES:
        raise EngineError(f"device: unknown device {device!r}; choose one of {', '.join(_DEVICES)}.")
    try:
        settled = settle(device, transport)
    except ValueError as error:
        raise EngineError(f"device: {error}") from error
    node = comm.Split_type(MPI.COMM_TYPE_SHARED, key=comm.rank)
    local_rank, local_size = node.rank, node.size
    node.Free()
    if settled == "auto":
        settled = "cuda" if _have_gpus_of_their_own(comm, local_rank) else "cpu"
    if registration and (settled == "cpu" or transport not in ("auto", "nccl")):
        raise EngineError("registration: only transport nccl, on GPUs, registers buffers; choose nccl, or give 0.")
    if settled == "cuda":
        with watchdog.guard("connecting the GPUs"):
            if transport == "mpi":
                require_cuda_aware(comm)
            gpu = cuda.claim(comm, local_rank) if gpu is None else gpu.among(comm)
            if transport == "mpi":
                return MpiTransport(comm, timeout_seconds, GpuMemory(comm.rank, gpu, timeout_seconds)), gpu
            if transport == "cuda_ipc":
                return CudaIpcTransport(comm, gpu, timeout_seconds), gpu
            return NcclTransport(comm, gpu, watchdog, timeout_seconds, ended, registration, reports), gpu
    if transport == "auto":
        transport = "shared_memory" if comm.allreduce(local_size, MPI.MIN) == comm.size else "mpi"
    host = SharedMemoryTransport if transport == "shared_memory" else MpiTransport
    return host(comm, timeout_seconds), None


def _have_gpus_of_their_own(comm: MPI.Intracomm, local_rank: int) -> bool:
    """Return whether every rank has a GPU of its own, by identity: Slurm may show each rank only its own GPU."""
    try:
        return len(cuda.offer(comm, local_rank).ranks) == 1
    except EngineError:
        return False
