"""The draining of nodes that a diagnosis of a schedule blames, within the share of nodes that the schedule sets."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.diagnosis.record import BlamedPart, DiagnosisVerdict
from ringscope_server.db.models import Job, Node, Schedule
from ringscope_server.events import audit
from ringscope_server.nodes import service as nodes


def reason_of(job_id: int, blamed: BlamedPart) -> str:
    """Return the reason for which a blamed node is drained."""
    return f"Diagnosis {job_id}: {blamed.sentence}"[:1000]


async def drain_blamed(session: AsyncSession, job: Job, verdict: DiagnosisVerdict, now: datetime) -> None:
    """Drain the nodes that a verdict blames, if the job's schedule asks for it, the surest one first.

    A node that would be one too many stays, and an event of the job says so.
    """
    schedule = await session.get(Schedule, job.schedule_id) if job.schedule_id is not None else None
    blamed = [each for each in verdict.blamed if each.kind == "node"]
    if schedule is None or schedule.drain_on_blame is None or not blamed:
        return
    known = (await session.scalars(select(Node).where(Node.removed_at.is_(None)).with_for_update())).all()
    by_name = {node.name: node for node in known}
    for each in sorted(blamed, key=lambda each: -each.confidence):
        node = by_name.get(each.names[0])
        if node is None or node.desired == "drain":
            continue
        drained = sum(one.desired == "drain" for one in known)
        if may_drain(schedule.drain_on_blame, len(known), drained):
            nodes.drain(session, node, reason_of(job.id, each), f"schedule/{schedule.name}", now)
            continue
        message = (
            f"{node.name} is blamed, and was not drained: {drained} of {len(known)} nodes are drained, and schedule "
            f"{schedule.name} allows {schedule.drain_on_blame:.0%}."
        )
        audit.record(session, now, audit.SYSTEM, "diagnosis.not_drained", ("job", job.id), message=message)


def may_drain(share: float, count: int, drained: int) -> bool:
    """Return whether one more of so many nodes may be drained. Pure."""
    return drained + 1 <= share * count + 1e-9  # a tenth of ten nodes is one node
