"""A traced operation put together: one clock for all ranks, the model beside, and a file for Perfetto."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.cost.test_worked_example import assert_no_overlap

from ringscope.bench.simulation import simulated_records
from ringscope.choice.priced_call import executed_schedule, priced_call
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.operation_trace import OperationTrace
from ringscope.contracts.record import RECORD, Trace
from ringscope.contracts.traced import TracedTransfer
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.topology import Link, flat
from ringscope.cost.fitting.samples import Sample
from ringscope.cost.timeline import simulate
from ringscope.cost.traces.operation_perfetto import traced_to_perfetto
from ringscope.cost.traces.operation_trace import Clock, PricedCall, joined, operations
from ringscope.schedules.algorithms import build

CLUSTER = {"shape": "2x2", "link": "10GB/s", "latency_us": 5, "intra": "100GB/s", "reduce_gb_per_s": 10}


def simulated(**fields: Any) -> list[Trace]:
    sweep = {"transport": "simulated", "topology": CLUSTER, "trace": True, "iterations": 2}
    spec = BenchmarkSpec.model_validate(sweep | {"min_bytes": 4096, "max_bytes": 4096} | fields)
    return [record for record in simulated_records(spec, 10**18) if isinstance(record, Trace)]


def clocks(ranks: int) -> dict[int, Clock]:
    return {rank: Clock("n1") for rank in range(ranks)}


def pull(start_ns: int, send_ns: int, done_ns: int, step: int = 0, peer: int = 0) -> TracedTransfer:
    return TracedTransfer(
        is_send=False, peer=peer, step=step, phase="reduce_scatter", chunks=(step,), into=(step,), reduce=False,
        bytes=64, start_ns=start_ns, send_ns=send_ns, recv_ns=done_ns, reduce_ns=None, done_ns=done_ns,
        work_ns=done_ns - send_ns,
    )  # fmt: skip


def told(rank: int, started_at_ns: int, transfers: Sequence[TracedTransfer]) -> Trace:
    return Trace(
        rank=rank, collective="all_reduce", algorithm="ring", transport="shared_memory", in_place=False, size_bytes=128,
        dtype="float32", started_at_ns=started_at_ns, duration_ns=500, transfers=list(transfers),
    )  # fmt: skip


def test_a_simulation_tells_every_rank_of_every_operation() -> None:
    found = simulated(algorithms=["ring", "tree"], cycles=2)
    keys = [(trace.algorithm, trace.in_place, trace.rank) for trace in found]
    assert keys == [(a, i, r) for a in ("ring", "tree") for i in (False, True) for r in range(4)], "of the first cycle"
    assert {trace.transport for trace in found} == {"simulated"}
    assert all(RECORD.validate_json(trace.model_dump_json()) == trace for trace in found)


def test_a_sweep_that_does_not_ask_has_no_trace() -> None:
    assert simulated(trace=False) == []


def test_ranks_of_several_nodes_come_onto_one_clock() -> None:
    offset_ns = 3_000_000_000
    ranks = [told(0, 10**18 + 200, [pull(0, 10, 40)]), told(1, 10**18 + offset_ns, [pull(5, 20, 30)])]
    trace = joined(ranks, {0: Clock("n1", 0, 50), 1: Clock("n2", offset_ns, 700)})
    assert [(r.rank, r.node, r.started_ns, r.ended_ns) for r in trace.ranks] == [(0, "n1", 200, 700), (1, "n2", 0, 500)]
    assert [(r.clock_offset_ns, r.clock_error_ns) for r in trace.ranks] == [(0, 50), (offset_ns, 700)]
    assert [(row.rank, row.start_ns, row.send_ns, row.done_ns) for row in trace.rows] == [
        (0, 200, 210, 240),
        (1, 5, 20, 30),
    ]
    assert trace.started_at.timestamp() == 10**9
    assert [(step.start_ns, step.end_ns) for step in trace.steps] == [(20, 240)]


def test_an_unknown_clock_stays_unknown() -> None:
    trace = joined([told(0, 5, []), told(1, 9, [])], {0: Clock("n1"), 1: Clock("n2", None, None)})
    assert [rank.clock_error_ns for rank in trace.ranks] == [0, None]
    assert (trace.steps, trace.rows, trace.prediction) == ([], [], None)


def test_the_model_stands_beside_each_transfer_and_step() -> None:
    ranks = simulated(algorithms=["ring"])[:4]
    topology = ClusterSpec.model_validate(CLUSTER).topology
    timeline = simulate(build("ring", 4, 1024, topology.nodes, channels=2), 4, topology)
    trace = joined(ranks, clocks(4), None, PricedCall(timeline, "its own"))
    assert trace.prediction is not None
    assert trace.prediction.duration_ns == trace.duration_ns == round(timeline.seconds * 1e9)
    for step in trace.steps:
        assert (step.predicted_start_ns, step.predicted_end_ns) == (step.start_ns, step.end_ns)
    for row in trace.rows:
        assert row.predicted_ns is not None
        took_ns = row.done_ns - (row.send_ns or 0)
        assert took_ns == pytest.approx(row.predicted_ns, abs=1) or row.is_send


def call(algorithm: str = "ring", transport: str = "shared_memory") -> OperationTrace:
    """An operation of 4 KiB to price."""
    fields = {"algorithm": algorithm, "transport": transport, "size_bytes": 4096}
    return joined([told(0, 0, []).model_copy(update=fields)], clocks(1))


def rows_of(ranks: int, link: Link) -> list[Sample]:
    """Return the samples that a ring over such links would measure."""
    return [
        Sample("all_reduce", "ring", ranks, size, size // 4, seconds * 1e6)
        for size in (1 << n for n in range(8, 24, 2))
        for seconds in (simulate(build("ring", ranks, size // 4), 4, flat(ranks, link, None)).seconds,)
    ]


def test_a_jobs_own_rows_give_the_parameters() -> None:
    link = Link(4e-6, 2e9)
    priced = priced_call(call(), build("ring", 4, 1024), [4], rows_of(4, link), None)
    assert priced is not None
    assert priced.parameters == "fitted to 8 rows of this job"
    true = simulate(build("ring", 4, 1024), 4, flat(4, link, None)).seconds
    assert priced.timeline.seconds == pytest.approx(true, rel=0.01)


def test_a_call_in_channels_that_the_job_asked_for_has_their_schedule() -> None:
    asked, usual = (executed_schedule(call(), [2, 2], 0, None, channels) for channels in (2, None))
    assert asked == build("ring", 4, 1024, [[0, 1], [2, 3]], channels=2)
    assert usual == build("ring", 4, 1024)


@pytest.mark.parametrize("nodes", [[4], [2, 2], [3, 1]])
def test_without_rows_the_defaults_stand_in_and_say_so(nodes: list[int]) -> None:
    schedule = executed_schedule(call(), nodes, 0, None)
    assert schedule is not None
    priced = priced_call(call(), schedule, nodes, rows_of(4, Link(1e-6, 1e9))[:2], None)
    assert priced is not None
    assert priced.parameters == "the engine's defaults for shared_memory, which were not measured here"
    assert priced.timeline.ranks == 4


def test_a_simulation_is_priced_on_its_own_cluster() -> None:
    cluster = ClusterSpec.model_validate(CLUSTER)
    operation = call("hierarchical", "simulated")
    schedule = executed_schedule(operation, [1], 0, cluster)
    assert schedule == build("hierarchical", 4, 1024, [[0, 1], [2, 3]])
    priced = priced_call(operation, schedule, [1], [], cluster)
    assert priced is not None
    assert priced.timeline.seconds == simulate(schedule, 4, cluster.topology).seconds


def test_what_would_take_long_to_price_is_not_priced_and_rows_are_taken_alike() -> None:
    many = build("ring_pipelined", 32, 1 << 28)
    assert priced_call(call("ring_pipelined"), many, [32], [], None) is None
    link = Link(4e-6, 2e9)
    few = [row for row in rows_of(4, link) for _ in range(400)]
    priced = priced_call(call(), build("ring", 4, 1024), [4], few, None)
    assert priced is not None
    assert priced.parameters == "fitted to 800 rows of this job", "of 3200, every fourth"


def test_an_algorithm_of_another_version_is_not_priced() -> None:
    assert executed_schedule(call("star"), [2], 0, None) is None


def test_a_transport_without_parameters_is_not_priced() -> None:
    assert priced_call(call(transport="carrier pigeon"), build("ring", 2, 1024), [2], [], None) is None


@pytest.mark.parametrize(("collective", "algorithm"), [(c, a) for c, names in SCHEDULED.items() for a in names])
def test_the_perfetto_file_is_a_valid_chrome_trace(collective: str, algorithm: str) -> None:
    found = operations(simulated(collective=collective, algorithms=[algorithm]), clocks(4))
    assert len(found) == 2, "out of place and in place"
    document = json.loads(json.dumps(traced_to_perfetto(found, "a title")))
    events = document["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["ph"] for event in events} == {"M", "X", "s", "f"}
    assert all(event["dur"] > 0 for event in slices)
    assert_no_overlap(slices)
    assert {(e["pid"], e["tid"]) for e in slices} == {
        (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"
    }
    starts, ends = ([event["id"] for event in events if event["ph"] == kind] for kind in "sf")
    assert starts == ends == list(range(sum(row.is_send for operation in found for row in operation.rows)))
    assert document["otherData"] == {"title": "SIMULATED a title", "clock": "model time of the α-β-γ cost model"}
    named = [event["name"] for event in slices if event["cat"] == "operation" and event["pid"] == 0]
    assert [name.split(" ", 3)[3] for name in named] == ["out of place", "in place"]


def test_the_perfetto_file_says_how_far_the_clocks_are_to_be_trusted() -> None:
    two = [told(0, 0, [pull(0, 10, 40)]), told(1, 5, [pull(0, 3, 30), pull(0, 20, 60, step=1)])]
    known = joined(two, {0: Clock("n1", 0, 50), 1: Clock("n2", 0, 700)})
    assert traced_to_perfetto([known], "")["otherData"]["clock"] == "the server's, to 0.7 us between nodes"
    alone = joined(two, {rank: Clock("n1", None, None) for rank in range(2)})
    assert traced_to_perfetto([alone], "")["otherData"]["clock"] == "one node's"
    unknown = joined(two, {0: Clock("n1", 0, 50), 1: Clock("n2", None, None)})
    document = traced_to_perfetto([unknown], "")
    assert document["otherData"]["clock"] == "the nodes' own; their offsets are unknown"
    names = [e["args"]["name"] for e in document["traceEvents"] if e["name"] == "thread_name" and e["pid"] == 1]
    assert names == ["operation", "wait", "wait 2", "receive", "receive 2"], "what overlaps lies on two tracks"
