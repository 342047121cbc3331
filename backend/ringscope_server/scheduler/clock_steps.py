"""Steps of the machine's clock: the times of open work move with it, so that their ages stay the same.

Ages and deadlines use the wall clock, because they are in tables that outlive this process. If a person sets that
clock, or NTP steps it after a start with a wrong one, a node would seem silent for an hour, or a job over its time
limit at once; if it is set back, a dead node would look alive for an hour. Without a running server no step is noticed;
but the next server notices times that are ahead of the clock.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.words.job_states import ACTIVE, WAITING
from ringscope_server.db.models import Attempt, Insight, Job, Node, Pulse, WebhookDelivery

log = logging.getLogger(__name__)


async def move_along(session: AsyncSession, step: timedelta, now: datetime) -> None:
    """Add the step, which may be zero, to the times of open work.

    This is jobs, their attempts, nodes, pulses, insights and messages to webhooks. No past time is in the future
    afterwards.
    """
    if step:
        seconds = step.total_seconds()
        log.warning("The clock of this machine was set by %+.0f s: the times of what is open move along.", seconds)

    def moved(time: datetime | None) -> datetime | None:
        return time and min(time + step, now)

    nodes = select(Node).where(Node.removed_at.is_(None)).with_for_update(key_share=True)
    for node in await session.scalars(nodes.order_by(Node.id)):
        node.last_heartbeat_at = min(node.last_heartbeat_at + step, now)
    jobs = select(Job).where(Job.state.in_(WAITING | ACTIVE)).with_for_update(key_share=True)
    for job in await session.scalars(jobs.order_by(Job.id)):
        job.created_at, job.queued_at = min(job.created_at + step, now), min(job.queued_at + step, now)
        job.started_at = moved(job.started_at)
        job.not_before = job.not_before and job.not_before + step
    attempts = select(Attempt).where(Attempt.finished_at.is_(None)).with_for_update(key_share=True)
    for attempt in await session.scalars(attempts.order_by(Attempt.id).options(selectinload(Attempt.members))):
        attempt.created_at = min(attempt.created_at + step, now)
        attempt.progressed_at, attempt.started_at = moved(attempt.progressed_at), moved(attempt.started_at)
        for member in attempt.members:
            member.ready_at, member.running_at = moved(member.ready_at), moved(member.running_at)
            member.ended_at, member.clean_at = moved(member.ended_at), moved(member.clean_at)
    for pulse in await session.scalars(select(Pulse).with_for_update().order_by(Pulse.attempt_id, Pulse.node_id)):
        pulse.heard_at = min(pulse.heard_at + step, now)
    insights = select(Insight).where(Insight.until.is_(None)).with_for_update(key_share=True)
    for insight in await session.scalars(insights.order_by(Insight.id)):
        insight.since = min(insight.since + step, now)
    if step:
        await _move_messages(session, step, now)


async def _move_messages(session: AsyncSession, step: timedelta, now: datetime) -> None:
    """Add the step to the times of the messages that wait for their next try."""
    # The courier locks them in the same order.
    waiting = select(WebhookDelivery).where(WebhookDelivery.state == "pending").with_for_update()
    for message in await session.scalars(waiting.order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.id)):
        message.created_at = min(message.created_at + step, now)
        message.next_attempt_at = message.next_attempt_at and message.next_attempt_at + step
