"""The content of /metrics, kept in memory: a scrape must answer while the database is busy."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ringscope.contracts.metrics import server as table
from ringscope.contracts.metrics.histogram import Histogram, Histograms
from ringscope.revision import revision
from ringscope_server.monitoring.benchmarks import Benchmarks
from ringscope_server.monitoring.blames import Blames
from ringscope_server.monitoring.expected_bandwidth import ExpectedBandwidth
from ringscope_server.monitoring.goodput import Goodput
from ringscope_server.monitoring.gpu_counts import GpuCounts
from ringscope_server.overload.background_tasks import BackgroundTasks


@dataclass(frozen=True)
class NodeMetrics:
    """A node as monitoring sees it."""

    name: str
    metrics_address: str
    is_up: bool
    last_heartbeat_at: datetime


@dataclass(frozen=True)
class JobMetrics:
    """A job that holds slots, or did a moment ago."""

    id: int
    kind: str
    op: str
    world_size: int
    user: str
    state: str
    started_at: datetime | None
    name: str = ""
    algorithms: str = ""
    schedule: str = ""  # by name


@dataclass
class MonitoringState:
    """The state, refreshed by the scheduler's loop after each pass; counters are raised when events happen."""

    is_ready: bool = False
    nodes: tuple[NodeMetrics, ...] = ()
    node_states: Mapping[str, int] = field(default_factory=Counter)
    gpu_states: Mapping[str, int] = field(default_factory=Counter)
    slot_states: Mapping[str, int] = field(default_factory=Counter)
    jobs: tuple[JobMetrics, ...] = ()
    leaving: dict[int, datetime] = field(default_factory=dict)  # jobs that hold slots no more: until when they show
    live: Counter[tuple[str, str]] = field(default_factory=Counter)  # jobs that are not over, by kind and state
    oldest_queued_at: datetime | None = None
    last_pass_at: datetime | None = None  # None while another server schedules
    gpu_counts: GpuCounts = field(default_factory=GpuCounts)
    benchmarks: Benchmarks = field(default_factory=Benchmarks)
    blames: Blames = field(default_factory=Blames)
    expected_bandwidth: ExpectedBandwidth = field(default_factory=ExpectedBandwidth)
    goodput: Goodput = field(default_factory=Goodput)
    losses: dict[int, float | None] = field(default_factory=dict)  # rank 0's last loss by job; None: not a number
    submitted: Counter[str] = field(default_factory=Counter)  # by kind
    finished: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and outcome
    queue_waits: Histograms = field(default_factory=lambda: Histograms(table.QUEUE_BUCKETS_SECONDS))  # by kind
    durations: Histograms = field(default_factory=lambda: Histograms(table.JOB_BUCKETS_SECONDS))  # kind and outcome
    ingested: Counter[str] = field(default_factory=Counter)  # by record type
    rejected: Counter[str] = field(default_factory=Counter)  # by reason
    ingest_delays: Histogram = field(default_factory=lambda: Histogram(table.INGEST_BUCKETS_SECONDS))
    requests: Histograms = field(default_factory=lambda: Histograms(table.HTTP_BUCKETS_SECONDS))  # method, route, code
    refused: Counter[str] = field(default_factory=Counter)  # requests without a valid token, by reason
    limited: Counter[str] = field(default_factory=Counter)  # requests that came too fast, by what is counted
    background_tasks: BackgroundTasks = field(default_factory=BackgroundTasks)
    collector_errors: int = 0
    revision: str = field(default_factory=revision)
