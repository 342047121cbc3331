"""Transport virtual: p ranks in one process, on NumPy arrays, one step after another. Deterministic.

It executes a schedule literally: all messages of a step are read, then all are delivered. Time is virtual too: every
rank has a clock, which only slow links advance, so that a test can check the effect of a fault without waiting for it.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from ringscope.engine.base import Array, Buffer, Plan, cut
from ringscope.engine.errors import StalledError
from ringscope.engine.memory.arithmetic import reduction
from ringscope.schedules.messages import Message, messages, untouched
from ringscope.schedules.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Faults:
    """Injected faults: slow links (src, dst) in seconds, lost messages (step, src, dst), and the step each rank dies
    in.
    """

    slow_s: Mapping[tuple[int, int], float] = field(default_factory=dict)
    lost: Set[tuple[int, int, int]] = frozenset()
    dead: Mapping[int, int] = field(default_factory=dict)

    def arrives(self, m: Message) -> bool:
        """Return whether the message arrives."""
        return (m.step, m.src, m.dst) not in self.lost and self.is_alive(m.src, m.step)

    def is_alive(self, rank: int, step: int) -> bool:
        """Return whether the rank still takes part in the step."""
        return rank not in self.dead or step < self.dead[rank]


class VirtualTransport:
    """Executes schedules of ``ranks`` ranks; one plan runs them all, and ``Buffer.parts`` holds their memory."""

    name = "virtual"

    def __init__(self, ranks: int, faults: Faults | None = None, timeout_seconds: float = 30.0) -> None:
        self.ranks = ranks
        self.clocks_s = [0.0] * ranks
        self._faults, self._timeout_seconds = faults or Faults(), timeout_seconds

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate plain memory for every rank; ``local`` is the memory of rank 0."""
        parts = tuple(np.zeros(size_bytes, np.uint8) for _ in range(self.ranks))
        return Buffer(parts[0], parts)

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Plan all ranks' parts of the schedule; running it raises StalledError if a fault stops a rank."""
        return _VirtualPlan(self, schedule, op, send, recv)

    def free(self) -> None:
        """Do nothing: there is nothing to release."""

    def receive(self, m: Message) -> bool:
        """Move the receiver's clock to the arrival of a message; return False if the receiver is dead."""
        if not self._faults.is_alive(m.dst, m.step):
            return False
        arrival_s = self.clocks_s[m.src] + self._faults.slow_s.get((m.src, m.dst), 0.0)
        if not self._faults.arrives(m) or arrival_s - self.clocks_s[m.dst] > self._timeout_seconds:
            raise StalledError(m.dst, m.src, f"step {m.step}", self._timeout_seconds)
        self.clocks_s[m.dst] = max(self.clocks_s[m.dst], arrival_s)
        return True


class _VirtualPlan:
    def __init__(self, transport: VirtualTransport, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> None:
        self._transport, self._schedule, self._send, self._recv = transport, schedule, send, recv
        self._reduction = reduction(op, recv.local.dtype, transport.ranks)
        self._in_place = send.local.ctypes.data == recv.local.ctypes.data
        self._steps = messages(schedule, self._in_place)

    def run(self) -> None:
        """Execute the schedule once, for all ranks."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._in_place:
                self._copy_untouched()
            for step in self._steps:
                values = [self._value(m) for m in step if self._transport.receive(m)]
                for m, value in values:
                    np.copyto(cut(self._recv.parts[m.dst], m.target), value)
            self._finish()

    def free(self) -> None:
        """Do nothing: there is nothing to release."""

    def _value(self, m: Message) -> tuple[Message, Array]:
        source = cut((self._send if m.src_is_input else self._recv).parts[m.src], m.source)
        if not m.reduce:
            return m, source.copy()
        own = cut((self._send if m.own_is_input else self._recv).parts[m.dst], m.target)
        # The lower rank's value comes first on both sides of an exchange, so the results are bitwise equal.
        first, second = (source, own) if m.src < m.dst else (own, source)
        result = np.empty_like(own)
        self._reduction.combine(first, second, result)
        return m, result

    def _copy_untouched(self) -> None:
        for rank, (send, recv) in enumerate(zip(self._send.parts, self._recv.parts, strict=True)):
            for chunk in untouched(self._schedule, rank):
                np.copyto(cut(recv, self._schedule.chunks[chunk]), cut(send, self._schedule.chunks[chunk]))

    def _finish(self) -> None:
        if self._reduction.finish is not None:
            for rank, recv in enumerate(self._recv.parts):
                for chunk in self._schedule.output_chunks(rank):
                    self._reduction.finish(cut(recv, chunk))
