"""The active insights as metrics."""

from collections.abc import Iterable

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ringscope.contracts.metrics.insights import INSIGHTS_ACTIVE, JOB_INSIGHT
from ringscope.contracts.metrics.page import Series
from ringscope_server.insights.state import InsightState


class InsightCollector(Collector):
    """Yields from memory; a job has at most ``insights.kinds.MAX_ACTIVE`` series."""

    def __init__(self, state: InsightState) -> None:
        self._state = state

    def collect(self) -> Iterable[Metric]:
        """Yield the number of insights of each kind, and each one of a job."""
        counts, of_jobs = Series(INSIGHTS_ACTIVE), Series(JOB_INSIGHT)
        for kind, count in self._state.counts.items():
            counts.add(kind, value=count)
        for insight in self._state.active:
            rank = "" if insight.rank is None else insight.rank
            of_jobs.add(insight.job_id, insight.kind, rank, insight.node or "", value=1)
        yield from (counts.metric, of_jobs.metric)
