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
_NO_MEMORY = 2  # CUDA's error for exhausted memory
_NOT_READY = 600  # CUDA's status of a stream that still has work: not an error
_SPINS = 200  # polls of a stream before the core is offered to others: small calls end within 20 us
_REMEDY = "pip install 'ringscope[cuda12]' or 'ringscope[cuda13]' on a machine with an NVIDIA GPU, or choose device cpu"


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPU of one rank, and the number of ranks on the fullest GPU of the gang: 1 if each rank has its own."""

    index: int
    bus_id: str
    ranks: tuple[int, ...]
    uuid: str = ""  # slices of one GPU (MIG) have the same bus_id

    def __str__(self) -> str:
        return f"{self.index} [{self.bus_id}]"

    def label(self, transport: str) -> str:
        """The transport's name in records; it shows if the measurement does not cover a link between GPUs."""
        return f"{transport}, {LOOPBACK}" if len(self.ranks) > 1 else transport

    def use(self) -> None:
        """Make it the current GPU, to which NCCL binds; EngineError if CUDA refuses."""
        failed = errors()
        try:
            load().cuda.Device(self.index).use()
        except failed as error:
            raise EngineError(
                f"device: GPU {self} cannot be used ({error}); check that no other process uses it exclusively, or "
                "choose device cpu."
            ) from error

    def among(self, comm: MPI.Intracomm) -> Gpu:
        """Return the same GPU for a rank of ``comm`` (collective)."""
        return _shared_out(comm, self.index, self.bus_id, self.uuid)


def load() -> Any:
    """Return CuPy if it can be imported and sees a GPU; else EngineError says what is missing."""
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
    """Check that NVRTC can be loaded; otherwise the first kernel would fail, long after ``auto`` has chosen the GPU."""
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # the loader's own exception, which has no name in CuPy
        reason = " ".join(str(error).split())
        raise EngineError(
            f"device: cuda needs NVRTC, which compiles its kernels and cannot be loaded ({reason}); "
            "pip install 'cupy-cuda12x[ctk]' or 'cupy-cuda13x[ctk]', or choose device cpu."
        ) from error


def count() -> int:
    """Return the number of GPUs that this process sees."""
    return int(load().cuda.runtime.getDeviceCount())


def offer(comm: MPI.Intracomm, local_rank: int) -> Gpu:
    """Return the GPU for this rank's local number on its node (collective); EngineError on every rank if one has none.

    Ranks that see the same GPUs are assigned to them in turn, several to one GPU if there are more ranks; a rank that
    sees only one GPU, as under Slurm, uses that one.
    """
    index, bus_id, uuid, lacking = 0, "", "", ""
    try:
        index = local_rank % count()
        with telling(f"device: rank {comm.rank}"):
            runtime = load().cuda.runtime
            bus_id = str(runtime.deviceGetPCIBusId(index))
            uuid = bytes(runtime.getDeviceProperties(index).get("uuid", b"")).hex()
    except EngineError as error:
        lacking = str(error)
    everywhere = comm.allgather(lacking)
    if lacking:
        raise EngineError(lacking)
    for rank, sentence in enumerate(everywhere):
        if sentence:
            raise EngineError(f"Rank {rank} said: {sentence}")
    return _shared_out(comm, index, bus_id, uuid)


def claim(comm: MPI.Intracomm, local_rank: int) -> Gpu:
    """Make this rank's GPU from ``offer`` the current one (collective).

    This happens once per process: streams and communicators belong to the GPU that was current at their creation.
    """
    gpu = offer(comm, local_rank)
    gpu.use()
    return gpu


def _shared_out(comm: MPI.Intracomm, index: int, bus_id: str, uuid: str) -> Gpu:
    ranks: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    # Two nodes may have the same name, and two containers of one node may have two.
    for rank, place in enumerate(comm.allgather((machine() or socket.gethostname(), uuid or bus_id))):
        ranks[place].append(rank)
    return Gpu(index, bus_id, max((tuple(found) for found in ranks.values()), key=len), uuid)


def allocate(size_bytes: int, pooled: bool) -> Any:
    """Allocate zeroed bytes on the current GPU as a flat CuPy array.

    ``pooled`` bytes come from CuPy's pool; others have their own cudaMalloc, to whose address an IPC handle refers.
    Raises OutOfMemoryError if the GPU has too little memory, EngineError if it is lost.
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
            raise _too_large(size_bytes, free_bytes()) from error
        array = cupy.ndarray((size_bytes,), "uint8", cupy.cuda.MemoryPointer(memory, 0))
        array.fill(0)
        return array


def free_bytes() -> int:
    """Return the free memory of the current GPU."""
    return int(load().cuda.runtime.memGetInfo()[0])


def require_memory(size_bytes: int) -> None:
    """Raise OutOfMemoryError if the current GPU has less free, for allocators that do not say so."""
    with telling(f"A rank on {node()}"):
        free = free_bytes()
    if free < size_bytes:
        raise _too_large(size_bytes, free)


def _too_large(size_bytes: int, free: int) -> OutOfMemoryError:
    return OutOfMemoryError(
        f"A buffer needs {format_size(size_bytes)} but the GPU has {format_size(free)} free; lower max_bytes or the "
        "number of ranks per GPU."
    )


class StreamClock:
    """The clock of a stream: CUDA events, whose resolution is about 0.5 us."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._cuda = stream, load().cuda
        self._begin, self._end = self._cuda.Event(), self._cuda.Event()

    def begin(self) -> None:
        """Record the first event."""
        self._begin.record(self._stream)

    def end(self) -> None:
        """Record the second event."""
        self._end.record(self._stream)

    def elapsed_us(self) -> float:
        """Return the time between both events."""
        return float(self._cuda.get_elapsed_time(self._begin, self._end)) * 1e3


def errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that CuPy raises when CUDA fails: the runtime's, and the driver's for kernel launches."""
    cuda = load().cuda
    return cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError


@contextmanager
def telling(who: str) -> Iterator[None]:
    """Turn a CUDA error in the block into an EngineError that begins with ``who``: the process has lost its GPU."""
    failed = errors()
    try:
        yield
    except failed as error:
        raise EngineError(f"{who} lost its GPU ({error}); start the job again.") from error


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Turn an error of CuPy's compiler in the block into an EngineError; errors of CUDA pass.

    Headers that are missing are a RuntimeError there, wrong ones a CompileException, a full or read-only folder for
    compiled kernels an OSError.
    """
    passing: tuple[type[Exception], ...] = (EngineError, MemoryError, *errors())
    try:
        yield
    except passing:
        raise
    except Exception as error:
        lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
        reason = next((line for line in lines if "error" in line), " ".join(lines) or type(error).__name__)
        raise EngineError(
            f"device: {what} cannot be compiled for this GPU ({reason[:200]}); pip install 'cupy-cuda12x[ctk]' or "
            "'cupy-cuda13x[ctk]' with CuPy's own CUDA version, let CUPY_CACHE_DIR name a folder with room, or choose "
            "device cpu."
        ) from error


def finishes(stream: Any, timeout_seconds: float, poll: Callable[[], None] = lambda: None) -> bool:
    """Wait until a stream has done all enqueued work; return false if that takes too long.

    ``poll`` is called in the meantime and may raise: a stream that waits for a dead peer never ends by itself. Raises
    CuPy's CUDARuntimeError if the GPU has failed.
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


def wait(
    stream: Any, timeout_seconds: float, who: str, suspicion: str, poll: Callable[[], None] = lambda: None
) -> None:
    """Wait for a stream; EngineError, which begins with ``who``, if its GPU has failed or does not finish in time.

    ``poll`` is called in the meantime and may raise.
    """
    with telling(who):
        if not finishes(stream, timeout_seconds, poll):
            raise EngineError(f"{who} waited {timeout_seconds:g} s for its GPU{suspicion}; start the job again.")
