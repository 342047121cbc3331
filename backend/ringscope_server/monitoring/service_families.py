"""The metric families of the server itself."""

from collections.abc import Iterator
from typing import get_args

from prometheus_client.core import Metric

from ringscope.contracts.metrics import server as table
from ringscope.contracts.metrics.page import Series, single
from ringscope.contracts.record import Record
from ringscope.contracts.words.version import __version__
from ringscope_server.live.stream import Stream
from ringscope_server.monitoring.state import MonitoringState

RECORD_TYPES: tuple[str, ...] = tuple(model.model_fields["type"].default for model in get_args(get_args(Record)[0]))


def service_families(state: MonitoringState, stream: Stream) -> Iterator[Metric]:
    """Yield all families."""
    yield from _ingest(state)
    yield single(table.STREAM_SUBSCRIBERS, stream.subscribers)
    yield single(table.STREAM_MESSAGES_DROPPED, stream.dropped_total)
    yield from _requests(state)
    yield _background_tasks(state)
    yield Series(table.BUILD_INFO).add(__version__, state.revision, value=1).metric


def _ingest(state: MonitoringState) -> Iterator[Metric]:
    ingested, rejected = Series(table.INGEST_RECORDS), Series(table.INGEST_REJECTED)
    for kind in RECORD_TYPES:
        ingested.add(kind, value=state.ingested[kind])
    rejected.add("malformed", value=state.rejected["malformed"])
    yield from (ingested.metric, rejected.metric)
    yield Series(table.INGEST_DELAY).distribution(histogram=state.ingest_delays).metric


def _background_tasks(state: MonitoringState) -> Metric:
    ages = Series(table.BACKGROUND_TASK_AGE)
    for task, seconds in state.background_tasks.ages().items():
        ages.add(task, value=seconds)
    return ages.metric


def _requests(state: MonitoringState) -> Iterator[Metric]:
    requests = Series(table.HTTP_REQUEST_DURATION)
    for labels, histogram in sorted(state.requests.by_labels.items()):
        requests.distribution(*labels, histogram=histogram)
    refused, limited = Series(table.AUTH_FAILURES), Series(table.REQUESTS_LIMITED)
    for reason in ("no_token", "bad_token", "login"):
        refused.add(reason, value=state.refused[reason])
    for noun in ("token", "address"):
        limited.add(noun, value=state.limited[noun])
    yield from (requests.metric, refused.metric, limited.metric)
