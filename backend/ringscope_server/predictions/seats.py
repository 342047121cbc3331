"""Where the ranks of a job lie, or would lie if the cluster were empty."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from ringscope.contracts.job import JobSpec
from ringscope.contracts.machine import Machine
from ringscope.contracts.protocol import Nic
from ringscope_server.db.models import Member, Node
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.placement.plan import plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, Snapshot, WorkPlacement
from ringscope_server.placement.tables import node_state
from ringscope_server.predictions.warnings import Seats

Gang = Sequence[tuple[Node, int]]  # nodes in rank order, and the ranks on each


async def planned(session: AsyncSession, spec: JobSpec, now: datetime) -> Gang:
    """On the nodes that take work, without any other job; empty where they could not hold the gang."""
    nodes = {n.id: n for n in await all_nodes(session) if n.desired == "active" and n.observed != "lost"}
    job = QueuedJob(1, WorkPlacement.of(spec), "", spec.priority, now, spec.time_limit_seconds)
    empty = Snapshot(nodes=tuple(map(node_state, nodes.values())), running=(), queue=(job,))
    made = plan(empty, Policy(), now)
    return [(nodes[share.node_id], len(share.slots)) for start in made.starts for share in start.shares]


async def taken(session: AsyncSession, attempt_id: int) -> Gang:
    """Of an attempt."""
    query = select(Member).where(Member.attempt_id == attempt_id).order_by(Member.member)
    return [(m.node, m.slots) for m in await session.scalars(query.options(joinedload(Member.node)))]


def seats_of(gang: Gang) -> list[Seats]:
    """The same with what a warning needs to know."""
    return [_seats_on(node, ranks) for node, ranks in gang]


def _seats_on(node: Node, ranks: int) -> Seats:
    its = node.inventory
    gpus = [gpu["memory_bytes"] for gpu in its.get("gpus", [])]
    return Seats(node.name, ranks, its["cores"], its["memory_bytes"], gpus)


def machine_of(gang: Gang) -> Machine | None:
    """What rank 0's node is like, by which ``auto`` will choose; None where it was not measured."""
    told = gang[0][0].inventory.get("machine") if gang else None
    return None if told is None else Machine.model_validate(told)


def has_gpus(gang: Gang) -> bool:
    """Whether every node has some."""
    return all(node.inventory.get("gpus") for node, _ in gang)


def nics_of(gang: Gang) -> dict[str, list[Nic]]:
    """The network cards of each node; its interfaces, where it has no others than virtual ones, as in a container."""
    nics = {node.name: [Nic.model_validate(nic) for nic in node.inventory.get("nics", [])] for node, _ in gang}
    return {node: [nic for nic in told if not nic.is_virtual] or told for node, told in nics.items()}
