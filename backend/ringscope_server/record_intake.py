"""Records of an agent: stored in one transaction, then counted, and published to browsers and other servers."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import RecordBatch
from ringscope_server.attempts import gangs
from ringscope_server.db.models import Attempt, Member
from ringscope_server.insights import diverged, store, wrong_result
from ringscope_server.live.feed import note_steps, publish_jobs, publish_log, publish_measurements
from ringscope_server.monitoring.ingested import count_ingested
from ringscope_server.nodes import registry
from ringscope_server.results import log, newest_steps
from ringscope_server.services import Services
from ringscope_server.telemetry.ingest import Ingested, ingest
from ringscope_server.training import algorithm_changes, search_events


class NotOnNodeError(LookupError):
    """An attempt has no member on the node."""

    def __init__(self, attempt_id: int) -> None:
        super().__init__(attempt_id)
        self.attempt_id = attempt_id


async def member_on(session: AsyncSession, attempt_id: int, node_id: int) -> tuple[Attempt, Member]:
    """Return the attempt, and its member on the node. Raises NotOnNodeError."""
    attempt = await gangs.load(session, attempt_id)
    for member in attempt.members if attempt else ():
        if member.node_id == node_id:
            assert attempt is not None
            return attempt, member
    raise NotOnNodeError(attempt_id)


async def receive(services: Services, node_name: str, body: RecordBatch) -> int:
    """Store the records, and return the last sequence number that is stored of this attempt on this node.

    Raises registry.StaleEpochError and NotOnNodeError.
    """
    stored, end = -1, body.first_sequence + len(body.records) - 1
    while True:
        async with services.database.write() as session:
            node_id, *_ = await registry.speaker(session, node_name, body.epoch)
            attempt, member = await member_on(session, body.attempt_id, node_id)
            ingested = await ingest(session, member, attempt, node_name, body)
            step_ids = await _step_ids(services, session, attempt.id, ingested)
            line_ids = await _line_ids(services, session, attempt.job_id, ingested)
            offset_seconds = member.clock_offset_seconds or 0.0
            wrong = wrong_result.of_checks(ingested.checks, node_name)
            found = [*wrong, *diverged.of_records(ingested.diverged, node_name)]
            if ingested.is_search:
                await search_events.record(session, attempt, services.now())
            await store.open_new(session, attempt.job_id, attempt.id, found, services.now())
            await algorithm_changes.tell(session, attempt.job_id, ingested.algorithm_changes, services.now())
        services.heartbeats.note(node_id, body.epoch, services.now())
        count_ingested(services.monitoring, attempt.job_id, ingested, services.now_ns(), offset_seconds)
        note_steps(services.stream, services.steps, attempt.job_id, attempt.id, ingested.steps)
        services.notices.put_rows(attempt.job_id, "steps", step_ids)
        await _publish(services, attempt.job_id, ingested, line_ids)
        if ingested.last_sequence in (stored, end) or ingested.last_sequence > end:
            return ingested.last_sequence
        stored = ingested.last_sequence


async def _step_ids(services: Services, session: AsyncSession, attempt_id: int, ingested: Ingested) -> Sequence[int]:
    """Return the first and the last id of the steps just stored, if other servers need them; the job is locked."""
    rows = ingested.counts.get("steps", 0)
    return await newest_steps.newest_ids(session, attempt_id, rows) if rows and services.notices.is_open else ()


async def _line_ids(services: Services, session: AsyncSession, job_id: int, ingested: Ingested) -> Sequence[int]:
    """Return the ids of the lines just stored, if there is a reader for them; the job is locked."""
    is_wanted = services.notices.is_open or job_id in services.stream.watched_jobs
    return await log.newest_ids(session, job_id, len(ingested.lines)) if ingested.lines and is_wanted else ()


async def _publish(services: Services, job_id: int, ingested: Ingested, line_ids: Sequence[int]) -> None:
    publish_measurements(services.stream, job_id, ingested.measurements)
    if ingested.lines:
        publish_log(services.stream, job_id, log.views_of_new(line_ids, ingested.lines))
    services.notices.put_rows(job_id, "measurements", [row.id for row in ingested.measurements])
    services.notices.put_rows(job_id, "log", line_ids)
    if ingested.measurements or ingested.is_training:
        services.notices.put(jobs=[job_id])
        await publish_jobs(services.database, services.stream, [job_id])
