"""The specifications of stored jobs as models: the one place where they are parsed, once for as long as they stay."""

import logging
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Job
from ringscope_server.db.parsed import Parsed

log = logging.getLogger(__name__)

_KNOWN_JOBS = 1_000
SPOILED = "Its stored specification is not valid for this version of the server; submit it anew."
_specs: Parsed[JobSpec] = Parsed(_KNOWN_JOBS)


class SpoiledError(Exception):
    """A stored specification no longer validates, as after a change by hand or by another version."""

    def __init__(self, job_id: int) -> None:
        super().__init__(f"Job {job_id}: {SPOILED}")


def spec_of(job: Job) -> JobSpec:
    """Return the job's specification, an object that is shared and must not change. Raises SpoiledError."""
    return _parsed(job.id, job.spec)


def valid_spec(job: Job) -> JobSpec | None:
    """Return the job's specification, or None if it is spoiled, for loops over all jobs."""
    return _valid(job.id, job.spec)


async def valid_specs_of(session: AsyncSession, job_ids: Collection[int]) -> dict[int, JobSpec | None]:
    """Return the specifications of jobs, with None for one that is spoiled."""
    rows = await session.execute(select(Job.id, Job.spec).where(Job.id.in_(job_ids)))
    return {job_id: _valid(job_id, spec) for job_id, spec in rows}


async def specs_of(session: AsyncSession, job_ids: Collection[int]) -> dict[int, JobSpec]:
    """Return the specifications of the jobs that exist, without reading their other columns. Raises SpoiledError."""
    rows = await session.execute(select(Job.id, Job.spec).where(Job.id.in_(job_ids)))
    return {job_id: _parsed(job_id, spec) for job_id, spec in rows}


async def read_spec(session: AsyncSession, job_id: int) -> JobSpec:
    """Return the specification of one job without reading its other columns. Raises KeyError and SpoiledError."""
    return (await specs_of(session, [job_id]))[job_id]


def _parsed(job_id: int, spec: Mapping[str, Any]) -> JobSpec:
    try:
        return _specs.get(job_id, spec, JobSpec.model_validate)
    except ValidationError as error:
        log.error("The specification of job %d is not valid any more: %s", job_id, error)
        raise SpoiledError(job_id) from error


def _valid(job_id: int, spec: Mapping[str, Any]) -> JobSpec | None:
    try:
        return _parsed(job_id, spec)
    except SpoiledError:
        return None
