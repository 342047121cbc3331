"""libnccl.so.2 as ctypes loads it, with the functions that CuPy has no names for; ``fake.nccl_lacks`` are missing."""

import ctypes
from types import SimpleNamespace

import numpy as np

from cupy.script import fake

FILE = "libnccl.so.2"
communicators = {}  # by the number that is their address


def install():
    """Let ctypes find the library under its name; the fixture of the fake undoes it."""

    class CDLL(ctypes.CDLL):
        def __new__(cls, name, *arguments, **keywords):
            if name == FILE:
                return library()
            return super().__new__(cls)

    if ctypes.CDLL.__module__ != __name__:
        ctypes.CDLL = CDLL


def library():
    made = {name: _status(function) for name, function in FUNCTIONS.items() if name not in fake.nccl_lacks}
    return SimpleNamespace(**made)


def _status(function):
    """The function as ctypes has it: argtypes may be set, and it returns NCCL's status."""

    def call(*arguments):
        if function.__name__ in fake.refused:
            return fake.refused[function.__name__]
        function(*arguments)
        return 0

    return call


def ncclGetVersion(version):  # noqa: N802
    version._obj.value = fake.nccl_version


def ncclAlltoAll(send, recv, count, dtype, comm, stream):  # noqa: N802
    from cupy.cuda import nccl

    communicator = communicators[comm]
    communicator._call("ncclAlltoAll", send, recv, count, dtype, stream)
    network = communicator._network
    if network:
        assert send != recv, "NCCL's all-to-all does not work in place"
        source = nccl._memory(send, count * network.size, dtype).copy()
        result = np.empty_like(source)
        network.Alltoall(source.view(np.uint8), result.view(np.uint8))
        nccl._memory(recv, count * network.size, dtype)[:] = result


FUNCTIONS = {function.__name__: function for function in (ncclGetVersion, ncclAlltoAll)}
