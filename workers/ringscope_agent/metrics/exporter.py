"""The agent's metrics: the known state of ranks and agent at the moment of the scrape."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ringscope.contracts.metrics import agent as table
from ringscope.contracts.metrics.collector import COLLECTOR_DURATION, COLLECTOR_ERRORS
from ringscope.contracts.metrics.page import Series, single
from ringscope.contracts.reading import GpuState
from ringscope.contracts.record import Record
from ringscope_agent.metrics.counters import JobCounters
from ringscope_agent.metrics.gpu_families import gpu_families
from ringscope_agent.metrics.rank_families import job_families

DROP_REASONS = ("rank_buffer", "malformed", "ring_lapped", "spool_full", "refused")
MAX_WORLD_SIZE = 1024
SCRAPE_POLL_SECONDS = 0.02  # pages are made in another thread


class Exporter(Collector):
    """Holds the counters of live jobs and of the agent, and yields them to a scrape in another thread.

    Args:
        versions: of ringscope, nccl and driver, if they are installed.
        max_world_size: a larger gang gets one series for this node instead of one for each rank.
    """

    def __init__(
        self, versions: Mapping[str, str], spool_bytes: Callable[[], int], max_world_size: int = MAX_WORLD_SIZE
    ) -> None:
        self._versions = versions
        self._spool_bytes = spool_bytes
        self._max_world_size = max_world_size
        self._lock = threading.Lock()
        self._jobs: dict[int, JobCounters] = {}
        self._dropped = dict.fromkeys(DROP_REASONS, 0)
        self._last_contact_seconds: float | None = None
        self._errors = 0
        self._pages = 0
        self.gpus: Sequence[GpuState] | None = None  # None if they are not read

    def add(self, job: JobCounters) -> None:
        """Show the job's series; an earlier attempt of the same job gives way."""
        with self._lock:
            self._jobs[job.job_id] = job

    def remove(self, job: JobCounters) -> None:
        """Remove the job's series, unless a newer attempt has replaced them."""
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
        """Note that the rank's connection closed."""
        with self._lock:
            job.hang_up(rank)

    def count_dropped(self, reason: str, records: int = 1) -> None:
        """Count records that were lost before they reached the server, for one of ``DROP_REASONS``."""
        with self._lock:
            self._dropped[reason] += records

    def contact(self) -> None:
        """Note that the server accepted a request just now."""
        self._last_contact_seconds = time.time()

    async def wait_for_scrape(self, seconds: float) -> None:
        """Wait until a page with the current series was made, or until the time is over."""
        before, deadline = self._pages, time.monotonic() + seconds
        while self._pages == before and time.monotonic() < deadline:  # noqa: ASYNC110  # set in another thread
            await asyncio.sleep(SCRAPE_POLL_SECONDS)

    def collect(self) -> Iterator[Metric]:
        """Yield all families; a fault in one job costs the jobs' series, not the page."""
        started = time.perf_counter()
        with self._lock:
            self._pages += 1
            families = list(self._agent_families())
            try:
                families += job_families(list(self._jobs.values()), self._max_world_size)
            except (ArithmeticError, LookupError, TypeError, ValueError):
                self._errors += 1
        if self.gpus is not None:
            families += gpu_families(self.gpus)
        yield from families
        yield single(COLLECTOR_DURATION, time.perf_counter() - started)
        yield single(COLLECTOR_ERRORS, self._errors)

    def _agent_families(self) -> Iterator[Metric]:
        versions = (self._versions.get(name, "") for name in ("ringscope", "nccl", "driver"))
        yield Series(table.AGENT_INFO).add(*versions, value=1).metric
        dropped = Series(table.AGENT_RECORDS_DROPPED)
        for reason, count in self._dropped.items():
            dropped.add(reason, value=count)
        yield dropped.metric
        yield single(table.AGENT_SPOOL_BYTES, self._spool_bytes())
        yield single(table.AGENT_LAST_SERVER_CONTACT, self._last_contact_seconds)
