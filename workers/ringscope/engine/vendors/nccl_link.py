"""One NCCL communicator: how it comes to be, how calls are awaited, and how it is given up.

NCCL calls only enqueue, and a lost peer shows in no return value: the stream simply never ends. So the host looks at
the stream and at the communicator's asynchronous error in turn, and gives up after a timeout. A call that blocks
while it enqueues (the first exchange with a peer connects to it) is ended by a watchdog.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ringscope.engine.base import Scratch
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.cuda import TIMEOUT_SECONDS, Gpu, finishes, load
from ringscope.engine.waiting.watchdog import Watchdog

if TYPE_CHECKING:
    from mpi4py import MPI

_INVALID_ARGUMENT = 4
_FIRST_WITH_SHARED_GPU = 2_30_00
# What NCCL needs to run several ranks on one GPU: permission, few thread blocks each so that all fit, and no NVLink
# multicast, whose own check looks at the last pair of ranks only (NCCL 2.30, init.cc).
_SHARED_GPU_SETTINGS = {"NCCL_MULTI_RANK_GPU_ENABLE": "1", "NCCL_MAX_CTAS": "4", "NCCL_NVLS_ENABLE": "0"}
# dtype -> (NCCL's name, how many of them make one element); NCCL has no others.
_WIRE = {
    "int8": ("INT8", 1),
    "uint8": ("UINT8", 1),
    "int32": ("INT32", 1),
    "uint32": ("UINT32", 1),
    "int64": ("INT64", 1),
    "uint64": ("UINT64", 1),
    "float16": ("FLOAT16", 1),
    "bfloat16": ("BFLOAT16", 1),
    "float32": ("FLOAT32", 1),
    "float64": ("FLOAT64", 1),
    "complex64": ("FLOAT32", 2),
    "complex128": ("FLOAT64", 2),
}


def load_nccl() -> Any:
    """CuPy's NCCL module; EngineError when CuPy finds no NCCL."""
    load()
    try:
        from cupy.cuda import nccl
    except ImportError as error:
        raise EngineError(
            f"transport: nccl cannot be loaded ({error}); pip install nvidia-nccl-cu12 (or -cu13), "
            "or choose cuda_ipc on one node."
        ) from error
    if not nccl.available:
        raise EngineError("transport: this CuPy was built without NCCL; install the cupy-cuda12x or -cuda13x wheel.")
    return nccl


def version_text(version: int) -> str:
    """NCCL's version number for people: 23007 is 2.30.7; up to 2.8 one digit fewer was used."""
    major, rest = divmod(version, 10_000 if version >= 10_000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"


def check_versions(versions: Sequence[int], crowd: Sequence[int]) -> None:
    """Raise EngineError unless all ranks have one NCCL, which can also put the ``crowd`` on one GPU."""
    for rank, version in enumerate(versions):
        if version != versions[0]:
            raise EngineError(
                f"nccl: rank {rank} has NCCL {version_text(version)} but rank 0 has {version_text(versions[0])}; "
                "install the same version on every node."
            )
    if len(crowd) > 1 and versions[0] < _FIRST_WITH_SHARED_GPU:
        raise EngineError(
            f"nccl: ranks {', '.join(map(str, crowd))} share one GPU, which NCCL {version_text(versions[0])} cannot; "
            "start one rank per GPU, install nvidia-nccl-cu12>=2.30, or choose cuda_ipc."
        )


class NcclLink:
    """The communicator over all ranks of ``comm``, with a stream of its own."""

    def __init__(self, comm: MPI.Intracomm, gpu: Gpu, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._mpi, self._gpu, self._timeout = comm.Dup(), gpu, timeout_seconds
        self.rank, self.size = comm.rank, comm.size
        self._nccl, cuda = load_nccl(), load().cuda
        self._errors = (self._nccl.NcclError, cuda.runtime.CUDARuntimeError)
        self.stream = cuda.Stream(non_blocking=True)
        self._ready = cuda.Event(disable_timing=True)
        self.scratch = Scratch(load().empty)
        self._gave_up = ""
        self._is_grouped = False
        self.comm: Any = None
        self._connect()
        self._watchdog = Watchdog(lambda: self.comm.abort(), timeout_seconds)

    def wire(self, dtype: np.dtype[Any]) -> tuple[int, int]:
        """(NCCL's number of the type, how many of them make one element); EngineError when NCCL has none."""
        if dtype.name not in _WIRE:
            raise EngineError(f"dtype: NCCL has no {dtype.name}; choose one of {', '.join(_WIRE)}.")
        name, factor = _WIRE[dtype.name]
        return getattr(self._nccl, f"NCCL_{name}"), factor

    def op(self, op: str) -> int:
        """NCCL's number of a reduction."""
        return int(getattr(self._nccl, f"NCCL_{op.upper()}"))

    @contextmanager
    def group(self) -> Iterator[None]:
        """Calls inside start together at its end; it ends whatever happens, as its state belongs to the thread."""
        self._is_grouped = True
        self._nccl.groupStart()
        try:
            yield
        except BaseException:
            with suppress(self._nccl.NcclError):
                self._nccl.groupEnd()
            raise
        self._nccl.groupEnd()

    def execute(self, enqueue: Callable[[], None], where: Callable[[], str]) -> None:
        """Enqueue on the link's stream, after what the caller's stream holds, and wait until it is done.

        ``where`` tells in words how far the work is. Raises EngineError when a peer is lost or NCCL fails; the
        communicator is then gone until ``rebuild``, unless NCCL had refused an argument before anything started.
        """
        if self._gave_up:
            raise EngineError(f"{self._gave_up} Call rebuild() on every rank, or start the job again.")
        self._is_grouped = False
        self._ready.record()
        self.stream.wait_event(self._ready)
        try:
            with self._watchdog.guard(), self.stream:
                enqueue()
            in_time = finishes(self.stream, self._timeout, self.comm.check_async_error)
            if not in_time or self._watchdog.has_bitten:
                self._give_up(self._late(where()))
        except self._errors as error:
            if self._watchdog.has_bitten:
                self._give_up(self._late(self._place(where)))
            sentence = f"nccl: rank {self.rank} failed in {self._place(where)}: {error}."
            if getattr(error, "status", None) == _INVALID_ARGUMENT and not self._is_grouped:
                raise EngineError(sentence) from error
            self._give_up(sentence)

    def rebuild(self) -> None:
        """Make a new communicator in place of the old one (collective); a lost CUDA context cannot be rebuilt."""
        self.comm.abort()
        self._watchdog.close()
        cuda = load().cuda
        try:
            cuda.Device().synchronize()
        except cuda.runtime.CUDARuntimeError as error:
            raise EngineError(
                f"nccl: rank {self.rank} has lost its CUDA context ({error}); start the job again."
            ) from error
        self._connect()
        self._watchdog = Watchdog(lambda: self.comm.abort(), self._timeout)
        self._gave_up = ""

    def free(self) -> None:
        """Take the communicator down (collective); one that was given up is gone already."""
        self._watchdog.close()
        if not self._gave_up:
            self.stream.synchronize()
            self.comm.destroy()
        self._mpi.Free()

    def _connect(self) -> None:
        check_versions(self._mpi.allgather(self._nccl.get_version()), self._gpu.crowd)
        if len(self._gpu.crowd) > 1:
            for name, value in _SHARED_GPU_SETTINGS.items():
                os.environ.setdefault(name, value)
        unique_id = self._mpi.bcast(self._nccl.get_unique_id() if self.rank == 0 else None)
        try:
            self.comm = self._nccl.NcclCommunicator(self.size, unique_id, self.rank)
        except self._nccl.NcclError as error:
            raise EngineError(
                f"nccl: rank {self.rank} cannot join the communicator ({error}); NCCL_DEBUG=INFO tells more."
            ) from error

    def _place(self, where: Callable[[], str]) -> str:
        try:
            return where()
        except self._errors:  # after a CUDA error every question to CUDA is answered by it
            return "a call"

    def _late(self, where: str) -> str:
        return f"nccl: rank {self.rank} waited {self._timeout:g} s in {where}; a peer did not come or is lost."

    def _give_up(self, sentence: str) -> None:
        self._gave_up = f"{sentence} The communicator was aborted."
        self.comm.abort()
        raise EngineError(self._gave_up)
