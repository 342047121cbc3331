"""Simulated sweeps: the rows and steps of a real one, in model time, all of which say what they are."""

from typing import Any

import pytest

from ringscope.bench.simulation import simulated_records
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement, Record, Steps
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.cost.timeline import simulate
from ringscope.rank.local import Run, run_local
from ringscope.schedules.algorithms import build

CLUSTER = {"shape": "2x4", "link": "10GB/s", "latency_us": 5, "intra": "100GB/s"}


def spec(**fields: Any) -> BenchmarkSpec:
    return BenchmarkSpec.model_validate({"transport": "simulated", "topology": CLUSTER} | fields)


def rows(records: list[Record]) -> list[Measurement]:
    return [record for record in records if isinstance(record, Measurement)]


def test_a_sweep_has_the_rows_of_a_real_one():
    sweep = spec(algorithms=("ring", "hierarchical"), min_bytes=1 << 10, max_bytes=1 << 24, step_factor=128)
    found = rows(list(simulated_records(sweep, time_ns=7_000)))
    assert len(found) == sweep.measurement_count()
    shape = [(row.size_bytes, row.algorithm, row.in_place) for row in found]
    assert shape == [(s, a, i) for s in (1 << 10, 1 << 17, 1 << 24) for a in sweep.algorithms for i in (False, True)]
    for row in found:
        assert (row.transport, row.wrong, row.ranks) == ("simulated", None, 8)
        assert row.min_us == row.p50_us == row.p99_us == row.time_us > 0
        assert row.busbw_gb_per_s == pytest.approx(row.size_bytes / row.time_us / 1e3 * 14 / 8)
    assert found[0].time_ns == 7_000
    assert [row.time_ns for row in found] == sorted(row.time_ns for row in found)
    assert found[-1].time_us < found[-3].time_us, "hierarchical spares the links between the nodes"


def test_a_row_is_the_cost_models_time_of_its_schedule():
    sweep = spec(algorithms=("ring",), min_bytes=4096, max_bytes=4096)
    assert sweep.topology is not None
    topology = sweep.topology.topology
    priced = simulate(build("ring", 8, 1024, topology.nodes, channels=4), 4, topology).seconds
    assert {row.time_us for row in rows(list(simulated_records(sweep, 0)))} == {priced * 1e6}


def test_rows_say_in_how_many_channels_rings_and_trees_went():
    found = rows(list(simulated_records(spec(algorithms=("ring", "direct"), min_bytes=4096, max_bytes=4096), 0)))
    assert {row.algorithm: row.channels for row in found} == {"ring": 4, "direct": None}


def test_steps_come_before_their_row_and_follow_each_other_on_the_virtual_clock():
    sweep = spec(algorithms=("ring", "tree"), min_bytes=1 << 20, max_bytes=1 << 20, iterations=2500)
    records = list(simulated_records(sweep, time_ns=1_000_000))
    assert [type(record) for record in records] == ([Steps] * 3 + [Measurement]) * 4
    steps = [record for record in records if isinstance(record, Steps)]
    assert {(block.transport, block.rank, block.op) for block in steps} == {("simulated", 0, "all_reduce")}
    assert [block.first_step for block in steps[:4]] == [0, 1000, 2000, 2500]
    assert sum(len(block.duration_us) for block in steps) == 4 * 2500
    starts = [start for block in steps for start in block.start_ns]
    assert starts[0] == 1_000_000
    assert starts == sorted(starts)


@pytest.mark.parametrize(("dtype", "count"), [("int8", 64), ("bfloat16", 32), ("float32", 16), ("uint64", 8)])
def test_every_dtype_has_its_size(dtype, count):
    sweep = spec(algorithms=("ring",), dtype=dtype, min_bytes=64, max_bytes=64)
    assert [row.count for row in rows(list(simulated_records(sweep, 0)))] == [count, count]


@pytest.mark.parametrize("collective", sorted(SCHEDULED))
def test_every_collective_can_be_simulated(collective):
    sweep = spec(
        collective=collective,
        algorithms=list(SCHEDULED[collective]),
        topology={"shape": "4", "link": "1GB/s", "latency_us": 1},
        min_bytes=1 << 16,
        max_bytes=1 << 16,
        iterations=1,
    )
    found = rows(list(simulated_records(sweep, 0)))
    assert len(found) == 2 * len(SCHEDULED[collective])
    assert all(0 < row.busbw_gb_per_s <= 1.0 for row in found), "no faster than the links"


def test_without_a_server_it_runs_in_this_process(monkeypatch):
    monkeypatch.setattr("ringscope.rank.local.find_mpiexec", lambda: pytest.fail("a simulation needs no MPI"))
    job = JobSpec.model_validate(
        {"benchmark": {"transport": "simulated", "topology": CLUSTER, "min_bytes": 8, "max_bytes": 8}}
    )
    run = Run()
    records = list(run_local(job, run))
    assert (run.exit_code, run.reason) == (0, "")
    assert run.measurements == rows(records)
    assert len(run.measurements) == job.benchmark.measurement_count()
