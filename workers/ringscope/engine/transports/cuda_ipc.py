"""Transport cuda_ipc: the GPUs of one node read and write each other's memory, by kernels of our own.

Execution follows shared_memory's two ways, hub and stepwise. The progress counters show the hosts how far a rank has
*enqueued*, events show the GPUs how far it has *run*: a rank waits on the host until its peer has recorded the event,
then lets its own stream wait for it. The awaited work is always already enqueued, so no two ranks can wait for each
other; and nothing spins on the GPU, where processes that share one are time-sliced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from mpi4py import MPI

from ringscope.engine.base import Buffer, Plan, Scratch, cut
from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.memory.arrays import address, module_of
from ringscope.engine.memory.kernels import combine, compile_now, finishing, has_kernel, pairwise
from ringscope.engine.transports.hazards import ENTERED, Action, Waits, programs
from ringscope.engine.transports.progress import Progress
from ringscope.engine.waiting.ended_peers import EndedPeers
from ringscope.engine.waiting.failures import shared_failure
from ringscope.schedules.schedule import Chunk, Hub, Schedule, hubs

_FINISHED = ENTERED + 1
# cudaMalloc cuts smaller pieces out of a block, and a handle refers to the block: only whole blocks begin at their
# address.
_BLOCK_BYTES = 2 << 20
_EVENTS = 2  # per rank, used in turn, so that a peer seldom waits for more than the action that it needs
_Bound = tuple[Waits, int, Callable[[], Any]]


class CudaIpcTransport:
    """Executes schedules in GPU memory that all ranks of ``comm`` map; they must share one node."""

    def __init__(self, comm: MPI.Intracomm, gpu: cuda.Gpu, timeout_seconds: float = cuda.TIMEOUT_SECONDS) -> None:
        node = MPI.Intracomm(comm.Split_type(MPI.COMM_TYPE_SHARED, key=comm.rank))
        if comm.allreduce(node.size, MPI.MIN) != comm.size:
            node.Free()
            raise EngineError(
                f"transport: cuda_ipc needs all {comm.size} ranks on one node, but they are on several; choose nccl."
            )
        self._node, self._gpu = node, gpu
        self.name = gpu.label("cuda_ipc")
        self._gate = _Gate(node, timeout_seconds)
        self._opened: list[int] = []
        self._exported: list[Any] = []  # kept until no peer has it open: otherwise CUDA's behaviour is undefined

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate memory on every rank's GPU, which all ranks map."""
        whole = max(-(-size_bytes // _BLOCK_BYTES), 1) * _BLOCK_BYTES
        with _shared_failure(self._node):
            local = cuda.allocate(whole, pooled=False)
            with _sharing(self._node.rank):
                handle = cuda.load().cuda.runtime.ipcGetMemHandle(address(local))
        self._exported.append(local)
        handles = self._node.allgather(handle)
        with _shared_failure(self._node):
            parts = tuple(
                local if r == self._node.rank else self._open(r, handles[r], whole) for r in range(len(handles))
            )
        return Buffer(local, parts).head(size_bytes)

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Plan hub execution if the schedule and the kernels allow it, else stepwise execution."""
        found = hubs(schedule)
        if found is not None and all(has_kernel(op, len(h.sources) + len(h.destinations) + 2) for h in found):
            return _HubPlan(self._gate, schedule, found, op, send, recv)
        return _StepwisePlan(self._gate, schedule, op, send, recv)

    def free(self) -> None:
        """Free all memory (collective): every rank unmaps its peers' memory before the owners free theirs."""
        runtime = cuda.load().cuda.runtime
        self._gate.drain()
        for pointer in self._opened:
            runtime.ipcCloseMemHandle(pointer)
        self._gate.free()
        self._node.Barrier()
        self._exported.clear()
        self._node.Free()

    def _open(self, rank: int, handle: bytes, size_bytes: int) -> Any:
        cupy = cuda.load()
        runtime = cupy.cuda.runtime
        try:
            pointer = runtime.ipcOpenMemHandle(handle, runtime.cudaIpcMemLazyEnablePeerAccess)
        except runtime.CUDARuntimeError as error:
            raise EngineError(
                f"cuda_ipc: rank {self._node.rank} cannot reach the GPU memory of rank {rank} ({error}), which needs "
                "peer access between both GPUs, and both GPUs' device files in each process: a container for each rank "
                "or Slurm's ConstrainDevices hides them; show them, or choose nccl."
            ) from error
        self._opened.append(pointer)
        # The array is tagged with this rank's GPU, whose kernels use it: with the owner's, CuPy would check and warn at
        # every launch.
        memory = cupy.cuda.UnownedMemory(pointer, size_bytes, self, self._gpu.index)
        return cupy.ndarray((size_bytes,), "uint8", cupy.cuda.MemoryPointer(memory, 0))


@contextmanager
def _shared_failure(node: MPI.Intracomm) -> Iterator[None]:
    """Raise a CUDA error of one rank on all ranks of the node, and let no rank return before the others
    (collective).
    """
    with shared_failure(node), cuda.telling(f"cuda_ipc: rank {node.rank}"):
        yield


@contextmanager
def _sharing(rank: int) -> Iterator[None]:
    """Explain a failure of the calls that make and open handles, which says nothing about the GPU itself."""
    failed = cuda.errors()
    try:
        yield
    except failed as error:
        raise EngineError(
            f"cuda_ipc: rank {rank} cannot share GPU memory with other processes ({error}), as with MIG, in WSL and on "
            "some virtual GPUs; choose nccl."
        ) from error


class _Gate:
    """Progress of every rank, for hosts (counters) and for GPUs (events); all calls use one stream."""

    def __init__(self, node: MPI.Intracomm, timeout_seconds: float) -> None:
        self._cuda, self._timeout = cuda.load().cuda, timeout_seconds
        runtime = self._cuda.runtime
        self.rank, self.size = node.rank, node.size
        self.scratch = Scratch(cuda.load().empty)
        with _shared_failure(node):
            self.stream = self._cuda.Stream(non_blocking=True)
            self._ready = self._cuda.Event(disable_timing=True)
            self._own = [self._cuda.Event(disable_timing=True, interprocess=True) for _ in range(_EVENTS)]
            with _sharing(node.rank):
                handles = [runtime.ipcGetEventHandle(event.ptr) for event in self._own]
        everyone = node.allgather(handles)
        with _shared_failure(node), _sharing(node.rank):
            self._peers = {
                rank: [runtime.ipcOpenEventHandle(handle) for handle in handles]
                for rank, handles in enumerate(everyone)
                if rank != node.rank
            }
        self._progress = Progress(node, timeout_seconds)

    def execute(self, enqueue: Callable[[], None], last: Sequence[int], finishing: Sequence[Callable[[], Any]]) -> None:
        """Run one call until it is done: ``enqueue``, then ``finishing``, which concerns only this rank.

        Its input is the work that the caller's stream has enqueued so far; rank r's progress goes up to ``last[r]``.
        """
        who = f"cuda_ipc: rank {self.rank}"
        with cuda.telling(who):
            self._ready.record()
            self.stream.wait_event(self._ready)
            self.reach(ENTERED)
            with self.stream:
                enqueue()
                for kernel in finishing:
                    kernel()
            peers = EndedPeers(self.rank, self._progress.ended, lambda: "a call on its GPU")
            cuda.wait(self.stream, self._timeout, who, "; a peer is lost or its GPU hangs", peers.look)
        self._progress.finish(last)

    def reach(self, progress: int) -> None:
        """Publish that everything up to ``progress`` is enqueued."""
        self._own[progress % _EVENTS].record(self.stream)
        self._progress.publish(progress)

    def await_(self, waits: Waits, step: int = 0) -> None:
        """Let the stream wait for the peers' work up to each (peer, progress).

        StalledError, which names the peer and ``step``, if a peer does not get there within the timeout.
        """
        self._progress.await_(waits, step)
        for peer, progress in waits:
            # If an event was recorded again in the meantime, it marks a later point of the same stream, which is also
            # correct.
            self._cuda.runtime.streamWaitEvent(self.stream.ptr, self._peers[peer][progress % _EVENTS], 0)

    def drain(self) -> None:
        """Wait for the GPU."""
        with cuda.telling(f"cuda_ipc: rank {self.rank}"):
            self.stream.synchronize()

    def free(self) -> None:
        """Release the peers' events and the counters (collective)."""
        for events in self._peers.values():
            for event in events:
                self._cuda.runtime.eventDestroy(event)
        self._progress.free()


class _HubPlan:
    """One kernel per chunk whose hub is this rank: it reads every input once and writes every result once."""

    def __init__(
        self, gate: _Gate, schedule: Schedule, found: Sequence[Hub], op: str, send: Buffer, recv: Buffer
    ) -> None:
        self._gate = gate
        peers = [r for r in range(gate.size) if r != gate.rank]
        self._all_entered: Waits = tuple((peer, ENTERED) for peer in peers)
        self._all_finished: Waits = tuple((peer, _FINISHED) for peer in peers)
        self._last = [_FINISHED] * gate.size
        self._finishing = finishing(cuda.load(), op, schedule, gate.rank, recv.local)
        self._kernels = [
            _kernel(hub, schedule.chunks[hub.chunk], op, send, recv) for hub in found if hub.rank == gate.rank
        ]

    def run(self) -> None:
        """Execute the schedule once."""
        self._gate.execute(self._enqueue, self._last, self._finishing)

    def free(self) -> None:
        """Release the buffers."""
        self._kernels.clear()
        self._finishing.clear()

    def _enqueue(self) -> None:
        gate = self._gate
        gate.await_(self._all_entered)
        for kernel in self._kernels:
            kernel()
        gate.reach(_FINISHED)
        gate.await_(self._all_finished)


def _kernel(hub: Hub, chunk: Chunk, op: str, send: Buffer, recv: Buffer) -> Callable[[], Any]:
    sources = [cut(send.parts[r], chunk) for r in (hub.rank, *hub.sources)]
    results = [cut(recv.parts[r], chunk) for r in (hub.rank, *hub.destinations)]
    kernel = combine(cuda.load(), op, len(sources), len(results))
    compile_now(cuda.load(), kernel, sources[0].dtype, len(sources) + len(results))
    return partial(kernel, *sources, *results)


class _StepwisePlan:
    """This rank's program of pulls, bound to the buffers: each one kernel or copy that reads a peer's memory."""

    def __init__(self, gate: _Gate, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> None:
        in_place = address(send.local) == address(recv.local)
        all_programs = programs(schedule, in_place)
        program = all_programs[gate.rank]
        self._gate, self._xp = gate, module_of(recv.local)
        self._combine = pairwise(self._xp, op)
        if any(action.message.reduce for action in program.actions):
            compile_now(self._xp, self._combine, recv.local.dtype, 3)
        with gate.stream:  # the pool then gives this memory to no other stream
            self._scratch = gate.scratch.take(program.scratch_count, recv.local.dtype)
        self._actions = [self._bind(action, send, recv) for action in program.actions]
        kept = [] if in_place else [schedule.chunks[i] for i in program.untouched]
        self._copies = [partial(self._xp.copyto, cut(recv.local, c), cut(send.local, c)) for c in kept]
        self._finishing = finishing(self._xp, op, schedule, gate.rank, recv.local)
        self._final_waits = program.final_waits
        self._last = [p.progress for p in all_programs]

    def run(self) -> None:
        """Execute the schedule once."""
        self._gate.execute(self._enqueue, self._last, self._finishing)

    def free(self) -> None:
        """Release the buffers."""
        self._actions.clear()
        self._copies.clear()
        self._finishing.clear()

    def _enqueue(self) -> None:
        gate = self._gate
        for copy in self._copies:
            copy()
        for progress, (waits, step, kernel) in enumerate(self._actions, ENTERED + 1):
            gate.await_(waits, step)
            kernel()
            gate.reach(progress)
        gate.await_(self._final_waits)

    def _bind(self, action: Action, send: Buffer, recv: Buffer) -> _Bound:
        m = action.message
        result = cut(recv.local, m.target)
        if action.scratch is not None:
            aside = self._scratch[action.scratch : action.scratch + m.target.length]
            if action.commit:
                return action.waits, m.step, partial(self._xp.copyto, result, aside)
            result = aside
        source = cut((send if m.src_is_input else recv).parts[m.src], m.source)
        if not m.reduce:
            return action.waits, m.step, partial(self._xp.copyto, result, source)
        own = cut((send if m.own_is_input else recv).local, m.target)
        # The lower rank's value comes first on both sides of an exchange, so the results are bitwise equal.
        first, second = (source, own) if m.src < m.dst else (own, source)
        return action.waits, m.step, partial(self._combine, first, second, result)
