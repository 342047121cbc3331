"""cupy.cuda: streams and events whose work is done as soon as it is enqueued, unless the script says otherwise."""

import itertools
import mmap
import os

from cupy.cuda import memory, runtime
from cupy.script import fake

__all__ = [
    "Device", "Event", "Memory", "MemoryPointer", "Stream", "UnownedMemory", "get_current_stream", "memory", "runtime",
]  # fmt: skip

_numbers = itertools.count(1000)
_current = [0]


def current_stream():
    return _current[-1]


class Device:
    def __init__(self, index=0):
        self.id = index

    def use(self):
        assert 0 <= self.id < fake.gpus
        fake.record("use", self.id)

    def synchronize(self):
        fake.record("synchronize_device")


class Stream:
    def __init__(self, non_blocking=False):
        self.ptr = next(_numbers)

    def __enter__(self):
        _current.append(self.ptr)
        return self

    def __exit__(self, *error):
        _current.pop()

    @property
    def done(self):
        if not fake.is_stuck:
            fake.catch_up()
        return not fake.is_stuck

    def wait_event(self, event):
        fake.record("wait_event", event.ptr, self.ptr)

    def synchronize(self):
        assert self.done, "this would hang"


def get_current_stream():
    stream = Stream.__new__(Stream)
    stream.ptr = current_stream()
    return stream


class Event:
    def __init__(self, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise ValueError("Timing must be disabled for interprocess events")
        self.ptr = next(_numbers)
        self._is_stuck = False
        runtime.note_event(self.ptr, interprocess)

    def record(self, stream=None):
        if stream is not None:
            fake.events += 1
            self._is_stuck = fake.is_stuck
        fake.record("record", self.ptr, current_stream() if stream is None else stream.ptr)

    @property
    def done(self):
        return not self._is_stuck


class Memory:
    """An allocation that other processes can map, through the file descriptor that its handle names."""

    def __init__(self, size):
        descriptor = os.memfd_create("fake-gpu-memory")
        os.ftruncate(descriptor, size)
        self._map = mmap.mmap(descriptor, size)
        self.size, self.ptr = size, runtime.address_of(self._map)
        runtime.note_memory(self.ptr, descriptor, size)

    def __del__(self):
        fake.record("free", self.ptr)
        runtime.forget_memory(self.ptr)


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, mem.ptr + offset


class UnownedMemory:
    def __init__(self, ptr, size, owner):
        self.ptr, self.size, self.owner = ptr, size, owner
