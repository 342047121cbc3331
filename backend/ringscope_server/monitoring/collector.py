"""The server's /metrics: a custom collector over MonitoringState; its metrics are those of docs/metrics.md."""

import logging
import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ringscope.contracts.metrics.collector import COLLECTOR_DURATION, COLLECTOR_ERRORS
from ringscope.contracts.metrics.page import single
from ringscope_server.live.stream import Stream
from ringscope_server.monitoring.job_families import job_families
from ringscope_server.monitoring.node_families import node_families
from ringscope_server.monitoring.service_families import service_families
from ringscope_server.monitoring.state import MonitoringState

log = logging.getLogger(__name__)


class ServerCollector(Collector):
    """Yields every family from memory: no query and no lock."""

    def __init__(self, state: MonitoringState, stream: Stream) -> None:
        self._state = state
        self._stream = stream

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics of the server; a fault in one part of them costs that part, not the page."""
        state, started = self._state, time.perf_counter()
        found: list[Metric] = []
        for part in (job_families(state), node_families(state), service_families(state, self._stream)):
            try:
                found += list(part)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                log.exception("A part of /metrics is missing")
                state.collector_errors += 1
        yield from found
        yield single(COLLECTOR_DURATION, time.perf_counter() - started)
        yield single(COLLECTOR_ERRORS, state.collector_errors)


def registry(state: MonitoringState, stream: Stream) -> CollectorRegistry:
    """Return a registry with only the server's collector: nothing is global, so that tests and servers never mix."""
    own = CollectorRegistry(auto_describe=False)
    own.register(ServerCollector(state, stream))
    return own
