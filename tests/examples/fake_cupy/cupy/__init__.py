"""A fake of the parts of CuPy that nccl_mpi_demo.py uses, on NumPy and MPI.

FAKE_GPUS is the number of devices that each process has. With FAKE_GPUS_APART each rank sees other devices than its
neighbours.

It refuses what the real CuPy would: a communicator without a chosen device, a result that is read before its stream is
synchronized.
"""

from types import SimpleNamespace

import numpy as np

from cupy import cuda
from cupy.cuda import memory

float32 = np.float32


class ndarray(np.ndarray):  # noqa: N801 (CuPy's name)
    """An array that is known by its address, and readable once the stream has passed."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def __ne__(self, other):
        assert not memory.pending, "read before the stream has passed"
        return np.asarray(self) != other


def full(count, value, dtype):
    return remembered(np.full(count, value, dtype))


def empty_like(array):
    return remembered(np.full_like(np.asarray(array), np.nan))


def remembered(array):
    memory.arrays[array.ctypes.data] = array
    return array.view(ndarray)


__all__ = ["cuda", "empty_like", "float32", "full", "ndarray"]
