"""The agent's /metrics page: families made from the counters in memory at the moment of the scrape."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, disable_created_metrics, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from ringscope.record import Record
from ringscope_agent.counters import Histogram, JobCounters, OpCounters, RankCounters

DROP_REASONS = ("rank_buffer", "malformed", "spool_full", "refused")


class RankSeries(NamedTuple):
    """A series per (job, rank)."""

    name: str
    help: str
    value: Callable[[RankCounters], float | None]


class OpSeries(NamedTuple):
    """A series per (job, rank, op)."""

    name: str
    help: str
    value: Callable[[OpCounters], float | None]


# A name that ends in _total is a counter, any other a gauge.
RANK_SERIES = (
    RankSeries("rank_steps_total", "Steps finished.", lambda r: r.steps),
    RankSeries("rank_step_seconds_total", "Wall time in finished steps.", lambda r: r.step_seconds),
    RankSeries(
        "rank_compute_seconds_total",
        "Time outside collectives in finished steps.",
        lambda r: r.compute_seconds,
    ),
    RankSeries("rank_up", "Whether the rank process is alive.", lambda r: float(r.up)),
    RankSeries("rank_last_step", "Index of the last finished step.", lambda r: r.last_step),
    RankSeries(
        "rank_last_step_timestamp_seconds",
        "Unix time of the last finished step.",
        lambda r: r.last_step_time_seconds,
    ),
)
OP_SERIES = (
    OpSeries("rank_collectives_total", "Collectives finished.", lambda o: o.collectives),
    OpSeries(
        "rank_collective_seconds_total",
        "Time in finished collectives, waiting for peers included.",
        lambda o: o.seconds,
    ),
    OpSeries("rank_collective_bytes_total", "Message bytes of finished collectives.", lambda o: o.bytes),
    OpSeries(
        "rank_collective_bus_bytes_total",
        "Message bytes times the bus factor; all-reduce: 2(n-1)/n.",
        lambda o: o.bus_bytes,
    ),
    OpSeries(
        "rank_verification_errors_total",
        "Wrong elements found by the result check.",
        lambda o: o.wrong,
    ),
    OpSeries("rank_last_collective_duration_seconds", "Duration of the last collective.", lambda o: o.last_seconds),
    OpSeries(
        "rank_last_bus_bandwidth_bytes_per_second",
        "Bus bandwidth of the last collective.",
        lambda o: o.last_bus_bytes_per_second,
    ),
)


class Exporter(Collector):
    """Holds the counters of live jobs and of the agent, and yields them to a scrape in another thread."""

    def __init__(self, version: str, spool_bytes: Callable[[], int]) -> None:
        self._version = version
        self._spool_bytes = spool_bytes
        self._lock = threading.Lock()
        self._jobs: dict[int, JobCounters] = {}
        self._dropped = dict.fromkeys(DROP_REASONS, 0)
        self._last_contact_seconds: float | None = None
        self._collect_seconds = 0.0
        self._errors = 0

    def add(self, job: JobCounters) -> None:
        """Show the job's series; an earlier attempt of the same job gives way."""
        with self._lock:
            self._jobs[job.job_id] = job

    def remove(self, job: JobCounters) -> None:
        """Let the job's series vanish, unless a newer attempt has taken their place."""
        with self._lock:
            if self._jobs.get(job.job_id) is job:
                del self._jobs[job.job_id]

    def fold(self, job: JobCounters, record: Record) -> None:
        """Add one record to the job's counters."""
        with self._lock:
            before = job.records_dropped
            job.fold(record)
            self._dropped["rank_buffer"] += job.records_dropped - before

    def hang_up(self, job: JobCounters, rank: int) -> None:
        """The rank's connection closed."""
        with self._lock:
            job.hang_up(rank)

    def count_dropped(self, reason: str, records: int = 1) -> None:
        """Records lost before the server had them, for one of ``DROP_REASONS``."""
        with self._lock:
            self._dropped[reason] += records

    def contact(self) -> None:
        """The server accepted a request just now."""
        self._last_contact_seconds = time.time()

    def collect(self) -> Iterator[Metric]:
        """All families; a fault in one job costs that job's series, not the page."""
        started = time.perf_counter()
        with self._lock:
            families = list(self._agent_families())
            try:
                families += _job_families(list(self._jobs.values()))
            except (ArithmeticError, LookupError, TypeError, ValueError):
                self._errors += 1
        self._collect_seconds = time.perf_counter() - started
        yield from families
        yield _gauge("collector_duration_seconds", "Time this page took to make.", self._collect_seconds)
        yield _counter("collector_errors_total", "Pages that lack series because of a fault.", self._errors)

    def _agent_families(self) -> Iterator[Metric]:
        info = GaugeMetricFamily(
            "ringscope_agent_info",
            "Build and library versions.",
            labels=["version", "nccl_version", "driver_version"],
        )
        info.add_metric([self._version, "", ""], 1)
        yield info
        dropped = CounterMetricFamily(
            "ringscope_agent_records_dropped_total",
            "Records lost before the server had them.",
            labels=["reason"],
        )
        for reason, count in self._dropped.items():
            dropped.add_metric([reason], count)
        yield dropped
        yield _gauge("agent_spool_bytes", "Bytes of records that wait on disk.", self._spool_bytes())
        if self._last_contact_seconds is not None:
            yield _gauge(
                "agent_last_server_contact_timestamp_seconds",
                "Unix time of the last request that the server accepted.",
                self._last_contact_seconds,
            )


class MetricsServer:
    """Serves the page over HTTP in a thread of its own (OpenMetrics too, when asked)."""

    def __init__(self, exporter: Exporter, address: str, port: int) -> None:
        """Raises OSError when the address cannot be listened on."""
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        registry.register(exporter)
        self._server: WSGIServer
        self._server, self._thread = start_http_server(port, addr=address, registry=registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _job_families(jobs: list[JobCounters]) -> Iterator[Metric]:
    for rank_series in RANK_SERIES:
        family = _family(rank_series.name, rank_series.help, ["job_id", "rank"])
        for job in jobs:
            for number, rank in job.ranks.items():
                _add(family, [str(job.job_id), str(number)], rank_series.value(rank))
        yield family
    for op_series in OP_SERIES:
        family = _family(op_series.name, op_series.help, ["job_id", "rank", "op"])
        for job in jobs:
            for number, rank in job.ranks.items():
                for name, op in rank.ops.items():
                    _add(family, [str(job.job_id), str(number), name], op_series.value(op))
        yield family
    yield from _info_and_histograms(jobs)


def _info_and_histograms(jobs: list[JobCounters]) -> Iterator[Metric]:
    info = _family("rank_info", "Where a rank runs.", ["job_id", "rank", "local_rank", "gpu"])
    collectives = HistogramMetricFamily(
        "ringscope_collective_duration_seconds",
        "Collective durations over the ranks of this node.",
        labels=["job_id", "op"],
    )
    steps = HistogramMetricFamily(
        "ringscope_step_duration_seconds",
        "Step durations over the ranks of this node.",
        labels=["job_id", "kind"],
    )
    for job in jobs:
        for number, rank in job.ranks.items():
            _add(info, [str(job.job_id), str(number), str(rank.local_rank), ""], 1)
        for name, histogram in job.collective_seconds.items():
            collectives.add_metric([str(job.job_id), name], list(_buckets(histogram)), histogram.sum_seconds)
        steps.add_metric([str(job.job_id), job.kind], list(_buckets(job.step_seconds)), job.step_seconds.sum_seconds)
    yield from (info, collectives, steps)


def _buckets(histogram: Histogram) -> Iterable[tuple[str, float]]:
    bounds = [*(str(float(bound)) for bound in histogram.bounds_seconds), "+Inf"]
    return zip(bounds, (float(count) for count in histogram.counts.cumsum()), strict=True)


def _family(name: str, text: str, labels: list[str]) -> CounterMetricFamily | GaugeMetricFamily:
    family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
    return family(f"ringscope_{name}", text, labels=labels)


def _add(family: CounterMetricFamily | GaugeMetricFamily, labels: list[str], value: float | None) -> None:
    if value is not None:
        family.add_metric(labels, value)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"ringscope_{name}", text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"ringscope_{name}", text, value=value)
