"""GPUs: CuPy itself, which GPU a rank uses, its memory, and waiting for it without hanging."""

from __future__ import annotations

import os
import socket
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringscope.contracts.record import LOOPBACK
from ringscope.contracts.units import format_size
from ringscope.engine.errors import EngineError, OutOfMemoryError

if TYPE_CHECKING:
    from mpi4py import MPI

TIMEOUT_SECONDS = 60.0
_SPINS = 200  # looks at a stream before the core is offered to others: small calls end within 20 us
_REMEDY = "pip install 'ringscope[cuda12]' or 'ringscope[cuda13]' on a machine with an NVIDIA GPU, or choose device cpu"


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPU of one rank, and the ranks on the fullest GPU of the gang: a single one where each has its own."""

    index: int
    bus_id: str
    crowd: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.index} [{self.bus_id}]"

    def label(self, transport: str) -> str:
        """The transport's name in records; it says so when what is measured is no link between GPUs."""
        return f"{transport}, {LOOPBACK}" if len(self.crowd) > 1 else transport


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
    return cupy


def count() -> int:
    """GPUs that this process sees."""
    return int(load().cuda.runtime.getDeviceCount())


def is_available() -> bool:
    """Whether ``load`` would succeed."""
    try:
        load()
    except EngineError:
        return False
    return True


def claim(comm: MPI.Intracomm, local_rank: int) -> Gpu:
    """Make the GPU of this rank's place on its node the current one (collective).

    With more ranks than GPUs on a node several ranks share one; NCCL binds to the device that is current.
    """
    cupy, index = load(), local_rank % count()
    cupy.cuda.Device(index).use()
    mine = (socket.gethostname(), str(cupy.cuda.runtime.deviceGetPCIBusId(index)))
    ranks: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for rank, place in enumerate(comm.allgather(mine)):
        ranks[place].append(rank)
    return Gpu(index, mine[1], max((tuple(found) for found in ranks.values()), key=len))


def allocate(size_bytes: int, pooled: bool) -> Any:
    """Zeroed bytes on the current GPU as a flat CuPy array.

    ``pooled`` ones come from CuPy's pool; others are a cudaMalloc of their own, whose address an IPC handle means.
    Raises OutOfMemoryError when the GPU has not so much left.
    """
    cupy = load()
    try:
        if pooled:
            return cupy.zeros(size_bytes, "uint8")
        memory = cupy.cuda.Memory(size_bytes)
    except (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.runtime.CUDARuntimeError) as error:
        free_bytes = cupy.cuda.runtime.memGetInfo()[0]
        raise OutOfMemoryError(
            f"A buffer needs {format_size(size_bytes)} but the GPU has {format_size(free_bytes)} free; "
            "lower max_bytes or the number of ranks per GPU."
        ) from error
    array = cupy.ndarray((size_bytes,), "uint8", cupy.cuda.MemoryPointer(memory, 0))
    array.fill(0)
    return array


def finishes(stream: Any, timeout_seconds: float, poll: Callable[[], None] = lambda: None) -> bool:
    """Wait until a stream has done all that was enqueued; false when that takes too long.

    ``poll`` is called meanwhile and may raise: a stream that waits for a dead peer never ends by itself.
    """
    for _ in range(_SPINS):
        if stream.done:
            return True
    deadline = time.monotonic() + timeout_seconds
    while not stream.done:
        poll()
        if time.monotonic() > deadline:
            return bool(stream.done)
        os.sched_yield()
    return True
