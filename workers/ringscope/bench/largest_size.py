"""The sizes of a sweep whose buffers fit into memory, which is asked before anything is allocated.

As in nccl-tests, sizes above them are left out, and said to be, instead of an error.
"""

from __future__ import annotations

from collections.abc import Callable
from platform import node
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.words.units import format_size
from ringscope.engine.base import free_places
from ringscope.engine.memory import cuda
from ringscope.engine.transports.shared_memory import MOUNT, SharedMemoryTransport

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_BUFFERS = 2  # the input and the result
_ASIDE = 1  # what an algorithm puts aside is at most as large as one of them, and elsewhere than in a tmpfs
_RESERVED_GPU_BYTES = 1 << 30  # for NCCL's buffers, kernels and the context, as in nccl-tests


class FittingSizes(NamedTuple):
    """The sizes that fit, and if these are not all, why."""

    sizes_bytes: list[int]
    lowered_max_bytes: int | None  # the largest of them; None: all sizes of the sweep fit
    because: str

    @classmethod
    def of(cls, comm: Communicator, spec: BenchmarkSpec, buffer_bytes: Callable[[int], int]) -> FittingSizes:
        """Return the sizes, equal on all ranks, at least the smallest one (collective).

        ``buffer_bytes`` returns how large a buffer is for a size. The allocation for a smallest size that does not fit
        either fails with its own sentence.
        """
        sizes = list(spec.sizes())
        room_bytes, place = _largest_buffer(comm)
        fitting = [size for size in sizes if buffer_bytes(size) <= room_bytes] or sizes[:1]
        if len(fitting) == len(sizes):
            return cls(sizes, None, "")
        remedy = f"; enlarge {MOUNT} (of a container with --shm-size)" if place.startswith(MOUNT) else ""
        because = (
            f"benchmark.max_bytes was lowered from {format_size(spec.max_bytes)} to {format_size(fitting[-1])}: "
            f"the buffers of larger sizes do not fit into {place}{remedy}."
        )
        return cls(fitting, fitting[-1], because)


def _largest_buffer(comm: Communicator) -> tuple[int, str]:
    """Return the bytes that each buffer may have on every rank, and what has no room for more (collective)."""
    if comm.gpu is not None:
        with cuda.telling(f"A rank on {node()}"):
            left_bytes = max(0, cuda.free_bytes() - _RESERVED_GPU_BYTES) // len(comm.gpu.ranks)
        own = {f"the memory of GPU {comm.gpu}": left_bytes // (_BUFFERS + _ASIDE)}
    else:
        mount = MOUNT if isinstance(comm.transport, SharedMemoryTransport) else None
        own = {
            place: left_bytes // comm.local_size // (_BUFFERS + _ASIDE * (place != mount))
            for place, left_bytes in free_places(mount).items()
        }
    place, own_bytes = min(own.items(), key=lambda item: item[1])
    least_bytes = -int(comm.maximum(np.array([-own_bytes]))[0])
    return least_bytes, f"{place} on {node()}" if own_bytes == least_bytes else "the memory of another node"
