# ruff: noqa: N802, N816 (the names are CuPy's and CUDA's)
"""cupy.cuda.runtime: devices, and handles between processes."""

import ctypes
import mmap
import os
from pathlib import Path

from cupy.script import fake

cudaIpcMemLazyEnablePeerAccess = 1
HANDLE_BYTES = 64
_memories = {}
_mapped = {}
_events = {}


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        super().__init__(f"cudaError{status}")


def getDeviceCount():
    return fake.gpus


def deviceGetPCIBusId(index):
    return f"0000:{index:02x}:00.0"


def memGetInfo():
    return 1 << 20, 2 << 20


def ipcGetMemHandle(ptr):
    fake.record("ipcGetMemHandle", ptr)
    if ptr not in _memories:
        raise CUDARuntimeError("InvalidValue: not the address of a cudaMalloc")
    descriptor, size = _memories[ptr]
    return f"{os.getpid()} {descriptor} {size}".encode().ljust(HANDLE_BYTES)


def ipcOpenMemHandle(handle, flags):
    assert flags == cudaIpcMemLazyEnablePeerAccess
    assert len(handle) == HANDLE_BYTES
    pid, descriptor, size = map(int, handle.split())
    if pid == os.getpid():
        raise CUDARuntimeError("InvalidContext: a handle of this process")
    with Path(f"/proc/{pid}/fd/{descriptor}").open("r+b") as file:
        found = mmap.mmap(file.fileno(), size)
    _mapped[address_of(found)] = found
    fake.record("ipcOpenMemHandle", pid)
    return address_of(found)


def ipcCloseMemHandle(ptr):
    fake.record("ipcCloseMemHandle", ptr)
    del _mapped[ptr]  # its memory stays until nobody uses the mapping: a late access is no crash here


def ipcGetEventHandle(ptr):
    if not _events[ptr]:
        raise CUDARuntimeError("InvalidResourceHandle: the event is not interprocess")
    return f"{os.getpid()} {ptr}".encode().ljust(HANDLE_BYTES)


def ipcOpenEventHandle(handle):
    pid, ptr = map(int, handle.split())
    assert pid != os.getpid()
    return -(pid * 1_000_000 + ptr)


def streamWaitEvent(stream, event, flags):
    assert flags == 0
    fake.record("streamWaitEvent", stream, event)


def eventDestroy(event):
    assert event < 0, "the owner destroys its own"
    fake.record("eventDestroy", event)


def address_of(mapping):
    return ctypes.addressof(ctypes.c_char.from_buffer(mapping))


def note_memory(ptr, descriptor, size):
    _memories[ptr] = (descriptor, size)


def forget_memory(ptr):
    os.close(_memories.pop(ptr)[0])


def note_event(ptr, interprocess):
    _events[ptr] = interprocess
