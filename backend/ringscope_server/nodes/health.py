"""The state of a node: ready, degraded or lost, and why. It is checked in every pass of the scheduler's loop."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol, cast

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import HEARTBEAT_SECONDS, MISSED_HEARTBEATS_UNTIL_LOST
from ringscope_server.db.models import Node, QuarantinedSlot
from ringscope_server.events import audit
from ringscope_server.nodes import agent_versions
from ringscope_server.nodes.listening import Listening
from ringscope_server.nodes.queries import quarantined

LOST_AFTER = timedelta(seconds=HEARTBEAT_SECONDS * MISSED_HEARTBEATS_UNTIL_LOST)
MAX_CLOCK_OFFSET_SECONDS = 5.0
AT_ONCE = 500  # nodes that change in one transaction, some 70 ms: PostgreSQL ends one that lasts for 10 s

_LOOKED_AT = (
    Node.id,
    Node.observed,
    Node.observed_reason,
    Node.missing,
    Node.clock_offset_seconds,
    Node.last_heartbeat_at,
    Node.versions["ringscope"].as_string().label("agent_version"),
)
State = tuple[str, str]  # observed, and why in words


class Signs(Protocol):
    """The columns that determine a node's state: a Node, or those of its columns that every pass reads of all nodes."""

    observed: str
    observed_reason: str
    missing: str
    clock_offset_seconds: float | None
    last_heartbeat_at: datetime

    @property
    def agent_version(self) -> str | None:
        """Ringscope's version on the node; None: its agent does not tell it."""


async def judge(session: AsyncSession, listening: Listening, now: datetime) -> list[Node]:
    """Set every node's state; return the nodes that changed. Of very many, the lost ones come first; the next pass
    continues.

    Silence counts only for the time in which this process has listened.
    """
    quarantine = await quarantined(session)
    rows = (await session.execute(select(*_LOOKED_AT).where(Node.removed_at.is_(None)).order_by(Node.id))).all()

    def state(node_id: int, signs: Signs) -> State:
        return _state(signs, quarantine.get(node_id, ()), listening, now)

    seen = {row.id: (row.observed, row.observed_reason) for row in rows}
    due = {row.id: state(row.id, cast(Signs, row)) for row in rows}
    changed = sorted((one for one in due if due[one] != seen[one]), key=lambda one: due[one][0] != "lost")[:AT_ONCE]
    if not changed:
        return []
    query = select(Node).where(Node.id.in_(changed)).order_by(Node.id).with_for_update(key_share=True)
    nodes = (await session.scalars(query)).all()
    for node in nodes:
        _settle(session, node, state(node.id, node), now)  # once more, as it may have spoken meanwhile
    return list(nodes)


async def review(session: AsyncSession, node: Node, now: datetime) -> None:
    """Set a node's state at once, after a change; only ``judge`` finds silent ones lost."""
    _settle(session, node, _state(node, await unproven_slots(session, node), None, now), now)


async def unproven_slots(session: AsyncSession, node: Node) -> Sequence[int]:
    """Return a node's quarantined slots."""
    return (await session.scalars(select(QuarantinedSlot.slot).where(QuarantinedSlot.node_id == node.id))).all()


def faults(node: Signs, quarantine: Iterable[int]) -> list[str]:
    """Return the faults of a live node, each as a sentence."""
    found = [node.missing] if node.missing else []
    offset = node.clock_offset_seconds or 0.0
    if abs(offset) > MAX_CLOCK_OFFSET_SECONDS:
        way = "ahead of" if offset > 0 else "behind"
        found.append(f"Its clock is more than {MAX_CLOCK_OFFSET_SECONDS:.0f} s {way} the server's.")
    if slots := sorted(quarantine):
        noun = "slot" if len(slots) == 1 else "slots"
        found.append(f"Not proven free: {noun} {', '.join(map(str, slots))}.")
    return found


def compare(node: Node) -> None:
    """Note what the node lacks compared with the most that it ever had, and with its needs."""
    gpus = _gpus(node)
    node.expected_slots, node.expected_gpus = max(node.expected_slots, node.slots), max(node.expected_gpus, gpus)
    counts = (("slots", node.slots, node.expected_slots), ("GPUs", gpus, node.expected_gpus))
    lacking = [f"{has} of {expected} {noun}" for noun, has, expected in counts if has < expected]
    shrunk = [f"It has {' and '.join(lacking)}; resume the node to take it as it is."] if lacking else []
    node.missing = " ".join([*_lacks(node), *shrunk])


def accept(node: Node) -> None:
    """Accept the node's present hardware as what it should have; it still lacks what it needs."""
    node.expected_slots, node.expected_gpus, node.missing = node.slots, _gpus(node), " ".join(_lacks(node))


def _state(node: Signs, quarantine: Iterable[int], listening: Listening | None, now: datetime) -> State:
    if too_old := agent_versions.refusal(node.agent_version):
        return "lost", too_old
    if node.observed == "lost":
        # A server that has just begun to listen knows nothing better.
        if now - node.last_heartbeat_at > LOST_AFTER:
            return node.observed, node.observed_reason
    elif listening is not None and listening.since(node.last_heartbeat_at, now) > LOST_AFTER:
        seconds = (now - node.last_heartbeat_at).total_seconds()
        return "lost", f"No heartbeat since {node.last_heartbeat_at:%H:%M:%S} UTC, for {seconds:.0f} s."
    found = faults(node, quarantine)
    return "degraded" if found else "ready", " ".join(found)


def _settle(session: AsyncSession, node: Node, state: State, now: datetime) -> None:
    observed, reason = state
    if observed != node.observed:
        action = "node.back" if node.observed == "lost" else f"node.{observed}"
        target = ("node", node.name)
        audit.record(session, now, audit.SYSTEM, action, target, before=node.observed, after=observed, message=reason)
    node.observed, node.observed_reason = observed, reason


def _lacks(node: Node) -> list[str]:
    return [lack["sentence"] for lack in node.inventory.get("lacks", ())]


def _gpus(node: Node) -> int:
    return len(node.inventory.get("gpus", ()))
