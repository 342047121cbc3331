"""The one seam between NumPy and CuPy: all other modules call these functions and work on arrays of either.

CuPy calls only enqueue on the current stream; code that reads a result on the host uses ``to_host`` or ``copy``, which
wait for it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ringscope.engine.base import Array


def module_of(array: object) -> Any:
    """Return the module of an array: CuPy for GPU memory, else NumPy."""
    module: Any = sys.modules["cupy"] if is_on_gpu(array) else np
    return module


def is_on_gpu(array: object) -> bool:
    """Return whether this is a CuPy array; never imports CuPy."""
    cupy: Any = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


def is_array(value: object) -> bool:
    """Return whether the value is a NumPy or CuPy array."""
    return isinstance(value, np.ndarray) or is_on_gpu(value)


def address(array: Any) -> int:
    """Return the address of the array's memory; host and GPUs share one address space."""
    return int(array.data.ptr if is_on_gpu(array) else array.ctypes.data)


def is_writable(array: Any) -> bool:
    """Return whether the elements may be changed; a CuPy array is always writable."""
    return is_on_gpu(array) or bool(array.flags.writeable)


def overlap(first: Any, second: Any) -> bool:
    """Return whether two contiguous arrays share memory."""
    start, other = address(first), address(second)
    return bool(start < other + second.nbytes and other < start + first.nbytes)


def copy(target: Any, source: Any) -> None:
    """Copy between arrays of equal shape and dtype, in host or GPU memory; the host may change both afterwards."""
    match is_on_gpu(target), is_on_gpu(source):
        case False, False:
            np.copyto(target, source)
        case True, True:
            module_of(target).copyto(target, source)
        case True, False:
            target.set(source)
        case False, True:
            source.get(out=target)


def beside(array: Any, values: Array) -> Any:
    """Return host values in the memory of ``array``: the values themselves, or a copy on the GPU."""
    if not is_on_gpu(array):
        return values
    placed = module_of(array).empty(values.shape, values.dtype)
    placed.set(values)
    return placed


def to_host(array: Any) -> Array:
    """Return the array itself, or a host copy of an array in GPU memory."""
    host: Array = array.get() if is_on_gpu(array) else array
    return host
