"""The last undisturbed benchmark of each shape, for gauges that outlive the jobs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from statistics import harmonic_mean
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import IMPORTED
from ringscope.contracts.metrics.labels import op_label
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.mode import DEFAULT
from ringscope_server.db.models import Attempt, Job, Measurement, Member
from ringscope_server.results.comparable import in_mode

# So many of the newest are looked at for news, and at the start of the server for what there is.
NEWEST_JOBS = 100
MAX_SHAPES = 2_000


class Shape(NamedTuple):
    """The labels of one gauge."""

    op: str
    message_bytes: int
    world_size: int
    nodes: int
    backend: str
    dtype: str
    redop: str
    crowded: str

    @property
    def run(self) -> "Run":
        """The shape without its size: all sizes of a sweep are one run."""
        return (self.op, self.world_size, self.nodes, self.backend, self.dtype, self.redop, self.crowded)


Run = tuple[str, int, int, str, str, str, str]
_Measured = Sequence[Any]  # op, bytes, ranks, cores, algorithm, transport, dtype, redop, GB/s


class Benchmarks:
    """Bus bandwidths by shape, and the time of the last run of each kind."""

    def __init__(self) -> None:
        self.bandwidths: dict[Shape, float] = {}  # bytes per second
        self.last_runs: dict[Run, datetime] = {}
        self._seen: set[int] = set()

    async def refresh(self, session: AsyncSession, ended: Collection[int]) -> None:
        """Take in benchmarks that succeeded; ``ended`` are jobs that have just released their slots."""
        newest = await session.scalars(
            select(Job.id)
            .where(Job.state == "succeeded", Job.kind != IMPORTED)
            .order_by(Job.id.desc())
            .limit(NEWEST_JOBS)
        )
        looked_at = {*newest, *ended}
        if news := looked_at - self._seen:
            for attempt_id, nodes, finished_at in (await session.execute(_ends(news))).all():
                rows = (await session.execute(_rows(attempt_id))).all()
                self._take(rows, nodes, finished_at)
        self._seen = looked_at

    def _take(self, rows: Collection[_Measured], nodes: int, ended_at: datetime) -> None:
        cycles: dict[Shape, list[float]] = {}
        for op, size_bytes, ranks, cores, algorithm, transport, dtype, redop, gb_per_s in rows:
            crowded = "true" if shared_cores(ranks, cores) else "false"
            backend = f"{algorithm}/{transport}"
            shape = Shape(op_label(op), size_bytes, ranks, nodes, backend, dtype, redop, crowded)
            cycles.setdefault(shape, []).append(gb_per_s * 1e9)
        for shape, found in cycles.items():
            self.bandwidths.pop(shape, None)  # what was measured last stands last, and goes last
            self.bandwidths[shape] = harmonic_mean(found)  # by the mean of the times, which move as many bytes
            self.last_runs[shape.run] = ended_at
        while len(self.bandwidths) > MAX_SHAPES:
            del self.bandwidths[next(iter(self.bandwidths))]
        kept = {shape.run for shape in self.bandwidths}
        self.last_runs = {run: time for run, time in self.last_runs.items() if run in kept}


def _ends(jobs: Collection[int]) -> Any:
    """Select the last attempt of each succeeded job, its number of nodes and its end, oldest first.

    Disturbed attempts and those in another mode are left out, because the gauges are compared with a week's median.
    """
    last = select(func.max(Attempt.id)).where(Attempt.job_id.in_(jobs)).group_by(Attempt.job_id)
    return (
        select(Attempt.id, func.count(Member.member), Job.finished_at)
        .join(Job, Job.id == Attempt.job_id)
        .join(Member, Member.attempt_id == Attempt.id)
        .where(
            Attempt.id.in_(last),
            Attempt.disturbed_by.is_(None),
            *in_mode(DEFAULT),
            Job.state == "succeeded",
        )
        .group_by(Attempt.id, Job.finished_at)
        .order_by(Job.finished_at)
    )


def _rows(attempt_id: int) -> Any:
    return select(
        Measurement.collective,
        Measurement.size_bytes,
        Measurement.ranks,
        Measurement.cores,
        func.coalesce(Measurement.chosen_algorithm, Measurement.algorithm),
        Measurement.transport,
        Measurement.dtype,
        Measurement.op,
        Measurement.busbw_gb_per_s,
    ).where(
        Measurement.attempt_id == attempt_id,
        Measurement.transport != SIMULATED,
        Measurement.in_place.is_(False),  # as in the verdict
    )
