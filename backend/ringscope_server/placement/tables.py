"""The snapshot, read from the tables.

Rows are compared as text with those read before and are converted again only if they differ: most nodes and gangs are
the same from one pass to the next, and no change can be missed.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.address import is_loopback
from ringscope_server.db.models import IS_HELD, Allocation, Attempt, Job, Node, QuarantinedSlot
from ringscope_server.nodes import labels, lifetimes
from ringscope_server.placement import usage
from ringscope_server.placement.snapshot import NodeState, Policy, QueuedJob, RunningGang, Share, Snapshot


async def take_snapshot(session: AsyncSession, queue: Iterable[QueuedJob], policy: Policy, now: datetime) -> Snapshot:
    """The nodes that take work, what runs on them, and who waits."""
    running = await _running(session)
    # The load of a node that runs a job is not other load.
    working = {share.node_id for gang in running for share in gang.shares}
    return Snapshot(
        nodes=tuple(await _nodes(session, working, policy.most_other_load_percent)),
        running=tuple(running),
        queue=tuple(queue),
        usage=await usage.of_all(session, now, policy.fair_share_half_life_hours),
    )


def node_state(node: Node) -> NodeState:
    """Return a node as the plan sees it, with all of its slots."""
    told = (node.inventory, node.versions, labels.effective(node))
    return _state(node.id, node.name, node.slots, node.address, node.leaves_at, frozenset(), *told)


_MOST_IDLE_LOAD = 0.5  # load average that the system, an agent and a server may cause without any work

_NODES = (
    select(
        Node.id,
        Node.name,
        Node.slots,
        Node.address,
        Node.leaves_at,
        Node.load_average,
        *(cast(told, Text) for told in (Node.inventory, Node.versions, Node.labels, Node.label_overrides)),
    )
    .where(Node.removed_at.is_(None), Node.desired == "active", Node.observed != "lost")
    .order_by(Node.name)
)


async def _nodes(session: AsyncSession, working: Collection[int], most_load_percent: float) -> list[NodeState]:
    quarantined = await _quarantined(session)
    return [
        _with_load(
            _read(id, name, slots, address, leaves_at, frozenset(quarantined.get(id, ())), *told),
            None if id in working else load_average,
            most_load_percent,
        )
        for id, name, slots, address, leaves_at, load_average, *told in (
            await (await session.connection()).execute(_NODES)
        ).all()
    ]


def _with_load(node: NodeState, load_average: float | None, most_percent: float) -> NodeState:
    """Return the node, marked if other load keeps its cores busy.

    It gets no number, because a plan is reused while the nodes are equal to those of the last pass.
    """
    is_quiet = load_average is None or load_average <= max(_MOST_IDLE_LOAD, node.cores * most_percent / 100)
    return node if is_quiet else replace(node, is_quiet=False)


@lru_cache(maxsize=8192)
def _read(
    id: int,
    name: str,
    slots: int,
    address: str,
    leaves_at: datetime | None,
    quarantined: frozenset[int],
    inventory: str,
    versions: str,
    told_labels: str,
    label_overrides: str,
) -> NodeState:
    effective = labels.overridden(json.loads(told_labels), json.loads(label_overrides))
    told = (json.loads(inventory), json.loads(versions), effective)
    return _state(id, name, slots, address, leaves_at, quarantined, *told)


def _state(
    id: int,
    name: str,
    slots: int,
    address: str,
    leaves_at: datetime | None,
    quarantined: frozenset[int],
    inventory: Mapping[str, Any],
    versions: Mapping[str, str],
    effective: Mapping[str, str],
) -> NodeState:
    gpus = inventory.get("gpus", [])
    return NodeState(
        id=id,
        name=name,
        slots=tuple(slot for slot in range(slots) if slot not in quarantined),
        labels=effective,
        versions=versions,
        gpu_models=tuple(gpu["model"] for gpu in gpus),
        gpu_memory_bytes=min((gpu["memory_bytes"] for gpu in gpus), default=0),
        memory_bytes=inventory["memory_bytes"],
        cores=int(inventory.get("cores") or 1),
        quarantined=quarantined,
        only_on=inventory["hostname"] if is_loopback(address) or inventory.get("only_here") else "",
        address=address,
        unfit_for=_unfit_for(inventory, versions),
        allow_env=tuple(inventory.get("allow_env") or ()),
        free_by=lifetimes.free_by(leaves_at),
    )


def _unfit_for(inventory: Mapping[str, Any], versions: Mapping[str, str]) -> frozenset[str]:
    """Return the kinds of jobs that the node cannot run."""
    kinds = {kind for lack in inventory.get("lacks", ()) for kind in lack["kinds"]}
    if inventory.get("scripts") is False:
        kinds.add("script")
    if "python" in versions and "torch" not in versions:  # agents of earlier versions list neither
        kinds |= {"training", "strategy_search"}
    return frozenset(kinds)


async def _quarantined(session: AsyncSession) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for node_id, slot in await session.execute(select(QuarantinedSlot.node_id, QuarantinedSlot.slot)):
        found[node_id].add(slot)
    return found


async def _running(session: AsyncSession) -> list[RunningGang]:
    """Return every gang that still holds a slot, whatever its job's state."""
    rows = (await (await session.connection()).execute(_GANGS)).all()
    return [_gang(*told) for told in rows]


# A gang's places in one text, such as "1:0 1:1 2:0": to read a row for each of them takes longer.
_HELD = (
    select(
        Allocation.attempt_id,
        func.aggregate_strings(cast(Allocation.node_id, Text) + ":" + cast(Allocation.slot, Text), " ").label("places"),
    )
    .where(IS_HELD)
    .group_by(Allocation.attempt_id)
    .subquery()
)
_GANGS = (
    select(
        _HELD.c.places,
        Attempt.job_id,
        Job.user,
        Job.priority,
        Job.state,
        Attempt.created_at,
        Attempt.started_at,
        Attempt.finished_at.is_not(None),
        Job.spec["time_limit_seconds"].as_integer(),
        Job.spec["placement"]["exclusive"].as_boolean(),
    )
    .join_from(_HELD, Attempt, Attempt.id == _HELD.c.attempt_id)
    .join(Job)
    .order_by(Attempt.id)
)


@lru_cache(maxsize=32_768)
def _gang(
    places: str,
    job_id: int,
    user: str,
    priority: int,
    state: str,
    created_at: datetime,
    started_at: datetime | None,
    is_over: bool,
    time_limit_seconds: int,
    exclusive: bool | None,
) -> RunningGang:
    slots: dict[int, list[int]] = defaultdict(list)
    for node_id, slot in sorted(tuple(map(int, place.split(":"))) for place in places.split()):
        slots[node_id].append(slot)
    return RunningGang(
        job_id=job_id,
        user=user,
        priority=priority,
        shares=tuple(Share(node_id, tuple(numbers)) for node_id, numbers in slots.items()),
        started_at=created_at,
        ends_at=(started_at or created_at) + timedelta(seconds=time_limit_seconds),
        is_exclusive=bool(exclusive),
        is_stopping=is_over or state not in ("starting", "running"),  # the job may be at its next attempt
        is_over=is_over,
    )
