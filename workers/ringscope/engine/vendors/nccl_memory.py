"""Buffers that NCCL has allocated and knows: registered with its communicator, or its symmetric windows.

NCCL can then copy without staging, over NVLink SHARP too, and from 2.27 on its symmetric kernels work on windows.
nccl-tests has the same as ``-R 1`` and ``-R 2``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringscope.engine.base import Array
from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda

if TYPE_CHECKING:
    from ringscope.engine.vendors.nccl_link import NcclLink

_WINDOWS = 2
_SYMMETRIC = 1  # NCCL_WIN_COLL_SYMMETRIC
_FUNCTIONS = ("ncclMemAlloc", "ncclMemFree", "ncclCommRegister", "ncclCommDeregister")
_FUNCTIONS_OF_WINDOWS = ("ncclMemAlloc", "ncclMemFree", "ncclCommWindowRegister", "ncclCommWindowDeregister")


class NcclMemory:
    """The buffers of one communicator: all of them are registered while it exists."""

    def __init__(self, link: NcclLink, gpu: cuda.Gpu, registration: int) -> None:
        """EngineError if the loaded NCCL lacks a function that ``registration`` 1 or 2 needs."""
        self._link, self._gpu = link, gpu
        self._is_windows = registration == _WINDOWS
        needed = _FUNCTIONS_OF_WINDOWS if self._is_windows else _FUNCTIONS
        for name in needed:
            if not link.library.has(name):
                since = "2.27" if self._is_windows else "2.19"
                raise EngineError(
                    f"registration: {registration} needs NCCL's {name}, which the loaded NCCL {link.version} does not "
                    f"offer; install NCCL {since} or later, or give {registration - 1}."
                )
        self._handles: dict[int, int] = {}  # by address
        self._sizes: dict[int, int] = {}

    def allocate(self, size_bytes: int) -> Array:
        """Return zeroed bytes that are registered (collective); they live until ``free``.

        Raises OutOfMemoryError on every rank if one has too little memory, EngineError if NCCL refuses.
        """
        link, cupy = self._link, cuda.load()
        address = 0
        with link.shared_failure():  # before the others wait for this rank in NCCL
            cuda.require_memory(size_bytes)
            with link.telling(f"cannot allocate a buffer of {size_bytes} bytes"):
                address = link.library.address("ncclMemAlloc", last=(size_bytes,))
        self._sizes[address] = size_bytes
        with link.shared_failure():
            self._register(address)
        memory = cupy.cuda.UnownedMemory(address, size_bytes, self, self._gpu.index)
        array: Array = cupy.ndarray((size_bytes,), "uint8", cupy.cuda.MemoryPointer(memory, 0))
        array.fill(0)
        return array

    def register(self) -> None:
        """Register all buffers with a new communicator (collective)."""
        self._handles.clear()
        for address in self._sizes:
            self._register(address)

    def deregister(self) -> None:
        """Deregister all buffers before the communicator is destroyed; an aborted one knows none any more."""
        if self._link.is_aborted:
            return
        name = "ncclCommWindowDeregister" if self._is_windows else "ncclCommDeregister"
        with cuda.telling(f"nccl: rank {self._link.rank}"):
            self._link.stream.synchronize()
        for handle in self._handles.values():
            with self._link.telling("cannot deregister a buffer"):
                self._link.library.call(name, self._link.comm.comm, handle)

    def free(self) -> None:
        """Free all buffers; no array of them may be used afterwards."""
        for address in self._sizes:
            with self._link.telling("cannot free a buffer"):
                self._link.library.call("ncclMemFree", address)
        self._sizes.clear()

    def _register(self, address: int) -> None:
        arguments = self._link.comm.comm, address, self._sizes[address]
        with self._link.telling("cannot register a buffer"):
            if self._is_windows:
                handle = self._link.library.address("ncclCommWindowRegister", *arguments, last=(_SYMMETRIC,))
            else:
                handle = self._link.library.address("ncclCommRegister", *arguments)
        if not handle:
            raise EngineError(
                f"registration: NCCL took a buffer of rank {self._link.rank} without registering it, as where GPUs do "
                "not reach each other's memory, or where NCCL_CUMEM_ENABLE or NCCL_LOCAL_REGISTER is 0; give 0."
            )
        self._handles[address] = handle
