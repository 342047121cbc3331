"""Nodes, GPUs and slots by state (pure)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

NODE_STATES = ("ready", "busy", "degraded", "draining", "lost")
# What is free on a node that drains is no room for a job that waits.
UNIT_STATES = ("free", "allocated", "drained", "unhealthy")


@dataclass(frozen=True)
class NodeUnits:
    """A node and its slots and GPUs.

    Args:
        held: slots that ranks use.
        is_whole: an exclusive job has the node, so that none of its slots is free.
        quarantined: slots that could not be proven free.
        expected_gpus: the most that it had; missing ones are a fault.
    """

    desired: str
    observed: str
    slots: int
    held: int
    quarantined: int
    gpus: int
    expected_gpus: int
    is_whole: bool = False


def node_states(nodes: Iterable[NodeUnits]) -> Counter[str]:
    """Return the number of nodes in each state; a node counts in the worst state that applies."""
    return Counter(map(_state, nodes))


def slot_states(nodes: Iterable[NodeUnits]) -> Counter[str]:
    """Return the number of slots in each state."""
    found: Counter[str] = Counter()
    for node in nodes:
        taken = replace(node, held=node.slots) if node.is_whole else node
        found.update(_units(taken, node.slots, missing=0))
    return found


def gpu_states(nodes: Iterable[NodeUnits]) -> Counter[str]:
    """Return the number of GPUs in each state: each rank has one as long as there are any."""
    found: Counter[str] = Counter()
    for node in nodes:
        found.update(_units(node, node.gpus, missing=max(0, node.expected_gpus - node.gpus)))
    return found


def _state(node: NodeUnits) -> str:
    if node.observed == "lost":
        return "lost"
    if node.desired != "active":
        return "draining"
    if node.observed != "ready":
        return "degraded"
    return "busy" if node.held else "ready"


def _units(node: NodeUnits, there: int, missing: int) -> dict[str, int]:
    if node.observed == "lost":
        return {"unhealthy": there + missing}
    allocated = min(there, node.held)
    unproven = min(there - allocated, node.quarantined)
    left = there - allocated - unproven
    is_open = node.desired == "active"
    return {"allocated": allocated, "unhealthy": unproven + missing, "free" if is_open else "drained": left}
