"""Adopted jobs: imported results that count as good runs of this cluster, because a user said so."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.expected.facts import Facts
from ringscope.expected.published import Source
from ringscope_server.db.models import Import, ImportedFile, Job
from ringscope_server.events import audit
from ringscope_server.jobs.service import WrongStateError
from ringscope_server.jobs.summary import measured_busbw_gb_per_s

MAX_ADOPTED = 200  # the newest; a judgement reads all of them


async def adopt(session: AsyncSession, job: Job, user: str, now: datetime) -> None:
    """Let an imported job count; one that counts already stays as it is. Raises WrongStateError."""
    stored = await _import(session, job)
    if job.state != "succeeded":
        raise WrongStateError(f"Job {job.id} is {job.state}; only a result without errors can be adopted.")
    if stored.adopted_at is not None:
        return
    stored.adopted_at, stored.adopted_by = now, user
    job.busbw_gb_per_s = measured_busbw_gb_per_s(job.summary)
    job.revision += 1
    audit.record(session, now, user, "job.adopted", ("job", job.id))


async def disown(session: AsyncSession, job: Job, user: str, now: datetime) -> None:
    """Let an adopted job no longer count; any other imported job stays as it is. Raises WrongStateError."""
    stored = await _import(session, job)
    if stored.adopted_at is None:
        return
    stored.adopted_at = stored.adopted_by = job.busbw_gb_per_s = None
    job.revision += 1
    audit.record(session, now, user, "job.disowned", ("job", job.id))


async def adopted_sources(session: AsyncSession, but: int | None = None) -> list[Source]:
    """Return the adopted jobs, except ``but``, as the site's own sources of expected bandwidths."""
    query = (
        select(Import.job_id, Import.facts, Import.points, Import.adopted_at, ImportedFile.name)
        .join(ImportedFile, ImportedFile.id == Import.file_id)
        .where(Import.adopted_at.is_not(None), Import.job_id != (but or 0))
        .order_by(Import.job_id.desc())
        .limit(MAX_ADOPTED)
    )
    found = []
    for job_id, facts, points, adopted_at, name in await session.execute(query):
        best: dict[int, float] = {}
        for point in points:
            best[point["size_bytes"]] = max(point["value"], best.get(point["size_bytes"], 0.0))
        rows = tuple(sorted((size, value) for size, value in best.items() if value > 0))
        source = _source(job_id, Facts(**facts), adopted_at, name, rows)
        if source is not None:
            found.append(source)
    return found


def _source(job_id: int, facts: Facts, at: datetime, file: str, rows: tuple[tuple[int, float], ...]) -> Source | None:
    if not (rows and facts.gpu and facts.nodes and facts.ranks):
        return None
    return Source(
        id=f"job {job_id}",
        url="",
        date=at.date().isoformat(),
        date_of="read",
        tool="",
        library=facts.library or "",
        version="",
        collective=str(facts.collective),
        placement="out of place or in place",
        dtype="",
        machine=f"adopted job {job_id} ({file})",
        rows=rows,
        site=True,
        gpu=facts.gpu,
        nodes=facts.nodes,
        ranks=facts.ranks,
        gpus_per_node=facts.gpus_per_node,
        network=facts.network,
        cards=facts.cards,
        card_gbit=facts.card_gbit,
        nvls=facts.nvls,
    )


async def _import(session: AsyncSession, job: Job) -> Import:
    stored = await session.get(Import, job.id)
    if stored is None:
        raise WrongStateError(f"Job {job.id} was not imported; what this cluster measured counts anyway.")
    return stored
