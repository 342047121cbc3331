"""cupy.cuda: streams and events whose work is done as soon as it is enqueued, unless the script says otherwise."""

import copy
import itertools
import mmap
import os
import time

from cupy.cuda import driver, memory, nvrtc, runtime
from cupy.script import fake

__all__ = [
    "Device", "Event", "Graph", "Memory", "MemoryPointer", "Stream", "UnownedMemory", "driver", "get_current_stream",
    "get_elapsed_time", "memory", "nvrtc", "runtime",
]  # fmt: skip

_numbers = itertools.count(1000)
_current = [0]


def current_stream():
    return _current[-1]


class Device:
    def __init__(self, index=None):
        self.id = fake.device if index is None else index

    attributes = {"MultiProcessorCount": 2}

    def use(self):
        assert 0 <= self.id < runtime.getDeviceCount()
        runtime.require_health()
        fake.device = self.id
        fake.record("use", self.id)

    def synchronize(self):
        runtime.require_health()
        fake.record("synchronize_device")


class Stream:
    def __init__(self, non_blocking=False):
        self.ptr, self._device = next(_numbers), fake.device

    def __enter__(self):
        if self._device != fake.device:
            raise RuntimeError(
                f"The device that the stream is created on ({self._device}) does not match with the current device "
                f"({fake.device})"
            )
        _current.append(self.ptr)
        return self

    def __exit__(self, *error):
        _current.pop()

    @property
    def done(self):
        return runtime.streamQuery(self.ptr) == 0  # so an error means "not done", as with the real one

    def wait_event(self, event):
        runtime.require_health()
        assert fake.captured is None, "the event is of no stream that is captured"
        fake.record("wait_event", event.ptr, self.ptr)

    def synchronize(self):
        runtime.require_health()
        assert not fake.is_stuck, "this would hang"
        fake.catch_up()

    def begin_capture(self, mode=None):
        assert fake.captured is None and current_stream() == self.ptr
        fake.record("begin_capture", self.ptr)
        fake.captured = []

    def end_capture(self):
        fake.record("end_capture", self.ptr)
        works, fake.captured = fake.captured, None
        return Graph(works)


def get_current_stream():
    stream = Stream.__new__(Stream)
    stream.ptr = current_stream()
    return stream


class Graph:
    """Work that nobody has done yet, as often as it is launched."""

    def __init__(self, works):
        self._works = works

    def launch(self, stream=None):
        runtime.require_health()
        fake.record("launch", current_stream() if stream is None else stream.ptr)
        for work in self._works:
            fake.do(copy.copy(work))

    def upload(self, stream=None):
        fake.record("upload")


class Event:
    def __init__(self, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise ValueError("Timing must be disabled for interprocess events")
        self.ptr = next(_numbers)
        self._is_done = True
        self._disable_timing = disable_timing
        self._finished_ns = None
        runtime.note_event(self.ptr, interprocess)

    def record(self, stream=None):
        runtime.require_health()
        assert fake.captured is None, "CUDA answers no question about an event of a graph"
        fake.record("record", self.ptr, current_stream() if stream is None else stream.ptr)
        if stream is None:
            return
        self._finished_ns = None
        fake.events += 1
        self._is_done = False
        if not fake.is_stuck:
            fake.do(self._finish)

    def _finish(self):
        self._is_done = True
        self._finished_ns = time.perf_counter_ns()

    @property
    def done(self):
        return self._is_done and not fake.status


def get_elapsed_time(start_event, end_event):
    """Milliseconds; CUDA refuses events without times, and those that were not reached."""
    for event in (start_event, end_event):
        if event._disable_timing or event._finished_ns is None:
            raise runtime.CUDARuntimeError("NotReady or InvalidResourceHandle")
    return (end_event._finished_ns - start_event._finished_ns) / 1e6


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
    def __init__(self, ptr, size, owner, device_id=-1):
        # Left out, it would be the owner's: CuPy then looks for peer access and warns, at every launch.
        assert device_id == fake.device, "memory for kernels of another GPU than the current one"
        self.ptr, self.size, self.owner = ptr, size, owner
