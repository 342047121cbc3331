"""The reasons for which a job waits, in words with numbers. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from ringscope.contracts.environment import takes
from ringscope.contracts.job import Placement
from ringscope_server.nodes.names import listed
from ringscope_server.placement.addresses import REMEDY
from ringscope_server.placement.cluster import Cluster, Ints, kind_of, remedy, variables_of
from ringscope_server.placement.placement import Demand
from ringscope_server.placement.snapshot import NodeState, QueuedJob

_NO_NODE = "Waits for a node: none that it may use is ready."


@dataclass(frozen=True, slots=True)
class Why:
    """A stable word, and the sentence for people."""

    reason: str
    sentence: str


def no_room(demand: Demand, free: Ints) -> Why:
    """The gang does not fit into what is free now."""
    wanted, nodes = demand.placement, np.unique(demand.groups.node)
    slots = int(free[nodes].sum())
    if slots < wanted.ranks:
        are = "is" if slots == 1 else "are"
        where = "" if len(nodes) == len(free) else " on the nodes that it may use"
        return Why("slots", f"Waits for slots: it needs {_ranks(wanted)}, {slots} {are} free now{where}.")
    return Why(
        "shape",
        f"Waits for slots in the right places: {slots} are free on {len(nodes)} nodes, but not as it asks.",
    )


def _ranks(wanted: Placement) -> str:
    """Return the number of slots without which the gang does not start."""
    return str(wanted.ranks) if wanted.min_ranks is None else f"at least {wanted.ranks}"


def never(demand: Demand, skew: str | None, shared: str | None, cluster: Cluster) -> Why:
    """Say that the gang would not even fit if nothing else ran.

    Nodes are missing, differ in versions (``skew``), or have the same address (``shared``).
    """
    wanted, nodes = demand.placement, np.unique(demand.groups.node)
    unfit = [node.name for node in cluster.nodes if kind_of(wanted) in node.unfit_for]
    there = {node.name for node in cluster.nodes}
    away = [name for name in wanted.node_names if name not in there]
    if away:
        noun, it = ("node", "it is") if len(away) == 1 else ("nodes", "they are")
        return Why("no_node", f"Waits for {noun} {listed(away)}, which the job names: {it} drained or not ready.")
    if not len(nodes) and (why := _untaken(variables_of(wanted), cluster)):
        return why
    if not len(nodes):
        return _unfit(kind_of(wanted), unfit) if unfit else Why("no_node", _NO_NODE)
    if skew is not None:
        return Why("version_skew", f"Waits for nodes with equal versions: {skew}.")
    if shared is not None:
        return Why("same_address", f"Waits for nodes with different addresses: {shared}. {REMEDY}")
    slots = int(cluster.capacity[nodes].sum())
    if slots < wanted.ranks:
        ready = f"are ready and run jobs of kind {kind_of(wanted)}" if unfit else "are ready"
        return Why("slots", f"Waits for more nodes: it needs {_ranks(wanted)} slots, those that {ready} have {slots}.")
    return Why(
        "shape",
        f"Waits for other nodes: the {len(nodes)} that are ready have {slots} slots, but not as it asks.",
    )


def _untaken(names: Sequence[str], cluster: Cluster) -> Why | None:
    """Say that nodes are ready, but none of them takes all variables of the job; None if one does."""
    nodes = cluster.nodes
    if not names or not nodes or any(all(takes(node.allow_env, name) for name in names) for node in nodes):
        return None
    flags = " ".join(f"--allow-env {name}" for name in ("default", *names))
    return Why("no_node", f"Waits for a node that takes the variables {listed(names)}; start an agent with {flags}.")


def _unfit(kind: str, names: Sequence[str]) -> Why:
    """Nodes are ready, but lack what this kind of job needs."""
    ready = f"{listed(names)}, which {'is' if len(names) == 1 else 'are'} ready"
    return Why("no_node", f"Waits for a node that runs jobs of kind {kind}, unlike {ready}; {remedy(kind)}.")


def leaving(job: QueuedJob, nodes: Sequence[NodeState]) -> Why:
    """The gang would fit but for nodes that leave before its time limit; at least one is given."""
    last = max(node.free_by for node in nodes if node.free_by is not None)
    count = "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
    # A time and no span, which would be another one at each look.
    return Why(
        "leaving",
        f"Waits for slots: {count} must be free again by {last:%H:%M:%S} UTC, before its time limit of "
        f"{job.time_limit_seconds} s would be over; give it a shorter --time-limit, or wait for other nodes.",
    )


def not_quiet(names: Sequence[str]) -> Why:
    """The gang would fit but for nodes with other load; at least one is given."""
    return Why("not_quiet", f"Waits for quiet nodes: other load keeps cores busy on {listed(names)}.")


def behind(head: int) -> Why:
    """It would not fit, and another job is to start before it anyway."""
    return Why("behind", f"Waits behind job {head}, which is ahead of it in the queue.")


def far_back(jobs: int) -> Why:
    """Say the same as ``behind`` in words that stay true while the head of the queue moves on."""
    return Why("behind", f"Waits for its turn: more than {jobs} jobs are ahead of it in the queue.")


def reserved(job: QueuedJob, head: int) -> Why:
    """It would fit, but a job ahead of it would have to wait longer."""
    return Why(
        "reserved",
        f"Waits behind job {head}: in {job.time_limit_seconds} s, its time limit, it could delay that job's start.",
    )


def backoff(not_before: datetime) -> Why:
    """A retry that is not yet due."""
    return Why("backoff", f"Waits to be tried again, not before {not_before:%H:%M:%S} UTC.")


def user_cap(job: QueuedJob, slots: int, limit: int) -> Why:
    """Its user has as much as one user may have; ``slots`` is what runs, or is kept for a job ahead."""
    wanted = job.placement.ranks
    if wanted > limit:
        return Why(
            "user_cap",
            f"Cannot start: it needs {wanted} slots, and a user may have {limit} at once; submit it with fewer ranks.",
        )
    return Why(
        "user_cap",
        f"Waits for other jobs of {job.user}: they have {slots} slots, it needs {wanted}, and a user may have {limit}.",
    )


def preempting(count: int) -> Why:
    """Others are being ended for it."""
    jobs = "1 job" if count == 1 else f"{count} jobs"
    return Why("preempting", f"Waits for slots: {jobs} of lower priority must end for it.")
