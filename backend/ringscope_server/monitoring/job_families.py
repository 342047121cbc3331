"""The metric families of jobs, and of finished benchmarks."""

from collections.abc import Iterator
from typing import get_args

from prometheus_client.core import Metric

from ringscope.contracts.job import JobKind
from ringscope.contracts.metrics import server as table
from ringscope.contracts.metrics.labels import op_label
from ringscope.contracts.metrics.page import Series, single
from ringscope.contracts.words.job_states import TERMINAL, JobState
from ringscope_server.monitoring.state import MonitoringState

KINDS: tuple[str, ...] = get_args(JobKind)
STATES: tuple[str, ...] = get_args(JobState)
LIVE_STATES = tuple(state for state in get_args(JobState) if state not in TERMINAL)
OUTCOMES = ("succeeded", "failed", "cancelled", "timed_out", "node_lost")


def job_families(state: MonitoringState) -> Iterator[Metric]:
    """Yield all families."""
    yield from _counts(state)
    yield from _active(state)
    yield from _queue(state)
    yield from _benchmarks(state)
    blamed = Series(table.DIAGNOSIS_BLAMED)
    for job_id, part in state.blames.active:
        blamed.add(job_id, part.kind, ",".join(part.labels), value=1)
    yield blamed.metric


def outcome_label(state: str, reason: str | None) -> str:
    """Return the ``outcome`` label of an ended job: its state, or its reason if that says more."""
    return {"time_limit": "timed_out", "node_lost": "node_lost"}.get(reason or "", state)


def _counts(state: MonitoringState) -> Iterator[Metric]:
    jobs, submitted, finished = Series(table.JOBS), Series(table.JOBS_SUBMITTED), Series(table.JOBS_FINISHED)
    durations = Series(table.JOB_DURATION)
    for kind in KINDS:
        submitted.add(kind, value=state.submitted[kind])
        for name in LIVE_STATES:
            jobs.add(kind, name, value=state.live[kind, name])
        for outcome in OUTCOMES:
            finished.add(kind, outcome, value=state.finished[kind, outcome])
            durations.distribution(kind, outcome, histogram=state.durations.of(kind, outcome))
    yield from (jobs.metric, submitted.metric, finished.metric, durations.metric)


def _active(state: MonitoringState) -> Iterator[Metric]:
    info, states, started = Series(table.JOB_INFO), Series(table.JOB_STATE), Series(table.JOB_START_TIMESTAMP)
    expected, loss = Series(table.JOB_EXPECTED_BUS_BANDWIDTH), Series(table.TRAINING_LOSS)
    goodput, of_expected = Series(table.JOB_GOODPUT), Series(table.JOB_BUS_BANDWIDTH_OF_EXPECTED)
    for job in state.jobs:
        op = op_label(job.op)
        info.add(job.id, job.kind, op, job.world_size, job.user, job.name, job.algorithms, job.schedule, value=1)
        for name in STATES:
            states.add(job.id, name, value=float(name == job.state))
        started.add(job.id, value=job.started_at.timestamp() if job.started_at else None)
        expected.add(job.id, op, value=state.expected_bandwidth.bandwidths.get(job.id))
        of_expected.add(job.id, op, value=state.expected_bandwidth.shares.get(job.id))
        goodput.add(job.id, value=state.goodput.ratio(job.id))
        loss.add(job.id, value=state.losses.get(job.id))
    yield from (info.metric, states.metric, started.metric, expected.metric, of_expected.metric)
    yield from (goodput.metric, loss.metric)


def _queue(state: MonitoringState) -> Iterator[Metric]:
    oldest, last_pass = state.oldest_queued_at, state.last_pass_at
    yield single(table.QUEUE_OLDEST_SUBMIT_TIMESTAMP, oldest.timestamp() if oldest else None)
    yield single(table.SCHEDULER_LAST_PASS_TIMESTAMP, last_pass.timestamp() if last_pass else None)
    waits = Series(table.QUEUE_WAIT)
    for kind in KINDS:
        waits.distribution(kind, histogram=state.queue_waits.of(kind))
    yield waits.metric


def _benchmarks(state: MonitoringState) -> Iterator[Metric]:
    bandwidths, last_runs = Series(table.BENCHMARK_BUS_BANDWIDTH), Series(table.BENCHMARK_LAST_RUN_TIMESTAMP)
    for shape, bandwidth in state.benchmarks.bandwidths.items():
        bandwidths.add(*shape, value=bandwidth)
    for run, ended_at in state.benchmarks.last_runs.items():
        last_runs.add(*run, value=ended_at.timestamp())
    yield from (bandwidths.metric, last_runs.metric)
