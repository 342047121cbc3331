"""The server's /metrics: a custom collector over MonitoringState, names as in docs/metrics.md."""

from collections import Counter as Count
from collections.abc import Iterable
from typing import get_args

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ringscope import __version__
from ringscope.spec import JobKind
from ringscope_server.events.stream import Stream
from ringscope_server.jobs.states import TERMINAL, JobState
from ringscope_server.monitoring.state import MonitoringState

KINDS: tuple[str, ...] = get_args(JobKind)
LIVE_STATES: tuple[str, ...] = tuple(state for state in get_args(JobState) if state not in TERMINAL)
OUTCOMES = ("succeeded", "failed", "cancelled", "timed_out", "node_lost")


class ServerCollector(Collector):
    """Yields every family from memory: no query, no lock, no clock."""

    def __init__(self, state: MonitoringState, stream: Stream) -> None:
        self._state = state
        self._stream = stream

    def collect(self) -> Iterable[Metric]:
        """All metrics of the server."""
        yield from self._job_metrics()
        yield from self._node_metrics()
        yield from self._service_metrics()

    def _job_metrics(self) -> Iterable[Metric]:
        state = self._state
        live = Count((job.kind, job.state) for job in state.jobs)
        jobs = GaugeMetricFamily("ringscope_jobs", "Live jobs by state.", labels=["kind", "state"])
        submitted = CounterMetricFamily("ringscope_jobs_submitted", "Jobs submitted.", labels=["kind"])
        finished = CounterMetricFamily("ringscope_jobs_finished", "Jobs ended.", labels=["kind", "outcome"])
        for kind in KINDS:
            for name in LIVE_STATES:
                jobs.add_metric([kind, name], live[kind, name])
            submitted.add_metric([kind], state.submitted[kind])
            for outcome in OUTCOMES:
                finished.add_metric([kind, outcome], state.finished[kind, outcome])
        yield from (jobs, submitted, finished)
        info = GaugeMetricFamily(
            "ringscope_job_info",
            "Facts about an active job.",
            labels=["job_id", "kind", "op", "world_size", "user"],
        )
        started = GaugeMetricFamily(
            "ringscope_job_start_timestamp_seconds",
            "Unix time at which the ranks started.",
            labels=["job_id"],
        )
        for job in state.jobs:
            info.add_metric([str(job.id), job.kind, job.op, str(job.world_size), job.user], 1)
            if job.started_at is not None:
                started.add_metric([str(job.id)], job.started_at.timestamp())
        yield from (info, started)

    def _node_metrics(self) -> Iterable[Metric]:
        up = GaugeMetricFamily("ringscope_node_up", "Heartbeats of the node arrive.", labels=["node"])
        heartbeat = GaugeMetricFamily(
            "ringscope_node_last_heartbeat_timestamp_seconds",
            "Unix time of the last heartbeat.",
            labels=["node"],
        )
        for node in self._state.nodes:
            up.add_metric([node.name], float(node.is_up))
            heartbeat.add_metric([node.name], node.last_heartbeat_at.timestamp())
        yield from (up, heartbeat)

    def _service_metrics(self) -> Iterable[Metric]:
        state = self._state
        oldest = GaugeMetricFamily(
            "ringscope_queue_oldest_submit_timestamp_seconds",
            "Unix time at which the oldest queued job came.",
        )
        if state.oldest_queued_at is not None:
            oldest.add_metric([], state.oldest_queued_at.timestamp())
        last_pass = GaugeMetricFamily(
            "ringscope_scheduler_last_pass_timestamp_seconds", "Unix time of the last scheduling pass."
        )
        if state.last_pass_at is not None:
            last_pass.add_metric([], state.last_pass_at.timestamp())
        ingested = CounterMetricFamily("ringscope_ingest_records", "Rows stored from agents.", labels=["kind"])
        for kind in ("steps", "measurement", "log", "check", "hello", "failure", "done"):
            ingested.add_metric([kind], state.ingested[kind])
        rejected = CounterMetricFamily("ringscope_ingest_rejected", "Records refused.", labels=["reason"])
        rejected.add_metric(["malformed"], state.rejected["malformed"])
        build = GaugeMetricFamily("ringscope_build_info", "Build of the server.", labels=["version"])
        build.add_metric([__version__], 1)
        yield from (oldest, last_pass, ingested, rejected, build)
        yield GaugeMetricFamily(
            "ringscope_stream_subscribers", "Open live streams.", value=float(self._stream.subscribers)
        )
        yield CounterMetricFamily(
            "ringscope_stream_messages_dropped",
            "Live messages dropped for browsers that read too slowly.",
            value=float(self._stream.dropped_total),
        )


def outcome_label(state: str, reason: str | None) -> str:
    """The ``outcome`` label of a job that ended: its state, or what ended it where that says more."""
    return {"time_limit": "timed_out", "node_lost": "node_lost"}.get(reason or "", state)


def registry(state: MonitoringState, stream: Stream) -> CollectorRegistry:
    """A registry with the server's collector only: nothing global, so that tests and servers never mix."""
    own = CollectorRegistry(auto_describe=False)
    own.register(ServerCollector(state, stream))
    return own
