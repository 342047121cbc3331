"""GPUs: CuPy itself, which GPU a rank uses, its memory, and waiting for it without hanging."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from platform import node
from typing import TYPE_CHECKING, Any

from ringscope.contracts.record import LOOPBACK
from ringscope.contracts.words.units import format_size
from ringscope.engine.cores import machine
from ringscope.engine.errors import EngineError, OutOfMemoryError

if TYPE_CHECKING:
    from mpi4py import MPI

TIMEOUT_SECONDS = 60.0
_NO_MEMORY = 2  # what CUDA answers where no memory is left
_NOT_READY = 600  # what CUDA answers of a stream that is not done: no error
_SPINS = 200  # looks at a stream before the core is offered to others: small calls end within 20 us
_REMEDY = "pip install 'ringscope[cuda12]' or 'ringscope[cuda13]' on a machine with an NVIDIA GPU, or choose device cpu"


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPU of one rank, and the ranks on the fullest GPU of the gang: a single one where each has its own."""

    index: int
    bus_id: str
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.index} [{self.bus_id}]"

    def label(self, transport: str) -> str:
        """The transport's name in records; it says so when what is measured is no link between GPUs."""
        return f"{transport}, {LOOPBACK}" if len(self.ranks) > 1 else transport

    def use(self) -> None:
        """Make it the current one, to which NCCL binds; EngineError where CUDA refuses."""
        failed = errors()
        try:
            load().cuda.Device(self.index).use()
        except failed as error:
            raise EngineError(
                f"device: GPU {self} cannot be used ({error}); see that no other process has it for itself alone, "
                "or choose device cpu."
            ) from error

    def among(self, comm: MPI.Intracomm) -> Gpu:
        """Return the same GPU for a rank of ``comm`` (collective)."""
        return _shared_out(comm, self.index, self.bus_id)


def load() -> Any:
    """CuPy, on a machine where it can be imported and sees a GPU; EngineError says what is missing."""
    try:
        import cupy
    except ImportError as error:
        raise EngineError(f"device: cuda needs CuPy, which cannot be imported ({error}); {_REMEDY}.") from error
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise EngineError(f"device: cuda needs a GPU, but CUDA finds none ({error}); {_REMEDY}.") from error
    if found == 0:
        raise EngineError(f"device: cuda needs a GPU, but this process sees none; {_REMEDY}.")
    _require_compiler(cupy)
    return cupy


@cache
def _require_compiler(cupy: Any) -> None:
    """Check that NVRTC loads; otherwise the first kernel would fail, long after ``auto`` has chosen the GPU."""
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # the loader's own, which has no name in CuPy
        reason = " ".join(str(error).split())
        raise EngineError(
            f"device: cuda needs NVRTC, which compiles its kernels and cannot be loaded ({reason}); "
            "pip install 'cupy-cuda12x[ctk]' or 'cupy-cuda13x[ctk]', or choose device cpu."
        ) from error


def count() -> int:
    """GPUs that this process sees."""
    return int(load().cuda.runtime.getDeviceCount())


def offer(comm: MPI.Intracomm, local_rank: int) -> Gpu:
    """The GPU of this rank's place on its node (collective); EngineError on every rank when one has none.

    Ranks that see the same GPUs take them in turn, several one where they are more; a rank to which only one is shown,
    as Slurm does it, takes that.
    """
    index, bus_id, lacking = 0, "", ""
    try:
        index = local_rank % count()
        with telling(f"device: rank {comm.rank}"):
            bus_id = str(load().cuda.runtime.deviceGetPCIBusId(index))
    except EngineError as error:
        lacking = str(error)
    everywhere = comm.allgather(lacking)
    if lacking:
        raise EngineError(lacking)
    for rank, sentence in enumerate(everywhere):
        if sentence:
            raise EngineError(f"Rank {rank} said: {sentence}")
    return _shared_out(comm, index, bus_id)


def claim(comm: MPI.Intracomm, local_rank: int) -> Gpu:
    """Make the GPU that ``offer`` has for this rank the current one (collective).

    Once per process: streams and communicators belong to the GPU that was current when they were made.
    """
    gpu = offer(comm, local_rank)
    gpu.use()
    return gpu


def _shared_out(comm: MPI.Intracomm, index: int, bus_id: str) -> Gpu:
    ranks: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    # Two nodes may have one name, and two containers of a node have two.
    for rank, place in enumerate(comm.allgather((machine() or socket.gethostname(), bus_id))):
        ranks[place].append(rank)
    return Gpu(index, bus_id, max((tuple(found) for found in ranks.values()), key=len))


def allocate(size_bytes: int, pooled: bool) -> Any:
    """Zeroed bytes on the current GPU as a flat CuPy array.

    ``pooled`` ones come from CuPy's pool; others are a cudaMalloc of their own, whose address an IPC handle means.
    Raises OutOfMemoryError when the GPU has not so much left, EngineError when it is lost.
    """
    cupy = load()
    with telling(f"A rank on {node()}"):
        try:
            if pooled:
                return cupy.zeros(size_bytes, "uint8")
            memory = cupy.cuda.Memory(size_bytes)
        except (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.runtime.CUDARuntimeError) as error:
            if getattr(error, "status", _NO_MEMORY) != _NO_MEMORY:
                raise
            free_bytes = cupy.cuda.runtime.memGetInfo()[0]
            raise OutOfMemoryError(
                f"A buffer needs {format_size(size_bytes)} but the GPU has {format_size(free_bytes)} free; "
                "lower max_bytes or the number of ranks per GPU."
            ) from error
        array = cupy.ndarray((size_bytes,), "uint8", cupy.cuda.MemoryPointer(memory, 0))
        array.fill(0)
        return array


def errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that CuPy raises when CUDA fails: the runtime's, and the driver's for kernel launches."""
    cuda = load().cuda
    return cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError


@contextmanager
def telling(who: str) -> Iterator[None]:
    """An error of CUDA inside becomes an EngineError that begins with ``who``: the process's GPU is gone for good."""
    failed = errors()
    try:
        yield
    except failed as error:
        raise EngineError(f"{who} lost its GPU ({error}); start the job again.") from error


def finishes(stream: Any, timeout_seconds: float, poll: Callable[[], None] = lambda: None) -> bool:
    """Wait until a stream has done all that was enqueued; false when that takes too long.

    ``poll`` is called meanwhile and may raise: a stream that waits for a dead peer never ends by itself. Raises CuPy's
    CUDARuntimeError when the GPU has failed.
    """
    runtime: Any = sys.modules["cupy"].cuda.runtime
    for _ in range(_SPINS):
        if _is_done(runtime, stream.ptr):
            return True
    deadline = time.monotonic() + timeout_seconds
    while not _is_done(runtime, stream.ptr):
        poll()
        if time.monotonic() > deadline:
            return _is_done(runtime, stream.ptr)
        os.sched_yield()
    return True


def _is_done(runtime: Any, stream: int) -> bool:
    """Return whether a stream is done; CuPy's ``Stream.done`` would report a failed GPU as still busy."""
    status = runtime.streamQuery(stream)
    if status in (0, _NOT_READY):
        return bool(status == 0)
    raise runtime.CUDARuntimeError(status)


def wait(stream: Any, timeout_seconds: float, who: str, suspicion: str) -> None:
    """Wait for a stream; EngineError, which begins with ``who``, when its GPU has failed or does not end in time."""
    with telling(who):
        if not finishes(stream, timeout_seconds):
            raise EngineError(f"{who} waited {timeout_seconds:g} s for its GPU{suspicion}; start the job again.")
