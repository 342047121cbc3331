"""Which queued job starts now and why the others wait: a pure function of a snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringscope.spec import Placement
from ringscope_server.scheduler.placement import NodeSlots, Share, place


@dataclass(frozen=True)
class QueuedJob:
    """A job that waits, in the order of the queue."""

    id: int
    placement: Placement


@dataclass(frozen=True)
class Snapshot:
    """Nodes that accept work with their free slots, and the queue: highest priority first, then oldest."""

    nodes: tuple[NodeSlots, ...]
    queue: tuple[QueuedJob, ...]


@dataclass(frozen=True)
class Start:
    """A gang to start: all of it, or the job would not be here."""

    job_id: int
    shares: tuple[Share, ...]


@dataclass(frozen=True)
class Wait:
    """Why a job does not start yet."""

    job_id: int
    reason: str
    sentence: str


@dataclass(frozen=True)
class Plan:
    """What to start, and what to tell the rest."""

    starts: tuple[Start, ...]
    waits: tuple[Wait, ...]


def plan(snapshot: Snapshot) -> Plan:
    """Start jobs from the head of the queue while they fit; nobody overtakes the first that does not."""
    nodes = list(snapshot.nodes)
    starts: list[Start] = []
    waits: list[Wait] = []
    for job in snapshot.queue:
        if waits:
            head = waits[0].job_id
            waits.append(Wait(job.id, "behind", f"Waits behind job {head}, which is ahead of it in the queue."))
            continue
        shares = place(job.placement, nodes)
        if shares is None:
            waits.append(_wait(job, nodes))
            continue
        starts.append(Start(job.id, tuple(shares)))
        nodes = _without(nodes, shares)
    return Plan(tuple(starts), tuple(waits))


def _without(nodes: Sequence[NodeSlots], shares: Sequence[Share]) -> list[NodeSlots]:
    taken = {share.node_id: set(share.slots) for share in shares}
    return [
        replace(node, free=tuple(slot for slot in node.free if slot not in taken.get(node.id, ()))) for node in nodes
    ]


def _wait(job: QueuedJob, nodes: Sequence[NodeSlots]) -> Wait:
    wanted = job.placement
    eligible = [node for node in nodes if node.carries(wanted.selector)]
    if not eligible:
        return Wait(job.id, "no_node", "Waits for a node: none that it may use is ready.")
    free = sum(len(node.free) for node in eligible)
    if free < wanted.ranks:
        return Wait(job.id, "slots", f"Waits for slots: it needs {wanted.ranks}, {free} are free now.")
    return Wait(
        job.id,
        "shape",
        f"Waits for slots in the right places: {free} are free on {len(eligible)} nodes, but not as it asks.",
    )
