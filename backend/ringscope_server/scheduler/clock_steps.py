"""The machine's clock was set: what is open moves along with it, so that nothing is older or younger than it was.

Ages and deadlines are told by the wall clock, as they stand in tables that outlive this process. When somebody sets
that clock, or NTP steps it after a start with a wrong one, a node would have been silent for an hour, or a job over its
time limit at once; set back, a dead node would look alive for an hour.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job_states import ACTIVE, WAITING
from ringscope_server.db.models import Attempt, Job, Node

log = logging.getLogger(__name__)


async def move_along(session: AsyncSession, step: timedelta, now: datetime) -> None:
    """Add the step to the times from which open jobs, their attempts and nodes are counted; none lies ahead of now."""
    seconds = step.total_seconds()
    log.warning("The clock of this machine was set by %+.0f s: the times of what is open move along.", seconds)

    def moved(time: datetime | None) -> datetime | None:
        return time and min(time + step, now)

    nodes = select(Node).where(Node.removed_at.is_(None)).with_for_update(key_share=True)
    for node in await session.scalars(nodes.order_by(Node.id)):
        node.last_heartbeat_at = min(node.last_heartbeat_at + step, now)
    jobs = select(Job).where(Job.state.in_(WAITING | ACTIVE)).with_for_update(key_share=True)
    for job in await session.scalars(jobs.order_by(Job.id)):
        job.queued_at = min(job.queued_at + step, now)
        job.started_at = moved(job.started_at)
        job.not_before = job.not_before and job.not_before + step
    attempts = select(Attempt).where(Attempt.finished_at.is_(None)).with_for_update(key_share=True)
    for attempt in await session.scalars(attempts.order_by(Attempt.id)):
        attempt.created_at = min(attempt.created_at + step, now)
        attempt.started_at = moved(attempt.started_at)
