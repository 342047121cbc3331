"""Memory of the buffers that MPI transfers, and its arithmetic: NumPy in host memory, CuPy in GPU memory.

MPI does not use streams, so ``wait`` runs before MPI reads or writes any buffer.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from platform import node
from typing import Any, Protocol

import numpy as np

from ringscope.contracts.words.devices import MPI_ON_GPUS
from ringscope.contracts.words.units import format_size
from ringscope.engine.base import Array
from ringscope.engine.errors import OutOfMemoryError
from ringscope.engine.memory import arithmetic, cuda
from ringscope.engine.memory.arithmetic import Reduction
from ringscope.engine.memory.kernels import compile_reduction, divide, pairwise


class Memory(Protocol):
    """Host or GPU memory."""

    @property
    def name(self) -> str:
        """The name of transport mpi in records for buffers in this memory."""

    def allocate(self, size_bytes: int) -> Array:
        """Allocate zeroed bytes that MPI can access."""

    def empty(self, size: int, dtype: str) -> Array:
        """Allocate an uninitialized array, as NumPy's ``empty``, for data that is received separately."""

    def reduction(self, op: str, dtype: np.dtype[Any], ranks: int) -> Reduction:
        """Return the operation over ``ranks`` ranks, on arrays in this memory."""

    def computing(self) -> AbstractContextManager[object]:
        """Return the context in which a call does its additions."""

    def wait(self) -> None:
        """Wait until all requested work is done: the arrays are then ready for MPI."""


class HostMemory:
    """Plain memory: MPI accepts any, and NumPy has finished when it returns."""

    name = "mpi"

    def allocate(self, size_bytes: int) -> Array:
        """Allocate from NumPy; OutOfMemoryError if the process may not have so much."""
        try:
            return np.zeros(size_bytes, np.uint8)
        except MemoryError as error:
            raise OutOfMemoryError(
                f"A buffer needs {format_size(size_bytes)} but a rank on {node()} may not allocate that much; raise "
                "its ulimit -v, or lower max_bytes."
            ) from error

    def empty(self, size: int, dtype: str) -> Array:
        """Allocate from NumPy."""
        return np.empty(size, dtype)

    def reduction(self, op: str, dtype: np.dtype[Any], ranks: int) -> Reduction:
        """Return NumPy's operation, or a faster one for half precision."""
        return arithmetic.reduction(op, dtype, ranks)

    def computing(self) -> AbstractContextManager[object]:
        """Suppress NumPy's warnings of overflow and invalid values."""
        return np.errstate(over="ignore", invalid="ignore")

    def wait(self) -> None:
        """Do nothing: there is nothing to wait for."""


class GpuMemory:
    """Memory of this rank's GPU, which must be current, for a CUDA-aware MPI; kernels use the caller's stream."""

    def __init__(self, rank: int, gpu: cuda.Gpu, timeout_seconds: float = cuda.TIMEOUT_SECONDS) -> None:
        self.name = gpu.label(MPI_ON_GPUS)
        self._rank, self._timeout = rank, timeout_seconds
        self._cupy = cuda.load()

    def allocate(self, size_bytes: int) -> Array:
        """Allocate from CuPy's pool."""
        array: Array = cuda.allocate(size_bytes, pooled=True)
        return array

    def empty(self, size: int, dtype: str) -> Array:
        """Allocate from CuPy's pool."""
        array: Array = self._cupy.empty(size, dtype)
        return array

    def reduction(self, op: str, dtype: np.dtype[Any], ranks: int) -> Reduction:
        """Return the kernels of the other GPU transports, which support every dtype."""
        compile_reduction(self._cupy, op, dtype)
        finish = partial(_divide, self._cupy, ranks) if op == "avg" else None
        return Reduction(pairwise(self._cupy, op), finish)

    def computing(self) -> AbstractContextManager[object]:
        """Do nothing: a GPU does not report overflows."""
        return nullcontext()

    def wait(self) -> None:
        """Wait until the caller's stream is empty; EngineError if the GPU fails or exceeds the timeout."""
        stream = self._cupy.cuda.get_current_stream()
        cuda.wait(stream, self._timeout, f"mpi: rank {self._rank}", ", which hangs")


def _divide(cupy: Any, ranks: int, result: Array) -> None:
    divide(cupy, result, ranks)
