"""Pairs of nodes that did not reach each other before the ranks of an attempt started, as their agents report."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.diagnosis.record import BlamedPart
from ringscope.diagnosis.reach import Cut, blamed, left_out, sentence
from ringscope_server.db.models import Attempt, LinkMeasurement, Member, Node
from ringscope_server.db.specs import valid_spec

LINKS_CUT = "links_cut"


class LeftOut(NamedTuple):
    """The node without which the next attempt starts, the reason, and the sentence."""

    node: str
    reason: str
    sentence: str


async def note(session: AsyncSession, attempt: Attempt, member: Member, names: Iterable[str], now: datetime) -> None:
    """Store the pairs of a member and the nodes that it does not reach; a pair that both report is stored once."""
    spec, wanted = valid_spec(attempt.job), set(names)
    if spec is None or (how := spec.measured_pairs) is None:
        return
    known = {frozenset(pair) for pair in await _pairs(session, attempt.id)}
    for other in attempt.members:
        pair = sorted((member.node_id, other.node_id))
        if other.node.name not in wanted or other is member or frozenset(pair) in known:
            continue
        session.add(
            LinkMeasurement(
                attempt_id=attempt.id,
                job_id=attempt.job_id,
                round=0,
                first_node_id=pair[0],
                second_node_id=pair[1],
                ending="hung",
                is_loaded=False,
                size_bytes=how.size_bytes,
                both_ways=how.both_ways,
                measured_at=now,
            )
        )
    await session.flush()


async def to_leave_out(session: AsyncSession, attempt: Attempt) -> LeftOut | None:
    """Return the node to leave out of an attempt whose members are ready; None if all reach each other.

    None also for a job that does not measure pairs of nodes.
    """
    spec = valid_spec(attempt.job)
    if spec is None or spec.measured_pairs is None:
        return None
    nodes, cut = await _found(session, attempt.id)
    if not cut:
        return None
    node = left_out(nodes, cut)
    told = f"{sentence(nodes, cut)} The next attempt leaves out {node}, because MPI's start would wait for it."
    if spec.diagnosis is None:
        return LeftOut(node, "preflight_failed", told)
    return LeftOut(node, LINKS_CUT, told if len(nodes) > 2 else sentence(nodes, cut))


async def blamed_parts(session: AsyncSession, attempt_id: int) -> list[BlamedPart]:
    """Return what an attempt blames that ended because nodes do not reach each other."""
    nodes, cut = await _found(session, attempt_id)
    return blamed(nodes, cut)


async def _found(session: AsyncSession, attempt_id: int) -> tuple[Sequence[str], set[Cut]]:
    """Return the names of an attempt's nodes in rank order, and the pairs that are cut."""
    members = select(Node.id, Node.name).join(Member, Member.node_id == Node.id).where(Member.attempt_id == attempt_id)
    names = {row.id: row.name for row in await session.execute(members.order_by(Member.member))}
    pairs = await _pairs(session, attempt_id)
    return list(names.values()), {frozenset((names[first], names[second])) for first, second in pairs}


async def _pairs(session: AsyncSession, attempt_id: int) -> list[tuple[int, int]]:
    rows = select(LinkMeasurement.first_node_id, LinkMeasurement.second_node_id).where(
        LinkMeasurement.attempt_id == attempt_id, LinkMeasurement.ending == "hung"
    )
    return [(first, second) for first, second in await session.execute(rows)]
