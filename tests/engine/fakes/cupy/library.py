"""libnccl.so.2 as ctypes loads it, with the functions that CuPy has no names for; ``fake.nccl_lacks`` are missing."""

import ctypes
import itertools
from types import SimpleNamespace

import numpy as np

from cupy.script import fake

FILE = "libnccl.so.2"
communicators = {}  # by the number that is their address
allocated = {}  # by address
registered = {}  # address by communicator and handle
_handles = itertools.count()


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
    assert send != recv, "NCCL's all-to-all does not work in place"

    def work():
        if network:
            source = nccl._memory(send, count * network.size, dtype).copy()
            result = np.empty_like(source)
            network.Alltoall(source.view(np.uint8), result.view(np.uint8))
            nccl._memory(recv, count * network.size, dtype)[:] = result

    fake.now(work)


def ncclMemAlloc(pointer, size):  # noqa: N802
    memory = ctypes.create_string_buffer(b"\xa5" * size, size)
    pointer._obj.value = ctypes.addressof(memory)
    allocated[pointer._obj.value] = memory
    fake.record("ncclMemAlloc", size)


def ncclMemFree(pointer):  # noqa: N802
    assert pointer not in registered.values(), "freed while it is registered"
    fake.record("ncclMemFree", allocated.pop(pointer)._length_)


def ncclCommRegister(comm, pointer, size, handle):  # noqa: N802
    _register("ncclCommRegister", comm, pointer, size, handle)


def ncclCommWindowRegister(comm, pointer, size, window, flags):  # noqa: N802
    assert flags == 1, "not symmetric"
    if network := communicators[comm]._network:
        network.Barrier()  # it is collective
    _register("ncclCommWindowRegister", comm, pointer, size, window)


def forget(comm):
    """An abort knows no buffers any more."""
    for one in [one for one in registered if one[0] == comm]:
        del registered[one]


def _register(name, comm, pointer, size, handle):
    assert communicators[comm].comm == comm, "registered with a communicator that is gone"
    assert size <= allocated[pointer]._length_
    fake.record(name, size)
    if not fake.unregistered:
        handle._obj.value = 1 + next(_handles)
        registered[comm, handle._obj.value] = pointer


def ncclCommDeregister(comm, handle):  # noqa: N802
    registered.pop((comm, handle))
    fake.record("ncclCommDeregister")


def ncclCommWindowDeregister(comm, window):  # noqa: N802
    registered.pop((comm, window))
    fake.record("ncclCommWindowDeregister")


FUNCTIONS = {
    function.__name__: function
    for function in (
        *(ncclGetVersion, ncclAlltoAll, ncclMemAlloc, ncclMemFree),
        *(ncclCommRegister, ncclCommDeregister, ncclCommWindowRegister, ncclCommWindowDeregister),
    )
}
