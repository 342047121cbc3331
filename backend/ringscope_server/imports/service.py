"""Storing results of other tools as jobs of kind imported."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import IMPORTED, JobSpec
from ringscope_server.db import advisory_lock
from ringscope_server.db.models import Import, ImportedFile, Job
from ringscope_server.events import audit
from ringscope_server.imports.prepared import PreparedFile, PreparedJob
from ringscope_server.jobs.service import default_name


async def store(
    session: AsyncSession, files: Sequence[PreparedFile], user: str, now: datetime
) -> list[tuple[PreparedFile, list[int], bool]]:
    """Store the files and return the jobs of each, and whether they are new.

    A file that was imported before with the same facts makes nothing: its jobs are those of the first time.
    """
    for checksum in sorted({file.sha256 for file in files}):
        await advisory_lock.hold(session, f"import of {checksum}")
    return [(file, *await _store_file(session, file, user, now)) for file in files]


async def _store_file(session: AsyncSession, file: PreparedFile, user: str, now: datetime) -> tuple[list[int], bool]:
    stored = await session.scalar(select(ImportedFile).where(ImportedFile.sha256 == file.sha256))
    if stored is None:
        stored = ImportedFile(sha256=file.sha256, name=file.name, text=file.text, created_at=now)
        session.add(stored)
        await session.flush()
    earlier = await session.execute(
        select(Import.job_id, Import.given).where(Import.file_id == stored.id).order_by(Import.job_id)
    )
    same = [job_id for job_id, given in earlier if given == file.given]
    if same:
        return same, False
    return [await _store_job(session, stored, file, job, user, now) for job in file.jobs], True


async def _store_job(
    session: AsyncSession, stored: ImportedFile, file: PreparedFile, prepared: PreparedJob, user: str, now: datetime
) -> int:
    """Store one job in its final state. It never counts as measured here: ``busbw_gb_per_s`` is null."""
    spec = JobSpec.model_validate(prepared.spec)
    job = Job(
        name=default_name(spec),
        kind=IMPORTED,
        spec=prepared.spec,
        user=user,
        priority=spec.priority,
        labels={},
        ranks=spec.placement.ranks,
        collective=spec.collective,
        algorithms=",".join(spec.sweep.algorithms),
        state="failed" if prepared.is_failed else "succeeded",
        reason=IMPORTED,
        message=prepared.message,
        created_at=now,
        queued_at=now,
        finished_at=now,
        rows_done=len(prepared.rows),
        summary=prepared.summary,
        busbw_gb_per_s=None,
    )
    session.add(job)
    await session.flush()
    session.add(
        Import(
            job_id=job.id,
            file_id=stored.id,
            given=file.given,
            facts=prepared.facts,
            points=prepared.points,
            rows=prepared.rows,
            tally=prepared.tally,
            document=prepared.document,
        )
    )
    await session.flush()
    audit.record(session, now, user, "job.imported", ("job", job.id), after=job.state, message=file.name)
    return job.id
