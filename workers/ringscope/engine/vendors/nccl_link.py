"""One NCCL communicator: its creation, the wait for its calls, and its abort.

NCCL calls only enqueue, and no return value reports a lost peer: the stream simply never ends. So the host polls the
stream and the communicator's asynchronous error in turn, and aborts after a timeout. A call can also block while it
enqueues (the first exchange with a peer connects to it), and so can joining. Such a call cannot be ended: NCCL forbids
aborting a communicator while a call is in it, unless it is non-blocking, which CuPy does not support. So a watchdog
ends the gang.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ringscope.engine.base import Scratch
from ringscope.engine.errors import EngineError, LostRankError, RefusedError
from ringscope.engine.memory import cuda
from ringscope.engine.vendors.nccl_library import NcclLibrary
from ringscope.engine.vendors.nccl_report import NcclReport
from ringscope.engine.waiting.ended_peers import EndedPeers
from ringscope.engine.waiting.failures import share, shared_failure
from ringscope.engine.waiting.watchdog import Watchdog

if TYPE_CHECKING:
    from mpi4py import MPI

_INVALID_ARGUMENT = 4
_IN_PROGRESS = 7
_ABORT_SECONDS = 5.0  # wait for an abort before its error is reported: it may last until all ranks have aborted
_REMEDY = "pip install nvidia-nccl-cu12 (or -cu13), or choose cuda_ipc on one node"
_FIRST_WITH_SHARED_GPU = 2_30_00
# NCCL's requirements for several ranks on one GPU: permission, few thread blocks each so that all fit, and no NVLink
# multicast, whose own check considers only the last pair of ranks (NCCL 2.30, init.cc).
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
    """Return CuPy's NCCL module; EngineError if CuPy finds no NCCL."""
    cuda.load()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # CuPy's own message for the same
            from cupy.cuda import nccl
    except ImportError as error:
        raise EngineError(f"transport: nccl cannot be loaded ({error}); {_REMEDY}.") from error
    if not nccl.available:
        raise EngineError(f"transport: nccl cannot be loaded, because CuPy finds no libnccl.so.2; {_REMEDY}.")
    return nccl


def version_text(version: int) -> str:
    """Return NCCL's version number as text: 23007 is 2.30.7; up to 2.8 it had one digit less."""
    major, rest = divmod(version, 10_000 if version >= 10_000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"


def check_versions(versions: Sequence[int], ranks: Sequence[int]) -> None:
    """Raise EngineError unless all ranks have the same NCCL version, which must also support ``ranks`` on one GPU."""
    for rank, version in enumerate(versions):
        if version != versions[0]:
            raise EngineError(
                f"nccl: rank {rank} has NCCL {version_text(version)} but rank 0 has {version_text(versions[0])}; "
                "install the same version on every node."
            )
    if len(ranks) > 1 and versions[0] < _FIRST_WITH_SHARED_GPU:
        raise EngineError(
            f"nccl: ranks {', '.join(map(str, ranks))} share one GPU, which NCCL {version_text(versions[0])} cannot; "
            "start one rank per GPU, install nvidia-nccl-cu12>=2.30, or choose cuda_ipc."
        )


class NcclLink:
    """The communicator over all ranks of ``comm``, with its own stream."""

    def __init__(
        self,
        comm: MPI.Intracomm,
        gpu: cuda.Gpu,
        watchdog: Watchdog,
        timeout_seconds: float = cuda.TIMEOUT_SECONDS,
        ended: Callable[[], Sequence[int]] = list,
        reports: bool = False,
    ) -> None:
        """``watchdog`` must end the gang when it fires; ``ended`` returns the ranks whose processes have ended.

        NCCL itself does not report a process of the same node that has ended. With ``reports`` rank 0 asks NCCL for its
        log, which ``report`` reads.
        """
        self._ended = ended
        self._mpi, self._gpu, self._watchdog, self._timeout = comm.Dup(), gpu, watchdog, timeout_seconds
        self.rank, self.size = comm.rank, comm.size
        self._nccl, cupy = load_nccl(), cuda.load()
        self.library = NcclLibrary(self._nccl)
        # KeyError: CuPy 14 has no name for NCCL's status codes from 7 on.
        self._cuda_errors = cuda.errors()
        self._errors = (self._nccl.NcclError, KeyError, *self._cuda_errors)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.clock = cuda.StreamClock(self.stream)
        self._ready = cupy.cuda.Event(disable_timing=True)
        self.scratch = Scratch(cupy.empty)
        self._gave_up = ""
        self._aborting: threading.Thread | None = None
        self._is_grouped = False
        self.is_capturing = False  # events that are recorded meanwhile cannot be asked later
        self._capturing: Callable[[], str] | None = None  # describes the progress of what is being captured
        self._graph = ""  # what was enqueued last, if it is a CUDA graph; its steps report no progress
        self.comm: Any = None
        self.report = NcclReport() if reports and self.rank == 0 else None
        with nullcontext() if self.report is None else self.report.asked():
            self._connect()

    @property
    def version(self) -> str:
        """Return NCCL's version as text."""
        return version_text(self._nccl.get_version())

    @property
    def is_aborted(self) -> bool:
        """Return whether the communicator was given up."""
        return bool(self._gave_up)

    def shared_failure(self) -> AbstractContextManager[None]:
        """Raise an error of one rank in the block on all ranks (collective)."""
        return shared_failure(self._mpi)

    @contextmanager
    def telling(self, what: str) -> Iterator[None]:
        """Turn an error of NCCL or CUDA in the block into an EngineError: what this rank cannot do, and why."""
        try:
            yield
        except self._errors as error:
            raise EngineError(f"nccl: rank {self.rank} {what} ({_reason(error)}).") from error

    def wire(self, dtype: np.dtype[Any]) -> tuple[int, int]:
        """Return NCCL's number of the type and how many of them form one element; EngineError if NCCL does not have
        it.
        """
        if dtype.name not in _WIRE:
            raise EngineError(f"dtype: NCCL does not support {dtype.name}; choose one of {', '.join(_WIRE)}.")
        name, factor = _WIRE[dtype.name]
        return getattr(self._nccl, f"NCCL_{name}"), factor

    def op(self, op: str) -> int:
        """Return NCCL's number of a reduction."""
        return int(getattr(self._nccl, f"NCCL_{op.upper()}"))

    @contextmanager
    def group(self) -> Iterator[None]:
        """Group the calls in the block, which start together at its end; the group always ends, because its state
        belongs to the thread.
        """
        self._is_grouped = True
        self._nccl.groupStart()
        try:
            yield
        except BaseException:
            with suppress(*self._errors):
                self._nccl.groupEnd()
            raise
        self._nccl.groupEnd()

    def execute(self, calls: Callable[[], None], where: Callable[[], str]) -> None:
        """Enqueue ``calls`` and wait until they are done; raises as ``enqueue`` and ``wait`` do."""
        self.enqueue(calls, where)
        self.wait(where)

    def enqueue(self, calls: Callable[[], None], where: Callable[[], str]) -> None:
        """Enqueue on the link's stream, after the work of the caller's stream.

        ``where`` describes the progress of the work. Raises EngineError if NCCL fails; the communicator is then
        unusable until ``rebuild``, unless NCCL had refused an argument before anything started.
        """
        if self.is_capturing:
            self._capturing = where
            calls()
            self._capturing = None
            return
        self._graph = ""
        self._start(calls, where)

    def _start(self, calls: Callable[[], None], where: Callable[[], str]) -> None:
        self._require_use()
        try:
            self._ready.record()
            self.stream.wait_event(self._ready)
            with self._watchdog.guard("NCCL's calls"), self.stream:
                calls()
        except self._errors as error:
            self._fail(error, where)

    def capture(self, calls: Callable[[], None], name: str) -> Callable[[], None]:
        """Capture what ``calls`` enqueue on the link's stream as a CUDA graph, and return the call that enqueues it.

        Nothing of it is executed before that call. ``name`` says in errors what was captured. Raises as ``enqueue``
        does; the error of a capture names the step, and that of a graph says how to see it. The graph must be dropped
        before the communicator is destroyed: NCCL waits for it there.
        """
        self._require_use()
        graph: Any = None
        self._capturing = None
        try:
            with self._watchdog.guard("NCCL's calls"), self.stream:
                self.stream.begin_capture()
                self.is_capturing = True
                try:
                    calls()
                finally:
                    self.is_capturing = False
                    graph = self.stream.end_capture()
        except self._errors as error:
            step = f"{self._capturing()} of " if self._capturing else ""
            self._fail_in(f"{step}the capture of {name} as a CUDA graph", error)

        def launch() -> None:
            self._graph = f"an unknown step of a CUDA graph of {name} (run again without -G to see it)"
            self._start(lambda: graph.launch(self.stream), lambda: self._graph)

        return launch

    def _require_use(self) -> None:
        if self._gave_up:
            raise EngineError(f"{self._gave_up} Call rebuild() on every rank, or start the job again.")
        self._is_grouped = False

    def wait(self, where: Callable[[], str]) -> None:
        """Wait until everything that was enqueued is done.

        Raises EngineError if a peer is lost or NCCL fails; the communicator is then unusable until ``rebuild``.
        """
        if self._graph:
            where = partial(str, self._graph)
        try:
            in_time = cuda.finishes(self.stream, self._timeout, self._checks(where))
        except LostRankError as lost:
            self._gave_up = self._aborted(str(lost))
            raise
        except self._errors as error:
            self._fail(error, where)
        else:
            if not in_time:
                self._give_up(
                    f"nccl: rank {self.rank} waited {self._timeout:g} s in {where()}; a peer did not arrive or is lost."
                )

    def _fail(self, error: Exception, where: Callable[[], str]) -> None:
        """Raise an EngineError for an error of NCCL or CUDA."""
        # After a CUDA error no event seems done: the progress would always be the first step.
        self._fail_in(self._graph or ("a call" if isinstance(error, self._cuda_errors) else where()), error)

    def _fail_in(self, place: str, error: Exception) -> None:
        sentence = f"nccl: rank {self.rank} failed in {place}: {_reason(error)}."
        if getattr(error, "status", None) == _INVALID_ARGUMENT and not self._is_grouped:
            raise RefusedError(sentence) from error
        self._give_up(sentence)

    def rebuild(self) -> None:
        """Make a new communicator in place of the old one (collective); a lost CUDA context cannot be rebuilt."""
        if not self._has_aborted(self._timeout):
            raise EngineError(
                f"nccl: rank {self.rank} waited {self._timeout:g} s for all ranks to rebuild; start the job again."
            )
        with cuda.telling(f"nccl: rank {self.rank}"):
            cuda.load().cuda.Device().synchronize()
        self._connect()
        self._gave_up, self._aborting = "", None

    def free(self) -> None:
        """Destroy the communicator (collective); an aborted one is already destroyed."""
        if not self._gave_up:
            with cuda.telling(f"nccl: rank {self.rank}"):
                self.stream.synchronize()
            self.comm.destroy()
        self._mpi.Free()

    def _connect(self) -> None:
        check_versions(self._mpi.allgather(self._nccl.get_version()), self._gpu.ranks)
        if len(self._gpu.ranks) > 1:
            for name, value in _SHARED_GPU_SETTINGS.items():
                os.environ.setdefault(name, value)
        with self._watchdog.guard("joining NCCL's communicator"):
            unique_id, failure = None, None
            try:
                unique_id = self._nccl.get_unique_id() if self.rank == 0 else None
            except self._errors as error:
                failure = self._cannot_join(error)
            share(self._mpi, failure)
            unique_id = self._mpi.bcast(unique_id)
            try:
                self.comm = self._nccl.NcclCommunicator(self.size, unique_id, self.rank)
            except self._errors as error:
                # The error is not shared: the other ranks are in that call, and wait for this rank there until the
                # watchdog names it.
                raise self._cannot_join(error) from error
            self._mpi.Barrier()

    def _cannot_join(self, error: Exception) -> EngineError:
        return EngineError(
            f"nccl: rank {self.rank} cannot join the communicator ({_reason(error)}); set NCCL_DEBUG=INFO for details."
        )

    def _checks(self, where: Callable[[], str]) -> Callable[[], None]:
        """Return what is checked while the stream is awaited."""
        peers = EndedPeers(self.rank, self._ended, where)

        def check() -> None:
            try:
                self.comm.check_async_error()
            except KeyError as error:
                if error.args[0] != _IN_PROGRESS:
                    raise
            peers.look()

        return check

    def _give_up(self, sentence: str) -> None:
        self._gave_up = self._aborted(sentence)
        raise EngineError(self._gave_up)

    def _aborted(self, sentence: str) -> str:
        """Abort the communicator, and add to the sentence how far that has come."""
        has_aborted = self._has_aborted(min(_ABORT_SECONDS, self._timeout))
        return f"{sentence} The communicator {'was' if has_aborted else 'is being'} aborted."

    def _has_aborted(self, seconds: float) -> bool:
        """Abort in a thread of its own: NCCL may return from it only when all ranks do the same."""
        if self._aborting is None:
            self._aborting = threading.Thread(target=self._abort, name="ringscope-nccl-abort", daemon=True)
            self._aborting.start()
        self._aborting.join(seconds)
        return not self._aborting.is_alive()

    def _abort(self) -> None:
        # A thread begins with GPU 0 as its current one, on which NCCL would leave a context for each rank.
        with suppress(EngineError):
            self._gpu.use()
        self.comm.abort()


def _reason(error: Exception) -> str:
    return f"NCCL's status {error.args[0]}, which CuPy has no name for" if isinstance(error, KeyError) else str(error)
