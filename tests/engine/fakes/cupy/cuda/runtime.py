# ruff: noqa: N802, N816 (the names are CuPy's and CUDA's)
"""cupy.cuda.runtime: devices, and handles between processes."""

import ctypes
import fcntl
import mmap
import os
import sys
from pathlib import Path

from cupy.script import fake

cudaIpcMemLazyEnablePeerAccess = 1
HANDLE_BYTES = 64
_memories = {}
_mapped = {}
_events = {}


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"cudaError{status}")


def require_health():
    if fake.status:
        raise CUDARuntimeError(fake.status)


def getDeviceCount():
    return fake.gpus if fake.bus_ids is None else len(fake.bus_ids)


def deviceGetPCIBusId(index):
    return f"0000:{index:02x}:00.0" if fake.bus_ids is None else fake.bus_ids[index]


def streamQuery(stream):
    """Return the status as CuPy's function does, whatever it is; nothing is raised."""
    if fake.status:
        return fake.status
    if not fake.is_stuck:
        fake.advance()
    return 600 if fake.is_stuck or fake.pending else 0


def driverGetVersion():
    return 13000


def getDeviceProperties(index):
    uuid = deviceGetPCIBusId(index) if fake.uuids is None else fake.uuids[index]
    return {"name": b"a fake", "uuid": uuid.encode()}


def memGetInfo():
    return fake.free_bytes, 1 << 41


def ipcGetMemHandle(ptr):
    require_health()
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
    file = Path(f"/proc/{pid}/fd/{descriptor}").open("r+b")  # noqa: SIM115 (for as long as the mapping)
    fcntl.flock(file, fcntl.LOCK_SH)  # its owner sees that somebody has it
    found = mmap.mmap(file.fileno(), size)
    _mapped[address_of(found)] = found, file
    fake.record("ipcOpenMemHandle", pid)
    return address_of(found)


def ipcCloseMemHandle(ptr):
    fake.record("ipcCloseMemHandle", ptr)
    _mapped.pop(ptr)[1].close()  # its memory stays until nobody uses the mapping: a late access is no crash here


def ipcGetEventHandle(ptr):
    require_health()
    if not _events[ptr]:
        raise CUDARuntimeError("InvalidResourceHandle: the event is not interprocess")
    return f"{os.getpid()} {ptr}".encode().ljust(HANDLE_BYTES)


def ipcOpenEventHandle(handle):
    pid, ptr = map(int, handle.split())
    assert pid != os.getpid()
    return -(pid * 1_000_000 + ptr)


def streamWaitEvent(stream, event, flags):
    assert flags == 0
    require_health()
    fake.record("streamWaitEvent", stream, event)


def eventDestroy(event):
    assert event < 0, "the owner destroys its own"
    fake.record("eventDestroy", event)


def address_of(mapping):
    return ctypes.addressof(ctypes.c_char.from_buffer(mapping))


def note_memory(ptr, descriptor, size):
    _memories[ptr] = (descriptor, size)


def forget_memory(ptr):
    """The end of the process when a peer has it mapped: what CUDA then does is undefined."""
    descriptor, _ = _memories.pop(ptr)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("the fake: memory was freed that a peer has mapped\n")
        sys.stderr.flush()
        os._exit(97)
    os.close(descriptor)


def note_event(ptr, interprocess):
    _events[ptr] = interprocess
