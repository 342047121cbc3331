"""A sweep on a described cluster: the rows of a real sweep, with the cost model's times. Nothing is measured.

Every record carries ``simulated`` as its transport, so that it is not mistaken for a measurement. The times are on a
virtual clock whose start the caller sets; one process computes everything, without MPI and without memory for data.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from ringscope.bench.timing import spread
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Measurement, Record, Steps, Trace
from ringscope.contracts.words.collectives import IN_CHANNELS, REDUCING, bus_factor, elements
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope.cost.timeline import Timeline
from ringscope.cost.traces.modelled_trace import modelled
from ringscope.engine.transports.simulated import SimulatedTransport
from ringscope.schedules.algorithms import build

_STEPS_PER_RECORD = 1000


def simulated_records(spec: BenchmarkSpec, time_ns: int) -> Iterator[Record]:
    """Yield the steps and rows of a whole sweep in the order of a real one, which starts at ``time_ns``.

    The steps are those of rank 0, and all iterations of a block take the same time. ``spec`` must be simulated: it has
    a topology, and algorithms with a schedule.
    """
    assert spec.topology is not None
    topology, itemsize = spec.topology.topology, ITEMSIZE_BYTES[spec.dtype]
    transport = SimulatedTransport(topology)
    memory = transport.allocate(-(-max(spec.sizes()) // itemsize) * itemsize).view(
        f"V{itemsize}"
    )  # no code reads the elements
    step = 0
    for cycle, size_bytes, algorithm in product(range(spec.cycles), spec.sizes(), spec.algorithms):
        count, total = elements(spec.collective, size_bytes, itemsize, topology.ranks)
        schedule = build(algorithm, topology.ranks, total, topology.nodes, spec.collective, spec.root, topology.rails)
        buffer = memory.head(total)
        plan = transport.plan(schedule, spec.op, buffer, buffer)
        for in_place in (False, True):
            start_ns = time_ns + round(transport.clock_s * 1e9)
            for _ in range(spec.iterations):
                plan.run()
            seconds = plan.timeline.seconds
            row = _row(spec, algorithm, in_place, cycle, count, total * itemsize, seconds * 1e6, start_ns)
            yield from _steps(row, step)
            yield row
            step += spec.iterations
            if spec.trace and cycle == 0:
                end_ns = time_ns + round(transport.clock_s * 1e9)
                yield from _traces(spec, row, plan.timeline, end_ns)


def _steps(row: Measurement, first_step: int) -> Iterator[Steps]:
    for first in range(0, row.iterations, _STEPS_PER_RECORD):
        numbers = range(first, min(first + _STEPS_PER_RECORD, row.iterations))
        times_us = [row.time_us] * len(numbers)
        yield Steps(
            rank=0,
            first_step=first_step + first,
            op=row.collective,
            algorithm=row.algorithm,
            transport=row.transport,
            in_place=row.in_place,
            bytes=row.size_bytes,
            bus_factor=bus_factor(row.collective, row.ranks),
            start_ns=[row.time_ns + round(i * row.time_us * 1e3) for i in numbers],
            duration_us=times_us,
            communication_us=times_us,
            compute_us=[0.0] * len(numbers),
            exposed_us=times_us,
        )


def _traces(spec: BenchmarkSpec, row: Measurement, timeline: Timeline, start_ns: int) -> Iterator[Trace]:
    """Yield the trace of every simulated rank; the traced operation does not advance the virtual clock."""
    for rank in range(row.ranks):
        yield Trace(
            rank=rank,
            collective=row.collective,
            algorithm=row.algorithm,
            transport=row.transport,
            in_place=row.in_place,
            size_bytes=row.size_bytes,
            dtype=spec.dtype,
            **modelled(timeline, rank, start_ns).told(),
        )


def _row(
    spec: BenchmarkSpec,
    algorithm: str,
    in_place: bool,
    cycle: int,
    count: int,
    size_bytes: int,
    time_us: float,
    start_ns: int,
) -> Measurement:
    assert spec.topology is not None
    ranks = spec.topology.ranks
    algbw = size_bytes / (time_us * 1e3) if time_us else 0.0
    return Measurement(
        collective=spec.collective,
        algorithm=algorithm,
        transport=SIMULATED,
        in_place=in_place,
        cycle=cycle,
        size_bytes=size_bytes,
        count=count,
        dtype=spec.dtype,
        op=spec.op if spec.collective in REDUCING else "none",
        ranks=ranks,
        channels=spec.topology.topology.rails if (spec.collective, algorithm) in IN_CHANNELS else None,
        time_us=time_us,
        algbw_gb_per_s=algbw,
        busbw_gb_per_s=algbw * bus_factor(spec.collective, ranks),
        wrong=None,
        **spread(np.array([time_us])),  # time of one iteration: all take the same time
        iterations=spec.iterations,
        time_ns=start_ns,
    )
