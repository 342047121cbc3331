"""The nodes on which the ranks of a job run, or would run now."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from ringscope.contracts.inventory import Nic
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.machine import Machine
from ringscope_server.db.models import Member, Node
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.placement.plan import plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, Snapshot, WorkPlacement
from ringscope_server.placement.tables import node_state, take_snapshot
from ringscope_server.predictions.warnings import NodeRanks

Gang = Sequence[tuple[Node, int]]  # nodes in rank order, and the ranks on each


async def planned(session: AsyncSession, spec: JobSpec, now: datetime) -> Gang:
    """Plan the gang on the nodes that accept work: beside the jobs that run if it fits there, else without them.

    It is empty if these nodes cannot hold the gang at all.
    """
    nodes = {n.id: n for n in await all_nodes(session) if n.desired == "active" and n.observed != "lost"}
    job = QueuedJob(1, WorkPlacement.of(spec), "", spec.priority, now, spec.time_limit_seconds)
    as_it_is = await take_snapshot(session, (job,), Policy(), now)
    made = plan(as_it_is, Policy(), now)
    if not made.starts:
        empty = Snapshot(nodes=tuple(map(node_state, nodes.values())), running=(), queue=(job,))
        made = plan(empty, Policy(), now)
    return [(nodes[share.node_id], len(share.slots)) for start in made.starts for share in start.shares]


async def taken(session: AsyncSession, attempt_id: int) -> Gang:
    """Return the gang of an attempt."""
    query = select(Member).where(Member.attempt_id == attempt_id).order_by(Member.member)
    return [(m.node, m.slots) for m in await session.scalars(query.options(joinedload(Member.node)))]


def ranks_of_nodes(gang: Gang) -> list[NodeRanks]:
    """Return for each node of the gang what the warnings need to know."""
    return [_ranks_on(node, ranks) for node, ranks in gang]


def _ranks_on(node: Node, ranks: int) -> NodeRanks:
    its = node.inventory
    gpus = [gpu["memory_bytes"] for gpu in its.get("gpus", [])]
    return NodeRanks(node.name, ranks, its["cores"], its["memory_bytes"], gpus)


def machine_of(gang: Gang) -> Machine | None:
    """Return the measured properties of rank 0's node, by which ``auto`` will choose; None if not measured."""
    told = gang[0][0].inventory.get("machine") if gang else None
    return None if told is None else Machine.model_validate(told)


def has_gpus(gang: Gang) -> bool:
    """Return whether every node has GPUs."""
    return all(node.inventory.get("gpus") for node, _ in gang)


def nics_of(gang: Gang) -> dict[str, list[Nic]]:
    """Return the network cards of each node; all its interfaces if all are virtual, as in a container."""
    nics = {node.name: [Nic.model_validate(nic) for nic in node.inventory.get("nics", [])] for node, _ in gang}
    return {node: [nic for nic in told if not nic.is_virtual] or told for node, told in nics.items()}
