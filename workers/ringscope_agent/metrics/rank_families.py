"""The metric families of jobs: the work of their ranks on this node so far."""

from collections.abc import Callable, Iterator, Sequence

from prometheus_client.core import Metric

from ringscope.contracts.metrics import agent as table
from ringscope.contracts.metrics.family import Family
from ringscope.contracts.metrics.page import Series
from ringscope_agent.metrics.counters import JobCounters, OpCounters, RankCounters, merged

ALL_RANKS = "all"

_OF_A_RANK: dict[Family, Callable[[RankCounters], float | None]] = {
    table.RANK_STEPS: lambda rank: rank.steps,
    table.RANK_STEP_SECONDS: lambda rank: rank.step_seconds,
    table.RANK_COMPUTE_SECONDS: lambda rank: rank.compute_seconds,
    table.RANK_INPUT_SECONDS: lambda rank: rank.input_seconds,
    table.RANK_MEMORY_BYTES: lambda rank: rank.memory_bytes,
    table.RANK_SAMPLES: lambda rank: rank.samples,
    table.RANK_UP: lambda rank: float(rank.up),
    table.RANK_LAST_STEP: lambda rank: rank.last_step,
    table.RANK_LAST_STEP_TIMESTAMP: lambda rank: rank.last_step_time_seconds,
}
_OF_AN_OP: dict[Family, Callable[[OpCounters], float | None]] = {
    table.RANK_COLLECTIVES: lambda op: op.collectives,
    table.RANK_COLLECTIVE_SECONDS: lambda op: op.seconds,
    table.RANK_COLLECTIVE_BYTES: lambda op: op.bytes,
    table.RANK_COLLECTIVE_BUS_BYTES: lambda op: op.bus_bytes,
    table.RANK_VERIFICATION_ERRORS: lambda op: op.wrong,
    table.RANK_LAST_COLLECTIVE_DURATION: lambda op: op.last_seconds,
    table.RANK_LAST_BUS_BANDWIDTH: lambda op: op.last_bus_bytes_per_second,
}
_Rows = list[tuple[int, str, RankCounters]]  # job, label of the rank, its counters


def job_families(jobs: Sequence[JobCounters], max_world_size: int) -> Iterator[Metric]:
    """Yield all families; a job of more than ``max_world_size`` ranks gets one series for this node instead of one for
    each rank.
    """
    rows = [row for job in jobs for row in _rows(job, max_world_size)]
    yield from _rank_families(rows)
    yield from _sizes(jobs)
    yield from _histograms(jobs)


def _rows(job: JobCounters, max_world_size: int) -> _Rows:
    if job.world_size > max_world_size:
        return [(job.job_id, ALL_RANKS, merged(job.ranks.values()))]
    return [(job.job_id, str(number), rank) for number, rank in job.ranks.items()]


def _rank_families(rows: _Rows) -> Iterator[Metric]:
    for family, of_rank in _OF_A_RANK.items():
        series = Series(family)
        for job_id, label, rank in rows:
            series.add(job_id, label, value=of_rank(rank))
        yield series.metric
    for family, of_op in _OF_AN_OP.items():
        series = Series(family)
        for job_id, label, rank in rows:
            for name, op in rank.ops.items():
                series.add(job_id, label, name, value=of_op(op))
        yield series.metric
    info = Series(table.RANK_INFO)
    for job_id, label, rank in rows:
        if label != ALL_RANKS:
            info.add(job_id, label, rank.local_rank, rank.gpu, value=1)
    yield info.metric


def _sizes(jobs: Sequence[JobCounters]) -> Iterator[Metric]:
    seconds, bus_bytes = Series(table.SIZE_SECONDS), Series(table.SIZE_BUS_BYTES)
    for job in jobs:
        for name, sizes in job.sizes.items():
            for label, size in sizes.items():
                seconds.add(job.job_id, name, label, value=size.seconds)
                bus_bytes.add(job.job_id, name, label, value=size.bus_bytes)
    yield from (seconds.metric, bus_bytes.metric)


def _histograms(jobs: Sequence[JobCounters]) -> Iterator[Metric]:
    collectives, steps = Series(table.COLLECTIVE_DURATION), Series(table.STEP_DURATION)
    for job in jobs:
        for name, durations in job.collective_seconds.items():
            collectives.distribution(job.job_id, name, histogram=durations, exemplars=durations.exemplars)
        steps.distribution(job.job_id, job.kind, histogram=job.step_seconds, exemplars=job.step_seconds.exemplars)
    yield from (collectives.metric, steps.metric)
