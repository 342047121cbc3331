import shutil
import subprocess
from typing import Any

import httpx
import pytest
from prometheus_client import CollectorRegistry

from ringscope.record import Check, Done, Hello, Steps
from ringscope_agent.counters import JobCounters
from ringscope_agent.exporter import Exporter, MetricsServer


def steps(rank: int = 0, first_step: int = 0, op: str = "all_reduce", **changes: Any) -> Steps:
    values: dict[str, Any] = {
        "rank": rank, "first_step": first_step, "op": op, "algorithm": "ring", "transport": "mpi",
        "in_place": True, "bytes": 1000, "bus_factor": 1.5, "start_ns": [10**9, 2 * 10**9],
        "duration_us": [20.0, 3000.0], "communication_us": [10.0, 2000.0], "compute_us": [10.0, 1000.0],
        "exposed_us": [10.0, 2000.0],
    }  # fmt: skip
    return Steps(**(values | changes))


@pytest.fixture
def exporter() -> Exporter:
    return Exporter("1.2.3", spool_bytes=lambda: 17)


@pytest.fixture
def job(exporter: Exporter) -> JobCounters:
    job = JobCounters(42, "benchmark", first_rank=2, slots=2, ops=["all_reduce"])
    exporter.add(job)
    return job


def value(exporter: Exporter, name: str, **labels: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(exporter)
    return registry.get_sample_value(f"ringscope_{name}", labels)


def test_counters_are_zero_before_the_ranks_start(exporter: Exporter, job: JobCounters) -> None:
    for rank in ("2", "3"):
        assert value(exporter, "rank_steps_total", job_id="42", rank=rank) == 0
        assert value(exporter, "rank_up", job_id="42", rank=rank) == 0
        assert value(exporter, "rank_collective_bus_bytes_total", job_id="42", rank=rank, op="all_reduce") == 0
        assert value(exporter, "rank_last_step", job_id="42", rank=rank) is None
    assert value(exporter, "collective_duration_seconds_count", job_id="42", op="all_reduce") == 0


def test_records_are_folded(exporter: Exporter, job: JobCounters) -> None:
    exporter.fold(job, Hello(rank=2, local_rank=0, ranks=4, pid=1, host="h", time_ns=0))
    exporter.fold(job, steps(rank=2))
    exporter.fold(job, steps(rank=2, first_step=2, dropped=3))
    exporter.fold(
        job,
        Check(rank=3, op="all_reduce", algorithm="ring", in_place=True, size_bytes=8, wrong=4, first_index=0,
              want="1", got="2", time_ns=0),
    )  # fmt: skip
    rank: dict[str, str] = {"job_id": "42", "rank": "2"}
    op = rank | {"op": "all_reduce"}
    assert value(exporter, "rank_up", **rank) == 1
    assert value(exporter, "rank_steps_total", **rank) == 4
    assert value(exporter, "rank_step_seconds_total", **rank) == pytest.approx(6040e-6)
    assert value(exporter, "rank_compute_seconds_total", **rank) == pytest.approx(2020e-6)
    assert value(exporter, "rank_last_step", **rank) == 3
    assert value(exporter, "rank_last_step_timestamp_seconds", **rank) == pytest.approx(2.003)
    assert value(exporter, "rank_collectives_total", **op) == 4
    assert value(exporter, "rank_collective_seconds_total", **op) == pytest.approx(4020e-6)
    assert value(exporter, "rank_collective_bytes_total", **op) == 4000
    assert value(exporter, "rank_collective_bus_bytes_total", **op) == 6000
    assert value(exporter, "rank_last_collective_duration_seconds", **op) == pytest.approx(2e-3)
    assert value(exporter, "rank_last_bus_bandwidth_bytes_per_second", **op) == pytest.approx(750_000)
    assert value(exporter, "rank_verification_errors_total", job_id="42", rank="3", op="all_reduce") == 4
    assert value(exporter, "agent_records_dropped_total", reason="rank_buffer") == 3
    exporter.fold(job, Done(rank=2, dropped=0))
    assert value(exporter, "rank_up", **rank) == 0


def test_a_simulation_never_looks_like_traffic(exporter: Exporter) -> None:
    simulation = JobCounters(43, "benchmark", first_rank=0, slots=1, ops=[])
    exporter.add(simulation)
    exporter.fold(simulation, Hello(rank=0, local_rank=0, ranks=1, pid=1, host="h", time_ns=0))
    exporter.fold(simulation, steps(rank=0, transport="simulated", dropped=2))
    rank = {"job_id": "43", "rank": "0"}
    assert value(exporter, "rank_up", **rank) == 1, "the process is real"
    assert value(exporter, "agent_records_dropped_total", reason="rank_buffer") == 2
    assert value(exporter, "rank_steps_total", **rank) == 0
    assert value(exporter, "rank_step_seconds_total", **rank) == 0
    assert value(exporter, "step_duration_seconds_count", job_id="43", kind="benchmark") == 0
    for name in ("rank_collective_bus_bytes_total", "rank_last_bus_bandwidth_bytes_per_second"):
        assert value(exporter, name, **rank, op="all_reduce") is None
    assert value(exporter, "collective_duration_seconds_count", job_id="43", op="all_reduce") is None


def test_an_observation_on_a_bound_belongs_to_that_bucket(exporter: Exporter, job: JobCounters) -> None:
    exporter.fold(job, steps(rank=3, communication_us=[10.0, 11e6]))
    bucket = {"job_id": "42", "op": "all_reduce"}
    assert value(exporter, "collective_duration_seconds_bucket", le="1e-05", **bucket) == 1
    assert value(exporter, "collective_duration_seconds_bucket", le="10.0", **bucket) == 1
    assert value(exporter, "collective_duration_seconds_bucket", le="+Inf", **bucket) == 2
    assert value(exporter, "collective_duration_seconds_sum", **bucket) == pytest.approx(11.00001)


def test_an_unknown_collective_is_other_and_foreign_ranks_are_ignored(exporter: Exporter, job: JobCounters) -> None:
    exporter.fold(job, steps(rank=2, op="ncclSomething"))
    exporter.fold(job, steps(rank=0))
    assert value(exporter, "rank_collectives_total", job_id="42", rank="2", op="other") == 2
    assert value(exporter, "rank_steps_total", job_id="42", rank="0") is None


def test_a_newer_attempt_takes_over_the_series_and_keeps_them(exporter: Exporter, job: JobCounters) -> None:
    newer = JobCounters(42, "benchmark", 0, 1, ["all_reduce"])
    exporter.add(newer)
    exporter.remove(job)
    assert value(exporter, "rank_steps_total", job_id="42", rank="0") == 0
    assert value(exporter, "rank_steps_total", job_id="42", rank="2") is None
    exporter.remove(newer)
    assert value(exporter, "rank_steps_total", job_id="42", rank="0") is None


@pytest.fixture
def page(exporter: Exporter, job: JobCounters) -> Any:
    exporter.contact()
    exporter.fold(job, steps(rank=2))
    server = MetricsServer(exporter, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.port}/metrics"
    server.close()


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_finds_nothing_to_complain_about(page: str) -> None:
    text = httpx.get(page).text
    answer = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert "_created" not in text


def test_openmetrics_is_given_to_who_asks(page: str) -> None:
    answer = httpx.get(page, headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")
    assert "_created" not in answer.text
