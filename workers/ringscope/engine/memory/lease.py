"""Memory leases: an array that is made from a lease, and all views of it, keep the lease alive; a callback runs when
it ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ringscope.engine.base import Array
from ringscope.engine.memory.arrays import is_on_gpu, module_of


class Lease:
    """A lease of bytes that another object owns. NumPy and CuPy keep it as the base of their arrays."""

    def __init__(self, memory: Array, ended: Callable[[], object]) -> None:
        """``ended`` is called once no array is left, in the thread that drops the last one: it must not wait."""
        self._memory = memory
        if not is_on_gpu(memory):
            self.__array_interface__ = memory.__array_interface__
        weakref.finalize(self, ended).atexit = False

    def array(self) -> Array:
        """Return the bytes as an array."""
        if not is_on_gpu(self._memory):
            return np.asarray(self)
        cupy: Any = module_of(self._memory)
        pointer: Any = self._memory.data
        owned = cupy.cuda.UnownedMemory(pointer.ptr, self._memory.nbytes, self, pointer.device_id)
        found: Array = cupy.ndarray(self._memory.shape, np.uint8, cupy.cuda.MemoryPointer(owned, 0))
        return found


def holder(x: Any) -> object:
    """Return the owner of an array's memory: all views of one leased array share it, and no other array does."""
    if is_on_gpu(x):
        return x.data.mem
    while isinstance(x, np.ndarray) and x.base is not None:
        x = x.base
    return x
