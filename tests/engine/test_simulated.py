"""Transport simulated: model time on a virtual clock, rows that say so, and no memory."""

import psutil
import pytest

from ringscope.algorithms import COLLECTIVES, SCHEDULES
from ringscope.cost import simulate
from ringscope.spec import BenchmarkSpec
from ringscope.topology import Link, Topology, flat
from ringscope.transports.base import EngineError, Plan, Transport
from ringscope.transports.simulated import SimulatedTransport, simulated_rows

CLUSTER = Topology(8, Link(5e-6, 10e9), Link(1e-6, 100e9), 4)


def test_it_is_a_transport_whose_plans_take_the_models_time():
    transport = SimulatedTransport(CLUSTER)
    as_transport: Transport = transport
    buffer = as_transport.allocate(4 << 20).view("float32")
    schedule = SCHEDULES["ring"](8, 1 << 20)
    plan: Plan = as_transport.plan(schedule, "sum", buffer, buffer)
    for _ in range(3):
        plan.run()
    assert transport.clock_s == pytest.approx(3 * simulate(schedule, 4, CLUSTER).seconds)
    plan.free()
    as_transport.free()


def test_buffers_take_no_memory():
    process = psutil.Process()
    before = process.memory_info().rss
    buffer = SimulatedTransport(CLUSTER).allocate(64 << 30).view("float32")
    assert buffer.local.size == 16 << 30
    assert process.memory_info().rss - before < 16 << 20


def test_what_cannot_be_simulated_is_refused():
    transport = SimulatedTransport(CLUSTER)
    buffer = transport.allocate(64).view("float32")
    with pytest.raises(EngineError, match="topology: it has 8 ranks but the schedule 2"):
        transport.plan(SCHEDULES["ring"](2, 16), "sum", buffer, buffer)
    with pytest.raises(EngineError, match="op: unknown op 'xor'; choose one of sum"):
        transport.plan(SCHEDULES["ring"](8, 16), "xor", buffer, buffer)
    spec = BenchmarkSpec(algorithms=("ring", "mpi"))
    with pytest.raises(EngineError, match="algorithms: mpi has no schedule to simulate; leave it out"):
        list(simulated_rows(spec, CLUSTER, 0))


def test_a_sweep_has_the_rows_of_a_real_one():
    spec = BenchmarkSpec(algorithms=("ring", "hierarchical"), min_bytes=1 << 10, max_bytes=1 << 24, step_factor=128)
    rows = list(simulated_rows(spec, CLUSTER, time_ns=7_000))
    assert len(rows) == spec.measurement_count()
    shape = [(row.size_bytes, row.algorithm, row.in_place) for row in rows]
    assert shape == [(s, a, i) for s in (1 << 10, 1 << 17, 1 << 24) for a in spec.algorithms for i in (False, True)]
    for row in rows:
        assert (row.transport, row.wrong, row.ranks) == ("simulated", None, 8)
        assert row.min_us == row.p50_us == row.p99_us == row.time_us > 0
        assert row.busbw_gb_per_s == pytest.approx(row.size_bytes / row.time_us / 1e3 * 14 / 8)
    assert rows[0].time_ns == 7_000
    assert [row.time_ns for row in rows] == sorted(row.time_ns for row in rows)
    assert rows[-1].time_us < rows[-3].time_us / 2, "hierarchical spares the links between the nodes"


def test_every_cycle_has_all_rows():
    spec = BenchmarkSpec(algorithms=("ring",), min_bytes=64, max_bytes=128, cycles=2)
    rows = list(simulated_rows(spec, CLUSTER, 0))
    assert len(rows) == spec.measurement_count()
    assert [(row.cycle, row.size_bytes) for row in rows[::2]] == [(0, 64), (0, 128), (1, 64), (1, 128)]


@pytest.mark.parametrize(("dtype", "count"), [("int8", 64), ("bfloat16", 32), ("float32", 16), ("uint64", 8)])
def test_every_dtype_has_its_size(dtype, count):
    spec = BenchmarkSpec(algorithms=("ring",), dtype=dtype, min_bytes=64, max_bytes=64)
    assert [row.count for row in simulated_rows(spec, CLUSTER, 0)] == [count, count]


@pytest.mark.parametrize("collective", sorted(COLLECTIVES))
def test_every_collective_can_be_simulated(collective):
    spec = BenchmarkSpec.model_validate(
        {
            "collective": collective,
            "algorithms": list(COLLECTIVES[collective]),
            "min_bytes": 1 << 16,
            "max_bytes": 1 << 16,
            "iterations": 1,
        }
    )
    rows = list(simulated_rows(spec, flat(4, Link(1e-6, 1e9)), 0))
    assert len(rows) == 2 * len(COLLECTIVES[collective])
    assert all(0 < row.busbw_gb_per_s <= 1.0 for row in rows), "no faster than the links"
