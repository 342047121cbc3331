"""The wanted state of each agent, derived from the tables at every poll, so that it cannot be out of date."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.job import JobSpec, Placement
from ringscope.contracts.protocol import Assignment, GangMember, Proxy
from ringscope.contracts.tuning import Table
from ringscope_server.db.models import Allocation, Attempt, Member
from ringscope_server.db.specs import valid_spec
from ringscope_server.diagnoses.earlier import earlier_of
from ringscope_server.nodes.labels import RACK, effective
from ringscope_server.predictions.gang import nics_of
from ringscope_server.predictions.limit import rate_gb_per_s


class Orders(NamedTuple):
    """The part of an assignment that changes while a node holds it."""

    desired: Literal["prepare", "launch", "stop"]
    proxy: Proxy | None
    take_evidence: bool


def orders_of(attempt: Attempt) -> dict[int, Orders]:
    """Return the orders of every node, by id, that has not yet proven the attempt gone; job and members are loaded."""
    return {member.node_id: _orders(attempt, member) for member in attempt.members if member.phase != "clean"}


def ordered_anew(before: Mapping[int, Orders], after: Mapping[int, Orders]) -> set[int]:
    """Return the nodes to wake. Most reports change no orders, and waking the whole gang at each of them takes N²
    polls.
    """
    return {node_id for node_id, orders in before.items() if after.get(node_id) != orders}


async def assignments_of(session: AsyncSession, node_id: int) -> list[Assignment]:
    """Return every attempt that this node has not yet proven gone."""
    members: Sequence[Member] = (
        await session.scalars(
            select(Member)
            .where(Member.node_id == node_id, Member.phase != "clean")
            .order_by(Member.attempt_id)
            .options(
                joinedload(Member.attempt).joinedload(Attempt.job),
                joinedload(Member.attempt).selectinload(Attempt.members).joinedload(Member.node),
            )
        )
    ).all()
    return [await _assignment(session, member) for member in members]


async def _assignment(session: AsyncSession, member: Member) -> Assignment:
    attempt = member.attempt
    orders = _orders(attempt, member)
    spec = valid_spec(attempt.job)
    if spec is None:
        # No node can start or continue it. Its end needs no specification, so another one replaces it.
        orders = orders._replace(desired="stop")
        spec = JobSpec(placement=Placement(ranks=attempt.job.ranks))
    ranks = sum(each.slots for each in attempt.members)
    return Assignment(
        attempt_id=attempt.id,
        job_id=attempt.job_id,
        token=attempt.token,
        desired=orders.desired,
        member=member.member,
        gang=[_gang_member(each) for each in attempt.members],
        ranks=ranks,
        first_rank=member.first_rank,
        spec=spec.with_ranks(ranks, [each.node.name for each in attempt.members]),
        proxy=orders.proxy,
        tuning=await _tuning(session, member),
        earlier=await _earlier(session, member, spec),
        slots=await _slots(session, member) if spec.script is not None or _may_use_gpus(spec, member) else [],
        take_evidence=orders.take_evidence,
    )


def _gang_member(member: Member) -> GangMember:
    node = member.node
    return GangMember(node=node.name, address=node.address, slots=member.slots, rack=effective(node).get(RACK))


def _orders(attempt: Attempt, member: Member) -> Orders:
    return Orders(
        desired=_desired(attempt),
        proxy=Proxy.model_validate(member.proxy) if member.proxy else None,
        take_evidence=attempt.finished_at is None and attempt.job.reason == "hang_detected",
    )


def _may_use_gpus(spec: JobSpec, member: Member) -> bool:
    return bool(member.node.inventory.get("gpus")) and not spec.is_simulated and spec.settled_device != "cpu"


async def _slots(session: AsyncSession, member: Member) -> list[int]:
    """Return the numbers of the member's slots in rank order, by which its node chooses their GPUs."""
    if member.phase not in ("assigned", "ready"):
        return []
    of_member = (Allocation.attempt_id == member.attempt_id, Allocation.node_id == member.node_id)
    return [*await session.scalars(select(Allocation.slot).where(*of_member).order_by(Allocation.rank))]


async def _tuning(session: AsyncSession, member: Member) -> Table | None:
    """Return the table for rank 0, which chooses for all: only its node needs it, until its ranks have started."""
    if member.member != 0 or member.phase not in ("assigned", "ready"):
        return None
    stored = await session.scalar(select(Attempt.tuning).where(Attempt.id == member.attempt_id))
    return Table.model_validate(stored) if stored else None


async def _earlier(session: AsyncSession, member: Member, spec: JobSpec) -> Earlier | None:
    """Return what a diagnosis knows already, for rank 0, which plans its rounds."""
    measured = spec.measured_pairs
    if measured is None or member.member != 0 or member.phase not in ("assigned", "ready"):
        return None
    found = await earlier_of(session, member.attempt, measured)
    pairs = found.pairs if spec.diagnosis is not None else []
    return Earlier(pairs=pairs, baselines=found.baselines, cards=_cards(member.attempt))


def _cards(attempt: Attempt) -> dict[str, float]:
    """Return the rate of each node's fastest network card in bytes per second, where a driver reports one."""
    rates = {
        node: rate_gb_per_s(nics)
        for node, nics in nics_of([(each.node, each.slots) for each in attempt.members]).items()
    }
    return {node: rate * 1e9 for node, rate in rates.items() if rate}


def _desired(attempt: Attempt) -> Literal["prepare", "launch", "stop"]:
    # The job of an attempt that is over may already be at its next attempt.
    if attempt.finished_at is not None or attempt.job.state == "stopping":
        return "stop"
    return "launch" if attempt.is_launched else "prepare"
