"""The loop that judges benchmarks and imported jobs once they have succeeded, so that lists know the judgement.

The scheduling server judges. A job without a stored judgement is one that it has not judged yet, also after a restart.
"""

import asyncio
import logging
from datetime import timedelta

from sqlalchemy import select, update

from ringscope_server.changes import Changes, announce
from ringscope_server.db.faults import is_passing, log_failure
from ringscope_server.db.lease import LeaseTakenError
from ringscope_server.db.models import IS_UNJUDGED, Job
from ringscope_server.events import audit
from ringscope_server.imports import judgement
from ringscope_server.imports.preview import BandwidthJudgement
from ringscope_server.jobs.views import JudgementKind, judgement_kind
from ringscope_server.services import Services

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 1.0  # from look to look
# A job that ended earlier is judged without an event: after an upgrade those of earlier versions are judged.
NEWS = timedelta(hours=1)
AT_ONCE = 20  # jobs of a look; after an upgrade those of earlier versions follow, newest first


async def run(services: Services) -> None:
    """Look repeatedly until cancelled; a failed look is logged and the next one tries again."""
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        try:
            with services.admission.background_task():
                await look(services)
            services.background_tasks.done("judging")
        except Exception as error:
            log_failure(log, "Jobs that have succeeded could not be judged", error)


async def look(services: Services) -> None:
    """Judge the newest jobs that are not judged yet, if this server schedules."""
    if not services.lease.is_held:
        return
    async with services.database.read() as session:
        query = select(Job.id).where(IS_UNJUDGED).order_by(Job.id.desc()).limit(AT_ONCE)
        found = list(await session.scalars(query))
    for job_id in found:
        kind, sentence = await _judged(services, job_id)
        try:
            await _store(services, job_id, kind, sentence)
            services.background_tasks.done("judging")  # many at once take longer than a look may
        except LeaseTakenError:
            return


async def _judged(services: Services, job_id: int) -> tuple[JudgementKind, str]:
    """Return the judgement; it is unknown for a job that cannot be judged, which must not hold up the others."""
    try:
        async with services.database.read() as session:
            found: BandwidthJudgement | None = await judgement.of_job(session, job_id)
    except Exception as error:
        if is_passing(error):
            raise
        log.exception("The bandwidth of job %d cannot be judged", job_id)
        found = None
    return ("unknown", "") if found is None else (judgement_kind(found.word), found.sentence)


async def _store(services: Services, job_id: int, kind: JudgementKind, sentence: str) -> None:
    """Store the judgement, and tell of a low one if a schedule submitted the job."""
    async with services.database.write(first=True) as session:
        await services.lease.keep(session)
        job = await session.scalar(
            update(Job).where(Job.id == job_id, IS_UNJUDGED).values(judgement=kind).returning(Job)
        )
        if job is None:
            return
        now = services.now()
        is_news = job.finished_at is not None and now - job.finished_at < NEWS
        if kind == "low" and job.schedule_id is not None and is_news:
            audit.record(session, now, audit.SYSTEM, "job.judged_low", ("job", job_id), after=kind, message=sentence)
    await announce(services, Changes(jobs={job_id}))
