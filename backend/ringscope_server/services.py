"""What routes and the scheduler work with: one object per application."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ringscope_server.db.engine import Database
from ringscope_server.events.stream import Stream
from ringscope_server.monitoring.state import MonitoringState
from ringscope_server.nodes.signals import Signals
from ringscope_server.settings import Settings


def utc_now() -> datetime:
    """The clock; tests hand in another."""
    return datetime.now(UTC)


@dataclass
class Services:
    """Database, live stream, signals between tasks, settings and the clock."""

    settings: Settings
    database: Database
    now: Callable[[], datetime] = utc_now
    stream: Stream = field(default_factory=Stream)
    signals: Signals = field(default_factory=Signals)
    monitoring: MonitoringState = field(default_factory=MonitoringState)

    def close(self) -> None:
        """Let go of every request that is held open: the server stops."""
        self.signals.close()
        self.stream.close()
