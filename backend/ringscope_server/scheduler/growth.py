"""Elastic jobs get more ranks: at the end of an epoch one that has fewer than it asks for ends and starts again."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.elastic import RESIZED
from ringscope_server.attempts import gangs
from ringscope_server.changes import Changes
from ringscope_server.jobs import queries
from ringscope_server.placement.growing import Growth


async def grow(session: AsyncSession, found: Iterable[Growth], changes: Changes, now: datetime) -> None:
    """End the attempts of these jobs, which then start again with more ranks."""
    for growth in found:
        sentence = f"Ended after an epoch to continue with {growth.more_ranks} instead of {growth.ranks} ranks."
        if await gangs.stop(session, growth.job_id, RESIZED, sentence, now):
            changes.jobs.add(growth.job_id)
            changes.nodes.update(await queries.nodes_of_job(session, growth.job_id))
