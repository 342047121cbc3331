"""Transport simulated: no data and no partner; a call takes the cost model's time on a virtual clock.

Drives planning and the page without hardware. Its rows carry ``simulated`` as their transport, so that nobody takes
them for measurements.
"""

import mmap
from collections.abc import Iterator
from itertools import product

import numpy as np

from ringscope.algorithms import REDUCING, VENDORS, build
from ringscope.bench.timing import spread
from ringscope.cost import Timeline, simulate
from ringscope.nccl_tests import bus_factor, elements
from ringscope.record import Measurement
from ringscope.schedule import Schedule
from ringscope.spec import BenchmarkSpec
from ringscope.topology import Topology
from ringscope.transports.base import OPS, Buffer, EngineError


class SimulatedTransport:
    """Lets calls pass on a network that is only described; ``clock_s`` is the model time so far."""

    name = "simulated"

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self.clock_s = 0.0

    def allocate(self, size_bytes: int) -> Buffer:
        """Addresses without memory behind them: for pages that are only read, Linux reserves nothing."""
        pages = mmap.mmap(-1, max(size_bytes, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
        return Buffer(np.frombuffer(pages, np.uint8)[:size_bytes], ())

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> "SimulatedPlan":
        """Price the schedule for elements of this dtype; EngineError when it is for other ranks or an unknown op."""
        if op not in OPS:
            raise EngineError(f"op: unknown op {op!r}; choose one of {', '.join(OPS)}.")
        try:
            timeline = simulate(schedule, recv.local.itemsize, self._topology)
        except ValueError as error:
            raise EngineError(str(error)) from error
        return SimulatedPlan(self, timeline)

    def free(self) -> None:
        """Nothing to give back."""


class SimulatedPlan:
    """A call that only lets time pass."""

    def __init__(self, transport: SimulatedTransport, timeline: Timeline) -> None:
        self._transport, self.timeline = transport, timeline
        self._seconds = timeline.seconds

    def run(self) -> None:
        """Advance the clock by one call."""
        self._transport.clock_s += self._seconds

    def free(self) -> None:
        """Nothing to give back."""


def simulated_rows(spec: BenchmarkSpec, topology: Topology, time_ns: int) -> Iterator[Measurement]:
    """The rows of a whole sweep in the order of the real one, in model time; ``time_ns`` is when it is said to start.

    EngineError for an algorithm without a schedule: a library's own time is not ours to make up.
    """
    itemsize, ranks = _itemsize(spec.dtype), topology.ranks
    vendors = [name for name in spec.algorithms if name in VENDORS]
    if vendors:
        raise EngineError(f"algorithms: {', '.join(vendors)} has no schedule to simulate; leave it out.")
    transport = SimulatedTransport(topology)
    memory = transport.allocate(max(spec.sizes()))
    for cycle, size_bytes, algorithm in product(range(spec.cycles), spec.sizes(), spec.algorithms):
        count, total = elements(spec.collective, size_bytes, itemsize, ranks)
        schedule = build(algorithm, ranks, total, topology.nodes, spec.collective, spec.root)
        buffer = memory.view(f"u{itemsize}").head(total)
        plan = transport.plan(schedule, spec.op, buffer, buffer)
        for in_place in (False, True):
            start_s = transport.clock_s
            for _ in range(spec.iterations):
                plan.run()
            time_us = (transport.clock_s - start_s) / spec.iterations * 1e6
            start_ns = time_ns + round(start_s * 1e9)
            yield _row(spec, algorithm, in_place, cycle, count, buffer.local.nbytes, ranks, time_us, start_ns)


def _itemsize(dtype: str) -> int:
    """From the bits in its name: NumPy knows bfloat16 only where a worker's libraries are installed."""
    return int("".join(filter(str.isdigit, dtype))) // 8


def _row(
    spec: BenchmarkSpec,
    algorithm: str,
    in_place: bool,
    cycle: int,
    count: int,
    size_bytes: int,
    ranks: int,
    time_us: float,
    start_ns: int,
) -> Measurement:
    algbw = size_bytes / (time_us * 1e3) if time_us else 0.0
    return Measurement(
        collective=spec.collective,
        algorithm=algorithm,
        transport=SimulatedTransport.name,
        in_place=in_place,
        cycle=cycle,
        size_bytes=size_bytes,
        count=count,
        dtype=spec.dtype,
        op=spec.op if spec.collective in REDUCING else "none",
        ranks=ranks,
        time_us=time_us,
        algbw_gb_per_s=algbw,
        busbw_gb_per_s=algbw * bus_factor(spec.collective, ranks),
        wrong=None,
        **spread(np.full(spec.iterations, time_us)),
        iterations=spec.iterations,
        time_ns=start_ns,
    )
