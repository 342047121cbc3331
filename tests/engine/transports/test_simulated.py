"""Transport simulated: model time on a virtual clock, and no memory."""

import psutil
import pytest

from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.timeline import simulate
from ringscope.engine.base import Plan, Transport
from ringscope.engine.errors import EngineError
from ringscope.engine.transports.simulated import SimulatedTransport
from ringscope.schedules.algorithms import SCHEDULES

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
