"""Our own kernels on CuPy arrays: the launch of what ``kernel_source`` writes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ringscope.engine.base import components
from ringscope.engine.memory.arrays import address
from ringscope.engine.memory.kernel_source import (
    DIVIDE,
    OPERATIONS,
    OPTIONS,
    combine_name,
    combine_source,
    divide_source,
)

MOST_ARRAYS = 16  # a thread holds a pack of each input in its registers
_THREADS = 256  # threads of a block
_BLOCKS_PER_PROCESSOR = 8  # as many as fit at once: more would only begin and end
_PACK_BYTES = 16


class Combine:
    """Combines ``inputs`` arrays from left to right into ``results`` arrays, all of one type and length."""

    def __init__(self, cupy: Any, op: str, inputs: int, results: int) -> None:
        self._cupy, self._op, self._inputs, self._results = cupy, op, inputs, results
        self.name = combine_name(op, inputs, results)

    def __call__(self, *arrays: Any) -> None:
        """Enqueue it on the current stream."""
        numbers = [components(array) for array in arrays]
        _launch(_combine(self._cupy, str(numbers[0].dtype), self._op, self._inputs, self._results), self._cupy, numbers)


class Divide:
    """Turns a sum over ``ranks`` ranks into a mean, in place."""

    name = DIVIDE

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy

    def __call__(self, ranks: int, array: Any) -> None:
        """Enqueue it on the current stream."""
        numbers = components(array)
        _launch(_divide(self._cupy, str(numbers.dtype)), self._cupy, [numbers], ranks)


def has_own(op: str, arrays: int) -> bool:
    """Return whether there is such a kernel; complex numbers are twice as many real ones."""
    return op in OPERATIONS and arrays <= MOST_ARRAYS


def _launch(kernel: Any, cupy: Any, arrays: list[Any], *numbers: int) -> None:
    first = arrays[0]
    if not first.size:
        return
    threads = -(-first.nbytes // _PACK_BYTES)
    blocks = min(-(-threads // _THREADS), _processors(cupy) * _BLOCKS_PER_PROCESSOR)
    given = [*map(address, arrays), *numbers, first.size]
    kernel((blocks,), (_THREADS,), tuple(np.uint64(one) for one in given))


@cache
def _processors(cupy: Any) -> int:
    return int(cupy.cuda.Device().attributes["MultiProcessorCount"])


@cache
def _combine(cupy: Any, dtype: str, op: str, inputs: int, results: int) -> Any:
    return cupy.RawKernel(
        combine_source(dtype, op, inputs, results), combine_name(op, inputs, results), OPTIONS, backend="nvrtc"
    )


@cache
def _divide(cupy: Any, dtype: str) -> Any:
    return cupy.RawKernel(divide_source(dtype), DIVIDE, OPTIONS, backend="nvrtc")
