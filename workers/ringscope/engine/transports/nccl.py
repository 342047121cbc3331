"""Transport nccl: any schedule as NCCL send and receive between GPUs, one group per step.

A call uses one stream: a step's messages are sent as one group, data to add arrives in scratch memory and is added by a
kernel after it, then the next step follows. The host only enqueues, and waits once at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ringscope.contracts.words.devices import with_registration
from ringscope.engine.base import Array, Buffer, Plan, cut
from ringscope.engine.memory import cuda
from ringscope.engine.memory.arrays import address, module_of
from ringscope.engine.memory.kernels import compile_now, finishing, pairwise
from ringscope.engine.vendors.nccl import vendor_plan
from ringscope.engine.vendors.nccl_link import NcclLink
from ringscope.engine.vendors.nccl_memory import NcclMemory
from ringscope.engine.waiting.watchdog import Watchdog
from ringscope.schedules.messages import Message, messages, untouched
from ringscope.schedules.schedule import Schedule

if TYPE_CHECKING:
    from mpi4py import MPI

_Call = Callable[[], Any]


class NcclTransport:
    """Executes schedules over the GPUs of all ranks of ``comm``; ``gpu`` is this rank's and must be current."""

    def __init__(
        self,
        comm: MPI.Intracomm,
        gpu: cuda.Gpu,
        watchdog: Watchdog,
        timeout_seconds: float = cuda.TIMEOUT_SECONDS,
        ended: Callable[[], Sequence[int]] = list,
        registration: int = 0,
        reports: bool = False,
    ) -> None:
        """``watchdog`` must end the gang when it fires: an NCCL call that blocks cannot be ended.

        ``ended`` returns the ranks whose processes have ended. ``registration`` is what NCCL knows of the buffers, by
        ``devices.REGISTRATIONS``; EngineError if the loaded NCCL lacks what that needs. With ``reports`` rank 0 asks
        NCCL what it chose.
        """
        self._link = NcclLink(comm, gpu, watchdog, timeout_seconds, ended, reports)
        self._memory = NcclMemory(self._link, gpu, registration) if registration else None
        self.name = gpu.label(with_registration("nccl", registration))

    @property
    def report(self) -> str | None:
        """Return what NCCL said of its network, channels and transports; None if it was not asked here."""
        return None if self._link.report is None else self._link.report.told

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate memory from CuPy's pool, or from NCCL, which then also registers it (collective)."""
        local = cuda.allocate(size_bytes, pooled=True) if self._memory is None else self._memory.allocate(size_bytes)
        return Buffer(local, (local,))

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """This rank's share of every step, bound to addresses."""
        return _NcclPlan(self._link, schedule, op, send.local, recv.local)

    def vendor_plan(self, collective: str, op: str, send: Buffer, recv: Buffer, root: int) -> Plan:
        """Plan NCCL's own collective on the same buffers."""
        return vendor_plan(self._link, collective, op, send.local, recv.local, root)

    def rebuild(self) -> None:
        """Reconnect after the communicator was aborted (collective); buffers and plans stay valid."""
        self._link.rebuild()
        if self._memory is not None:
            self._memory.register()

    def free(self) -> None:
        """Destroy the communicator (collective)."""
        if self._memory is not None:
            self._memory.deregister()
        self._link.free()
        if self._memory is not None:
            self._memory.free()


class _Step(NamedTuple):
    """The work that this rank enqueues for a step: the messages of its group, then kernels."""

    number: int
    peers: tuple[int, ...]
    exchange: list[_Call]
    kernels: list[_Call]
    done: Any


class _NcclPlan:
    """This rank's steps."""

    def __init__(self, link: NcclLink, schedule: Schedule, op: str, send: Array, recv: Array) -> None:
        self._link, self._send, self._recv = link, send, recv
        self.clock, self._xp = link.clock, module_of(recv)
        self._combine = pairwise(self._xp, op)
        self._type, self._factor = link.wire(recv.dtype)
        in_place = address(send) == address(recv)
        steps = messages(schedule, in_place)
        self._step_count = len(steps)
        mine = [(i, [m for m in step if link.rank in (m.src, m.dst)]) for i, step in enumerate(steps)]
        mine = [(i, step) for i, step in mine if step]
        aside = max((sum(m.target.length for m in step if self._is_aside(m)) for _, step in mine), default=0)
        if any(m.reduce and m.dst == link.rank for _, step in mine for m in step):
            compile_now(self._xp, self._combine, recv.dtype, 3)
        with link.stream:  # the pool then gives this memory to no other stream
            self._scratch = link.scratch.take(aside, recv.dtype)
        self._steps = [self._step(i, step) for i, step in mine]
        kept = [] if in_place else [schedule.chunks[i] for i in untouched(schedule, link.rank)]
        self._copies = [partial(self._xp.copyto, cut(recv, chunk), cut(send, chunk)) for chunk in kept]
        self._finishing = finishing(self._xp, op, schedule, link.rank, recv)
        self._enqueuing: _Step | None = None

    def run(self) -> None:
        """Execute the schedule once."""
        self._link.execute(self._enqueue, self._where)

    def enqueue(self) -> None:
        """Enqueue the schedule once."""
        self._link.enqueue(self._enqueue, self._where)

    def capture(self, calls: _Call, name: str) -> _Call:
        """Capture what ``calls`` enqueue as a CUDA graph, which errors call by this name."""
        return self._link.capture(calls, name)

    def wait(self) -> None:
        """Wait for everything that was enqueued."""
        self._link.wait(self._where)

    def free(self) -> None:
        """Release the buffers."""
        self._steps.clear()
        self._copies.clear()
        self._finishing.clear()

    def _enqueue(self) -> None:
        for copy in self._copies:
            copy()
        for step in self._steps:
            self._enqueuing = step
            with self._link.group():
                for call in step.exchange:
                    call()
            for kernel in step.kernels:
                kernel()
            if not self._link.is_capturing:
                step.done.record(self._link.stream)
        self._enqueuing = None
        for finish in self._finishing:
            finish()

    def _where(self) -> str:
        step = self._enqueuing or next((step for step in self._steps if not step.done.done), None)
        if step is None:
            return "a call with nothing left to do"
        peers = f"rank{'s' * (len(step.peers) > 1)} {', '.join(map(str, step.peers))}"
        return f"step {step.number + 1} of {self._step_count} (with {peers})"

    def _is_aside(self, m: Message) -> bool:
        return m.dst == self._link.rank and (m.reduce or m.staged)

    def _step(self, number: int, step: list[Message]) -> _Step:
        rank = self._link.rank
        exchange: list[_Call] = []
        kernels: list[_Call] = []
        used = 0
        for m in step:
            if m.src == rank:
                memory = self._send if m.src_is_input else self._recv
                exchange.append(self._message("send", cut(memory, m.source), m.dst))
                continue
            received = result = cut(self._recv, m.target)
            if self._is_aside(m):
                received = self._scratch[used : used + m.target.length]
                used += m.target.length
            exchange.append(self._message("recv", received, m.src))
            if m.reduce:
                own = cut(self._send if m.own_is_input else self._recv, m.target)
                # The lower rank's value comes first on both sides of an exchange, so the results are bitwise equal.
                first, second = (received, own) if m.src < m.dst else (own, received)
                kernels.append(partial(self._combine, first, second, result))
            elif m.staged:
                kernels.append(partial(self._xp.copyto, result, received))
        peers = tuple(sorted({m.src + m.dst - rank for m in step}))
        done = self._xp.cuda.Event(disable_timing=True)
        return _Step(number, peers, exchange, kernels, done)

    def _message(self, verb: str, memory: Array, peer: int) -> _Call:
        arguments = (address(memory), memory.size * self._factor, self._type, peer, self._link.stream.ptr)
        return lambda: getattr(self._link.comm, verb)(*arguments)  # the communicator may have been rebuilt
