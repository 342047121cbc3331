"""What /metrics shows, kept in memory: a scrape must answer while the database is busy."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class NodeMetrics:
    """A node as monitoring sees it."""

    name: str
    metrics_address: str
    is_up: bool
    last_heartbeat_at: datetime


@dataclass(frozen=True)
class JobMetrics:
    """A job that is not over yet."""

    id: int
    kind: str
    op: str
    world_size: int
    user: str
    state: str
    started_at: datetime | None


@dataclass
class MonitoringState:
    """Refreshed by the scheduler's loop after each pass; counters are raised where things happen."""

    is_ready: bool = False
    nodes: tuple[NodeMetrics, ...] = ()
    jobs: tuple[JobMetrics, ...] = ()
    oldest_queued_at: datetime | None = None
    last_pass_at: datetime | None = None
    submitted: Counter[str] = field(default_factory=Counter)  # by kind
    finished: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and outcome
    ingested: Counter[str] = field(default_factory=Counter)  # by record type
    rejected: Counter[str] = field(default_factory=Counter)  # by reason
