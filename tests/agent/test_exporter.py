import asyncio
import shutil
import subprocess
from collections import Counter
from typing import Any

import httpx
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from ringscope.contracts.job import JobKind
from ringscope.contracts.metrics.agent import AGENT
from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.reading import GpuState
from ringscope.contracts.record import Check, Done, Hello, IterationBlock, IterationKind, Iterations, Steps
from ringscope_agent.metrics.counters import MOST_SIZES, JobCounters
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.metrics.metrics_server import MetricsServer


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
    return Exporter({"ringscope": "1.2.3", "nccl": "2.30"}, spool_bytes=lambda: 17)


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


def test_waiting_for_samples_and_memory_are_absent_until_they_are_measured(
    exporter: Exporter, job: JobCounters
) -> None:
    job.fold(steps(2))
    assert value(exporter, "rank_input_seconds_total", job_id="42", rank="2") is None
    assert value(exporter, "rank_memory_bytes", job_id="42", rank="2") is None
    for memory_bytes in (9, 7):
        job.fold(steps(2, 2, input_us=[500.0, 1500.0], memory_bytes=memory_bytes))
    assert value(exporter, "rank_input_seconds_total", job_id="42", rank="2") == pytest.approx(0.004)
    assert value(exporter, "rank_memory_bytes", job_id="42", rank="2") == 7


def test_only_steps_with_a_collective_count_as_one_where_a_record_says_so(job: JobCounters) -> None:
    job.fold(steps(2, communication_us=[0.0, 2000.0], bytes=500, collective_bytes=1000))
    job.fold(steps(2, first_step=2, communication_us=[0.0, 0.0], bytes=500, collective_bytes=1000))
    op = job.ranks[2].ops["all_reduce"]
    assert (job.ranks[2].steps, op.collectives, op.bytes, op.bus_bytes) == (4, 1, 1000, 1500)
    assert op.last_seconds == pytest.approx(2e-3)
    assert op.last_bus_bytes_per_second == pytest.approx(1500 / 2e-3)
    assert list(job.sizes["all_reduce"]) == ["1000"]
    (exemplar,) = job.collective_seconds["all_reduce"].exemplars.values()
    assert exemplar.labels == {"rank": "2", "step": "1"}


@pytest.mark.parametrize("pause_ns", [None, [7_000, 0, 9_000]])
def test_iterations_count_as_the_steps_that_they_are(job: JobCounters, pause_ns: list[int] | None) -> None:
    kind = IterationKind(algorithm="ring", transport="mpi", in_place=True, bytes=1000)
    told = Iterations(
        rank=2, first_step=4, op="all_reduce", bus_factor=1.5, kinds=[kind, kind.model_copy(update={"bytes": 3000})],
        blocks=[IterationBlock(0, 2, 10**18), IterationBlock(1, 1, 10**18 + 10**7)],
        duration_ns=[20_000, 3_000_000, 40_000], pause_ns=pause_ns,
    )  # fmt: skip
    other = JobCounters(42, "benchmark", first_rank=2, slots=2, ops=["all_reduce"])
    job.fold(told)
    for steps in told.steps():
        other.fold(steps)
    for op, same_op in zip(job.ranks[2].ops.values(), other.ranks[2].ops.values(), strict=True):
        assert vars(op) == pytest.approx(vars(same_op))
    found, expected = ({**vars(each.ranks[2]), "ops": None} for each in (job, other))
    assert found == pytest.approx(expected)
    for mine, theirs in (
        (job.step_seconds, other.step_seconds),
        (job.collective_seconds["all_reduce"], other.collective_seconds["all_reduce"]),
    ):
        assert mine.counts.tolist() == theirs.counts.tolist()
        one, same = ({place: e.labels for place, e in each.exemplars.items()} for each in (mine, theirs))
        assert one == same
    assert sorted(e.labels["step"] for e in job.step_seconds.exemplars.values()) == ["5", "6"]


def test_each_message_size_has_its_bandwidth_and_there_are_few_of_them(exporter: Exporter) -> None:
    job = JobCounters(42, "benchmark", 2, 2, ["all_reduce"], sizes_bytes=iter([1000, 3000]))
    exporter.add(job)
    labels = {"job_id": "42", "op": "all_reduce"}
    assert value(exporter, "collective_size_seconds_total", **labels, message_bytes="3000") == 0
    kind = IterationKind(algorithm="ring", transport="mpi", in_place=True, bytes=1000)
    told = Iterations(
        rank=2, first_step=4, op="all_reduce", bus_factor=1.5, kinds=[kind, kind.model_copy(update={"bytes": 3000})],
        blocks=[IterationBlock(0, 2, 10**18), IterationBlock(1, 1, 10**18 + 10**7)], duration_ns=[20_000, 30_000, 400],
    )  # fmt: skip
    for rank in (2, 3):
        exporter.fold(job, told.model_copy(update={"rank": rank}))
    for size, bus_bytes, seconds in (("1000", 6000, 100e-6), ("3000", 9000, 800e-9)):
        assert value(exporter, "collective_size_bus_bytes_total", **labels, message_bytes=size) == bus_bytes
        assert value(exporter, "collective_size_seconds_total", **labels, message_bytes=size) == pytest.approx(seconds)
    for size in range(4, 4 * 100, 4):
        exporter.fold(job, steps(rank=2).model_copy(update={"bytes": size}))
    assert len(job.sizes["all_reduce"]) == MOST_SIZES + 1
    of_ranks = sum(rank.ops["all_reduce"].bus_bytes for rank in job.ranks.values())
    assert sum(size.bus_bytes for size in job.sizes["all_reduce"].values()) == of_ranks


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


def test_training_steps_count_samples_which_benchmarks_do_not_have(exporter: Exporter, job: JobCounters) -> None:
    training = JobCounters(43, "training", first_rank=0, slots=2, ops=["all_reduce"])
    exporter.add(training)
    assert value(exporter, "rank_samples_total", job_id="43", rank="1") == 0
    for first_step in (0, 2):
        exporter.fold(training, steps(rank=1, first_step=first_step, samples=[32, 31], loss=[1.0, float("nan")]))
    assert value(exporter, "rank_samples_total", job_id="43", rank="1") == 126
    assert value(exporter, "rank_samples_total", job_id="43", rank="0") == 0
    assert value(exporter, "rank_compute_seconds_total", job_id="43", rank="1") == pytest.approx(2 * 1010e-6)
    assert value(exporter, "step_duration_seconds_count", job_id="43", kind="training") == 4
    exporter.fold(job, steps(rank=2))
    assert value(exporter, "rank_samples_total", job_id="42", rank="2") is None


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


async def test_ranks_may_wait_for_a_scrape_of_their_zeros(exporter: Exporter, job: JobCounters) -> None:
    list(exporter.collect())  # before they were shown, which is no use
    waiting = asyncio.create_task(exporter.wait_for_scrape(seconds=60))
    await asyncio.sleep(0)
    assert not waiting.done()
    list(exporter.collect())
    await waiting
    await exporter.wait_for_scrape(seconds=0.001)  # nobody asks


def test_gpus_are_left_out_until_they_are_looked_at(exporter: Exporter) -> None:
    assert value(exporter, "gpu_power_watts", gpu="0") is None
    exporter.gpus = [
        GpuState(
            index=0, utilization_ratio=0.5, memory_used_bytes=1 << 30, temperature_celsius=61, power_watts=412.5,
            nvlink_transmit_bytes=2048, clock_mhz=1410, slowed_by=["too_hot"], hot_seconds=2.5, ecc_uncorrected=1,
            is_remap_pending=True, xids=[74, 74],
        )
    ]  # fmt: skip
    assert value(exporter, "gpu_clock_hertz", gpu="0") == 1.41e9
    assert value(exporter, "gpu_slowed", gpu="0", reason="too_hot") == 1
    assert value(exporter, "gpu_slowed", gpu="0", reason="power_cap") == 0
    assert value(exporter, "gpu_slowed_seconds_total", gpu="0", reason="heat") == 2.5
    assert value(exporter, "gpu_slowed_seconds_total", gpu="0", reason="power") is None
    assert value(exporter, "gpu_ecc_errors_total", gpu="0", kind="uncorrected") == 1
    assert value(exporter, "gpu_row_remap_pending", gpu="0") == 1
    assert value(exporter, "gpu_xid", gpu="0", xid="74") == 1
    assert value(exporter, "gpu_utilization_ratio", gpu="0") == 0.5
    assert value(exporter, "gpu_memory_used_bytes", gpu="0") == 1 << 30
    assert value(exporter, "gpu_temperature_celsius", gpu="0") == 61
    assert value(exporter, "gpu_power_watts", gpu="0") == 412.5
    assert value(exporter, "gpu_nvlink_transmit_bytes_total", gpu="0") == 2048
    assert value(exporter, "gpu_nvlink_receive_bytes_total", gpu="0") is None, "a GPU that cannot tell has no series"
    exporter.gpus = [GpuState(index=0)]
    assert value(exporter, "gpu_slowed", gpu="0", reason="too_hot") is None


def test_the_place_of_a_rank_is_the_key_to_its_gpu(exporter: Exporter, job: JobCounters) -> None:
    exporter.fold(job, Hello(rank=2, local_rank=0, ranks=4, pid=1, host="h", device="5 [0000:17:00.0]", time_ns=0))
    exporter.fold(job, Hello(rank=3, local_rank=1, ranks=4, pid=1, host="h", device="cpu", time_ns=0))
    assert value(exporter, "rank_info", job_id="42", rank="2", local_rank="0", gpu="5") == 1
    assert value(exporter, "rank_info", job_id="42", rank="3", local_rank="1", gpu="") == 1


def test_a_gang_too_large_for_a_series_of_each_rank_has_one_for_the_node() -> None:
    exporter = Exporter({}, lambda: 0, max_world_size=4)
    job = JobCounters(42, "training", first_rank=2, slots=3, ops=["all_reduce"], world_size=5)
    exporter.add(job)
    for rank in (2, 3, 4):
        exporter.fold(job, Hello(rank=rank, local_rank=rank - 2, ranks=5, pid=1, host="h", time_ns=0))
    exporter.fold(job, steps(rank=2))
    exporter.fold(job, steps(rank=3, first_step=7, communication_us=[10.0, 6000.0], start_ns=[10**9, 9 * 10**9]))
    exporter.fold(job, Done(rank=4, dropped=0))
    rank: dict[str, str] = {"job_id": "42", "rank": "all"}
    assert value(exporter, "rank_steps_total", **rank) == 4
    assert value(exporter, "rank_up", **rank) == 1
    assert value(exporter, "rank_last_step", **rank) == 1, "of the rank that is furthest behind"
    assert value(exporter, "rank_last_step_timestamp_seconds", **rank) == pytest.approx(2.003)
    op = rank | {"op": "all_reduce"}
    assert value(exporter, "rank_collective_bus_bytes_total", **op) == 6000
    assert value(exporter, "rank_last_collective_duration_seconds", **op) == pytest.approx(6e-3)
    assert value(exporter, "rank_last_bus_bandwidth_bytes_per_second", **op) == pytest.approx(250_000)
    assert value(exporter, "rank_steps_total", job_id="42", rank="2") is None
    assert value(exporter, "step_duration_seconds_count", job_id="42", kind="training") == 4


@pytest.mark.parametrize(("kind", "of_a_rank", "budget"), [("benchmark", 14, 10_240), ("training", 17, 11_264)])
def test_512_ranks_on_64_nodes_stay_within_the_budget(kind: JobKind, of_a_rank: int, budget: int) -> None:
    of_steps = {"samples": [8, 8], "input_us": [1.0, 1.0], "memory_bytes": 9} if kind == "training" else {}
    series: Counter[str] = Counter()
    for node in range(64):
        exporter = Exporter({}, lambda: 0)
        job = JobCounters(42, kind, first_rank=8 * node, slots=8, ops=["all_reduce"], world_size=512)
        exporter.add(job)
        for rank in job.ranks:
            exporter.fold(job, Hello(rank=rank, local_rank=0, ranks=512, pid=1, host="h", time_ns=0))
            exporter.fold(job, steps(rank=rank, **of_steps))
        series.update(sample.name for family in exporter.collect() for sample in family.samples)
    of_ranks = sum(count for name, count in series.items() if name.startswith("ringscope_rank_"))
    of_histograms = sum(count for name, count in series.items() if "_duration_seconds_" in name)
    assert series["ringscope_rank_steps_total"] == 512
    assert of_ranks == 512 * of_a_rank, "as docs/metrics.md says"
    assert of_histograms <= 64 * (22 + 18)
    assert of_ranks + of_histograms <= budget
    exporter.remove(job)
    assert not any("job_id" in sample.labels for family in exporter.collect() for sample in family.samples)


def test_the_page_and_the_table_have_the_same_metrics(exporter: Exporter, job: JobCounters) -> None:
    exporter.contact()
    exporter.gpus = [GpuState.model_validate(FULL_STATE)]
    exporter.fold(job, Hello(rank=2, local_rank=0, ranks=4, pid=1, host="h", time_ns=0))
    exporter.fold(job, steps(rank=2, samples=[8, 8], input_us=[1.0, 1.0], memory_bytes=9))
    exported = dict(map(shape, exporter.collect()))
    declared = {family.name: set(family.labels) for family in (*AGENT.families, *COLLECTOR.families)}
    assert exported == declared


def shape(family: Metric) -> tuple[str, set[str]]:
    """Name and labels, as the series of a family have them."""
    suffix = "_total" if family.type == "counter" else ""
    (labels,) = {frozenset(sample.labels) - {"le"} for sample in family.samples}
    return family.name + suffix, set(labels)


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


def test_the_slow_step_is_named_by_an_exemplar(page: str, exporter: Exporter, job: JobCounters) -> None:
    exporter.fold(job, steps(rank=3, first_step=810))  # the second of its steps is step 811
    text = httpx.get(page, headers={"Accept": "application/openmetrics-text; version=1.0.0"}).text
    for name, bound, seconds in (("collective_duration", "0.0025", 0.002), ("step_duration", "0.005", 0.003)):
        (exemplar,) = (
            sample.exemplar
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == f"ringscope_{name}_seconds_bucket" and sample.labels["le"] == bound
        )
        assert exemplar is not None
        assert exemplar.labels == {"rank": "3", "step": "811"}
        assert (exemplar.value, float(exemplar.timestamp or 0)) == (pytest.approx(seconds), pytest.approx(2.003))
    assert "# {" not in httpx.get(page).text, "Prometheus' own format has no exemplars"


FULL_STATE = {
    "index": 0, "utilization_ratio": 0.5, "memory_used_bytes": 1, "temperature_celsius": 61, "power_watts": 412.5,
    "power_limit_watts": 700, "clock_mhz": 1980, "most_clock_mhz": 1980, "memory_clock_mhz": 3201, "hot_seconds": 1,
    "power_capped_seconds": 2, "ecc_corrected": 1, "ecc_uncorrected": 0, "rows_remapped": 0, "is_remap_pending": False,
    "has_remap_failed": False, "nvlinks_up": 18, "nvlink_errors": 0, "nvlink_transmit_bytes": 2,
    "nvlink_receive_bytes": 3, "xids": [74], "slowed_by": [],
}  # fmt: skip
