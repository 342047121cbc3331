"""The nodes, links and boundaries that the diagnoses of the last day blame, for a gauge and the overview."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.diagnosis.record import BlamedPart, DiagnosisVerdict
from ringscope_server.db.models import Attempt, Job, Member, Node
from ringscope_server.db.models import DiagnosisVerdict as StoredVerdict

KEPT = timedelta(hours=24)
MOST_DIAGNOSES = 100


class Blame(NamedTuple):
    """A node, link or boundary that the diagnosis of a job blames."""

    job_id: int
    part: BlamedPart


class _Diagnosed(NamedTuple):
    job_id: int
    finished_at: datetime
    nodes: frozenset[str]
    blamed: tuple[BlamedPart, ...]


class Blames:
    """The verdicts of the last day; a blame counts until a later diagnosis of the same nodes does not have it."""

    def __init__(self) -> None:
        self._diagnosed: list[_Diagnosed] | None = None
        self.active: tuple[Blame, ...] = ()

    async def refresh(self, session: AsyncSession, ended: Collection[int], now: datetime) -> None:
        """Read the verdicts again if jobs have just ended, and forget those of more than a day ago."""
        if self._diagnosed is None or ended:
            self._diagnosed = await _read(session, now - KEPT)
        self.active = tuple(_active([each for each in self._diagnosed if now - each.finished_at < KEPT]))


async def active_blames(session: AsyncSession, now: datetime) -> list[Blame]:
    """Return what the diagnoses of the last day blame, newest first, as the tables have it now.

    A node that was drained or resumed since is not blamed any more: somebody has looked at it.
    """
    diagnosed = await _read(session, now - KEPT)
    if not diagnosed:
        return []
    query = select(Node.name, Node.desired_at).where(Node.removed_at.is_(None), Node.desired_at > now - KEPT)
    changed = {row.name: row.desired_at for row in await session.execute(query)}
    ended = {each.job_id: each.finished_at for each in diagnosed}

    def is_seen_to(blame: Blame) -> bool:
        names = changed.keys() & blame.part.names if blame.part.kind == "node" else ()
        return any(changed[name] >= ended[blame.job_id] for name in names)

    return [blame for blame in _active(diagnosed) if not is_seen_to(blame)]


def _active(newest_first: Collection[_Diagnosed]) -> list[Blame]:
    found: list[Blame] = []
    later: list[frozenset[str]] = []
    for each in newest_first:
        for blamed in each.blamed:
            ends = frozenset(blamed.names) & each.nodes or each.nodes  # a boundary is named by its racks
            if not any(ends <= nodes for nodes in later):
                found.append(Blame(each.job_id, blamed))
        later.append(each.nodes)
    return found


async def _read(session: AsyncSession, since: datetime) -> list[_Diagnosed]:
    newest = (
        select(func.max(Attempt.id))
        .join(Job, Job.id == Attempt.job_id)
        .where(Job.finished_at > since, Job.kind == "diagnosis", Job.state == "succeeded")
        .group_by(Attempt.job_id)
        .order_by(Attempt.job_id.desc())
        .limit(MOST_DIAGNOSES)
    )
    query = (
        select(Attempt.id, Attempt.job_id, Job.finished_at, StoredVerdict.told)
        .join(Job, Job.id == Attempt.job_id)
        .join(StoredVerdict, StoredVerdict.attempt_id == Attempt.id)
        .where(Attempt.id.in_(newest))
        .order_by(Job.finished_at.desc())
    )
    rows = (await session.execute(query)).all()
    members = select(Member.attempt_id, Node.name).join(Node, Node.id == Member.node_id)
    nodes: dict[int, set[str]] = {}
    for attempt_id, name in await session.execute(members.where(Member.attempt_id.in_([row.id for row in rows]))):
        nodes.setdefault(attempt_id, set()).add(name)
    return [
        _Diagnosed(
            row.job_id,
            row.finished_at,
            frozenset(nodes.get(row.id, ())),
            tuple(DiagnosisVerdict.model_validate(row.told).blamed),
        )
        for row in rows
    ]
