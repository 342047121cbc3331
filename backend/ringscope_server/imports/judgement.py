"""The judgement of jobs: whether their bandwidth is what was to be expected."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload, undefer

from ringscope.expected.facts import Facts, Point
from ringscope.expected.judgement import BY_NOTHING, UNKNOWN, Judgement, judge
from ringscope.expected.own_runs import OwnRuns, judge_by_own_runs
from ringscope.expected.published import Source, published
from ringscope_server.db.models import Attempt, Import, Measurement, Member
from ringscope_server.db.specs import spec_of
from ringscope_server.imports.adoption import adopted_sources
from ringscope_server.imports.preview import BandwidthJudgement
from ringscope_server.results.baseline import Baseline, Expected, Shape, history


async def of_job(session: AsyncSession, job_id: int) -> BandwidthJudgement | None:
    """Judge an imported job or the newest attempt of a benchmark; None if nothing was measured."""
    imported = await of_imported(session, job_id)
    if imported is not None:
        return imported
    query = (
        select(Attempt)
        .where(Attempt.job_id == job_id)
        .order_by(Attempt.number.desc())
        .limit(1)
        .options(
            joinedload(Attempt.job), selectinload(Attempt.members).joinedload(Member.node), undefer(Attempt.environment)
        )
    )
    attempt = await session.scalar(query)
    return None if attempt is None else await _of_attempt(session, attempt)


async def of_imported(session: AsyncSession, job_id: int) -> BandwidthJudgement | None:
    """Judge an imported job by published runs and other adopted ones; None if the job was not imported."""
    found = (await session.execute(select(Import.facts, Import.points).where(Import.job_id == job_id))).one_or_none()
    if found is None:
        return None
    sources = [*published(), *await adopted_sources(session, but=job_id)]
    facts, points = Facts(**found.facts), [Point(**point) for point in found.points]
    return _view(await asyncio.to_thread(judge, facts, points, sources))


async def _of_attempt(session: AsyncSession, attempt: Attempt) -> BandwidthJudgement | None:
    spec = spec_of(attempt.job)
    if spec.benchmark is None:
        return None
    query = select(Measurement).where(Measurement.attempt_id == attempt.id).order_by(Measurement.id)
    rows = [row for row in await session.scalars(query) if not row.wrong and row.busbw_gb_per_s > 0]
    if not rows:
        return None
    if spec.is_simulated:
        told = "The times are the cost model's; nothing was measured that could be judged."
        return _view(Judgement(UNKNOWN, told, basis=BY_NOTHING))
    best = _fastest(rows)
    own: Baseline = (await history(session, attempt)).expected
    points = [(_point(row), own.get(_shape(row))) for row in best]
    facts = _facts(attempt, spec.collective)
    if facts.gpu is None:
        return _view(judge_by_own_runs([(point, _own(found)) for point, found in points]))
    sources = [*published(), *await adopted_sources(session), *_own_source(facts, points)]
    return _view(await asyncio.to_thread(judge, facts, [point for point, _ in points], sources))


def _fastest(rows: Iterable[Measurement]) -> list[Measurement]:
    """Return for each size and placement the row with the best bandwidth."""
    best: dict[tuple[int, bool], Measurement] = {}
    for row in rows:
        known = best.get((row.size_bytes, row.in_place))
        if known is None or row.busbw_gb_per_s > known.busbw_gb_per_s:
            best[row.size_bytes, row.in_place] = row
    return list(best.values())


def _point(row: Measurement) -> Point:
    """Return a row's bandwidth with the interval that its time has."""
    times = row.time_high_us or row.time_us, row.time_low_us or row.time_us
    low, high = (row.busbw_gb_per_s * row.time_us / time if time else row.busbw_gb_per_s for time in times)
    return Point(row.size_bytes, row.in_place, row.busbw_gb_per_s, low, high)


def _shape(row: Measurement) -> Shape:
    return Shape(
        row.collective,
        row.chosen_algorithm or row.algorithm,
        row.transport,
        row.in_place,
        row.size_bytes,
        row.dtype,
        row.op,
        row.channels or 1,
        row.cores is not None and row.cores < row.ranks,
    )


def _own(found: Expected | None) -> OwnRuns | None:
    return None if found is None else OwnRuns(found.median_gb_per_s, found.least_gb_per_s, found.runs)


def _facts(attempt: Attempt, collective: str) -> Facts:
    """Return the facts of a measured run; without a GPU if its rows were not measured on GPUs of one model."""
    on_gpus = all(rank.get("device") not in (None, "cpu") for rank in _told(attempt, "ranks"))
    models = {gpu["model"] for member in attempt.members for gpu in member.node.inventory.get("gpus") or ()}
    slots = {member.slots for member in attempt.members}
    variables = next((node.get("variables") for node in _told(attempt, "nodes")), None)
    return Facts(
        gpu=models.pop() if on_gpus and _told(attempt, "ranks") and len(models) == 1 else None,
        ranks=attempt.job.ranks,
        nodes=len(attempt.members),
        gpus_per_node=slots.pop() if len(slots) == 1 else None,
        collective=collective,
        library="NCCL",
        environment=variables or {},
    )


def _told(attempt: Attempt, part: str) -> Sequence[dict[str, Any]]:
    return (attempt.environment or {}).get(part) or ()


def _own_source(facts: Facts, points: Sequence[tuple[Point, Expected | None]]) -> list[Source]:
    """Return the earlier good runs as a source of this cluster."""
    best: dict[int, float] = {}
    for point, found in points:
        if found is not None:
            best[point.size_bytes] = max(found.median_gb_per_s, best.get(point.size_bytes, 0.0))
    if not best or facts.gpu is None or facts.ranks is None or facts.nodes is None:
        return []
    return [
        Source(
            id="own runs",
            url="",
            date="",
            date_of="read",
            tool="ringscope",
            library="NCCL",
            version="",
            gpu=facts.gpu,
            nodes=facts.nodes,
            ranks=facts.ranks,
            collective=facts.collective or "",
            placement="out of place or in place",
            dtype="",
            machine="earlier runs of this cluster",
            rows=tuple(sorted(best.items())),
            gpus_per_node=facts.gpus_per_node,
            site=True,
        )
    ]


def _view(judgement: Judgement) -> BandwidthJudgement:
    return BandwidthJudgement.model_validate(judgement.document())
