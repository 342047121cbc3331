"""The services of routes and of the scheduler: one object per application."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ringscope_server.db.engine import Database
from ringscope_server.db.lease import Lease
from ringscope_server.insights.pulses import Pulses
from ringscope_server.insights.state import InsightState
from ringscope_server.instants import as_ns
from ringscope_server.live.notices import Notices
from ringscope_server.live.signals import Signals
from ringscope_server.live.steps import LiveSteps
from ringscope_server.live.stream import Stream
from ringscope_server.monitoring.state import MonitoringState
from ringscope_server.nodes.directory import Directory
from ringscope_server.nodes.gpus import GpuStates
from ringscope_server.nodes.heartbeats import Heartbeats
from ringscope_server.nodes.ras import RasStates
from ringscope_server.nodes.readings import Readings
from ringscope_server.overload.admission import Admission
from ringscope_server.overload.background_tasks import BackgroundTasks
from ringscope_server.overload.concurrency_limit import ConcurrencyLimit
from ringscope_server.overload.process_pool import ProcessPool
from ringscope_server.placement.capacity import Capacity
from ringscope_server.placement.growths import Growths
from ringscope_server.placement.queue import Queue
from ringscope_server.settings import Settings
from ringscope_server.steady_clock import SteadyClock
from ringscope_server.urls import Resolve, resolve
from ringscope_server.users.last_use import LastUse
from ringscope_server.users.rate_limit import RateLimiter
from ringscope_server.users.token_cache import TokenCache

# The modules of functions that are called in other processes.
WORKED_OUT_BY = (
    "ringscope.choice.prediction",
    "ringscope_server.explanations.question",
    "ringscope_server.imports.prepared",
    "ringscope_server.planner.examples",
    "ringscope_server.planner.fitting",
    "ringscope_server.planner.prices",
    "ringscope_server.predictions.gradient_sum",
)
SCANS_AT_ONCE = 3
LONG_PAGES_AT_ONCE = 2
STRANGERS_SHARE = 0.1  # share of a token's rate, for one address without a token


def utc_now() -> datetime:
    """Return the time of this machine's clock."""
    return datetime.now(UTC)


@dataclass
class Services:
    """Database, live stream, signals between tasks, settings and the clock."""

    settings: Settings
    database: Database
    clock: SteadyClock = field(default_factory=lambda: SteadyClock(utc_now))  # tests hand in another
    resolve: Resolve = resolve  # resolves webhooks' host names; tests pass another one
    stream: Stream = field(default_factory=Stream)
    steps: LiveSteps = field(default_factory=LiveSteps)
    signals: Signals = field(default_factory=Signals)
    admission: Admission = field(default_factory=Admission)
    heartbeats: Heartbeats = field(default_factory=Heartbeats)
    readings: Readings = field(default_factory=Readings)
    ras: RasStates = field(default_factory=RasStates)
    gpus: GpuStates = field(default_factory=GpuStates)
    directory: Directory = field(default_factory=Directory)
    token_cache: TokenCache = field(default_factory=TokenCache)
    capacity: Capacity = field(default_factory=Capacity)
    queue: Queue = field(default_factory=Queue)
    growths: Growths = field(default_factory=Growths)
    monitoring: MonitoringState = field(default_factory=MonitoringState)
    pulses: Pulses = field(default_factory=Pulses)
    insights: InsightState = field(default_factory=InsightState)
    last_use: LastUse = field(default_factory=LastUse)
    # Names this life of this server among those on the same database.
    instance: str = field(default_factory=lambda: secrets.token_hex(8))
    notices: Notices = field(default_factory=Notices)
    planner: ProcessPool = field(default_factory=lambda: ProcessPool(WORKED_OUT_BY))
    # Reads of a whole log take seconds and a connection each: the rest of the pool is for everybody else.
    scans: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(SCANS_AT_ONCE, each=1))
    # With a thousand jobs each step takes some 50 ms, in which no request is answered: only a few run side by side.
    long_pages: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(LONG_PAGES_AT_ONCE, each=1))
    lease: Lease = field(init=False)
    user_limit: RateLimiter = field(init=False)
    stranger_limit: RateLimiter = field(init=False)

    def __post_init__(self) -> None:
        self.lease = Lease(self.database, self.instance, self.settings.lease_seconds)
        self.user_limit = RateLimiter(self.settings.requests_per_second)
        self.stranger_limit = RateLimiter(self.settings.requests_per_second * STRANGERS_SHARE)

    def now(self) -> datetime:
        """The time that everything here is written by."""
        return self.clock.now()

    def follow_clock(self) -> None:
        """Go by the wall clock as it was set: what is stored has moved along, and what waits to be stored does now."""
        step = self.clock.accept()
        self.heartbeats.move(step)
        self.pulses.move(step)

    @property
    def background_tasks(self) -> BackgroundTasks:
        """Return the times at which the server's own work was last done."""
        return self.monitoring.background_tasks

    def now_ns(self) -> int:
        """The clock in nanoseconds since 1970."""
        return as_ns(self.now())

    def close(self) -> None:
        """Let go of every request that is held open: the server stops."""
        self.signals.close()
        self.planner.close()
        self.stream.close()
