"""The API's views of stored imports."""

from datetime import datetime

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from ringscope_server.db.models import Import, ImportedFile
from ringscope_server.imports.preview import BandwidthJudgement, ImportedMachine, ImportedRow
from ringscope_server.jobs.views import JobView


class ImportedJob(BaseModel):
    """A job with the judgement of its bandwidth."""

    job: JobView
    judgement: BandwidthJudgement


class StoredFile(BaseModel):
    """One file and the jobs that it became."""

    path: str
    sha256: str = Field(description="The checksum of the file as it was sent.")
    is_new: bool = Field(
        description="false: the same file was imported before with the same facts; these are its jobs, and nothing was "
        "stored."
    )
    jobs: list[ImportedJob]


class StoredFiles(BaseModel):
    """The files in the order of the request."""

    files: list[StoredFile]


class ImportView(BaseModel):
    """The table of an imported job as it was printed, with the rows that count for nothing."""

    job_id: int
    file: str
    sha256: str
    tool: str
    line: int
    partial: bool
    failed: bool
    notes: list[str]
    given: dict[str, str | int] = Field(description="The facts that the user stated.")
    machine: ImportedMachine
    mean_busbw_gb_per_s: float | None
    rows: list[ImportedRow]
    adopted_at: datetime | None = Field(description="null: the job does not count as a run of this cluster.")
    adopted_by: str | None


async def import_of(session: AsyncSession, job_id: int) -> ImportView | None:
    """Return the import of a job; None if the job was not imported."""
    query = select(Import, ImportedFile.name, ImportedFile.sha256).join(ImportedFile).where(Import.job_id == job_id)
    found = (await session.execute(query.options(undefer(Import.document)))).one_or_none()
    if found is None:
        return None
    stored, name, checksum = found
    return ImportView(
        **stored.document,
        job_id=job_id,
        file=name,
        sha256=checksum,
        given=stored.given,
        adopted_at=stored.adopted_at,
        adopted_by=stored.adopted_by,
    )


async def text_of(session: AsyncSession, job_id: int) -> str | None:
    """Return the file of an imported job without its secrets; None if the job was not imported."""
    query = select(ImportedFile.text).join(Import, Import.file_id == ImportedFile.id).where(Import.job_id == job_id)
    return await session.scalar(query)
