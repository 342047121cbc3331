"""Transport simulated: without data and peers; a call takes the cost model's time on a virtual clock.

It serves plans and the page without hardware.
"""

import mmap

import numpy as np

from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.dtypes import OPS
from ringscope.contracts.words.topology import Topology
from ringscope.cost.timeline import Timeline, simulate
from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError
from ringscope.schedules.schedule import Schedule


class SimulatedTransport:
    """Executes calls on a described network; ``clock_s`` is the model time so far."""

    name = SIMULATED

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self.clock_s = 0.0

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate addresses without memory: Linux reserves nothing for pages that are only read."""
        pages = mmap.mmap(-1, max(size_bytes, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
        return Buffer(np.frombuffer(pages, np.uint8)[:size_bytes], ())

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> "SimulatedPlan":
        """Price the schedule for elements of this dtype; EngineError if it has another number of ranks or an unknown
        op.
        """
        if op not in OPS:
            raise EngineError(f"op: unknown op {op!r}; choose one of {', '.join(OPS)}.")
        try:
            timeline = simulate(schedule, recv.local.itemsize, self._topology)
        except ValueError as error:
            raise EngineError(str(error)) from error
        return SimulatedPlan(self, timeline)

    def free(self) -> None:
        """Do nothing: there is nothing to release."""


class SimulatedPlan:
    """A call that only advances the clock."""

    def __init__(self, transport: SimulatedTransport, timeline: Timeline) -> None:
        self._transport, self.timeline = transport, timeline
        self._seconds = timeline.seconds

    def run(self) -> None:
        """Advance the clock by one call."""
        self._transport.clock_s += self._seconds

    def free(self) -> None:
        """Do nothing: there is nothing to release."""
