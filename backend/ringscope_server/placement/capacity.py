"""The jobs that this cluster could never run, even empty: refused at submit, with the field and the remedy."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import takes
from ringscope.contracts.findings import FieldError, dotted, pointer
from ringscope.contracts.job import JobSpec, Placement
from ringscope_server.db.models import Node
from ringscope_server.nodes.names import listed
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.placement.addresses import REMEDY
from ringscope_server.placement.cluster import Cluster, conditions, kind_of, remedy, variables_of
from ringscope_server.placement.demands import Demands
from ringscope_server.placement.placement import Demand, fits
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import NodeState, WorkPlacement
from ringscope_server.placement.tables import node_state

MAX_REMEMBERED = 1_000


class Capacity:
    """Caches what the nodes could hold, so that a submission need not read them all."""

    def __init__(self) -> None:
        self._nodes: tuple[object, ...] = ()
        self._held: set[str] = set()

    async def errors(self, session: AsyncSession, spec: JobSpec) -> list[FieldError]:
        """Return why this cluster could never run the job; no error if it could."""
        nodes = tuple((await session.execute(_FINGERPRINT)).one())
        kind, names = f"{spec.kind} {bool(spec.own_files)} {spec.settled_device}", ",".join(spec.env)
        wanted = f"{kind} {names} {spec.placement.model_dump_json()}"
        if nodes != self._nodes or len(self._held) > MAX_REMEMBERED:
            self._nodes, self._held = nodes, set()
        if wanted in self._held:
            return []
        errors = job_errors(spec, await all_nodes(session))
        if not errors:
            self._held.add(wanted)
        return errors


# Other numbers whenever a node came, went, registered anew or was edited. Equal sums of other nodes are next to
# impossible, and would only let a job wait that ought to be refused.
_SUMS = (func.sum(column) for column in (Node.id, Node.epoch, Node.revision, Node.slots, Node.id * Node.epoch))
_FINGERPRINT = select(func.count(), *_SUMS).where(Node.removed_at.is_(None))


def job_errors(spec: JobSpec, nodes: Sequence[Node]) -> list[FieldError]:
    """Return why these nodes could never run the job: they cannot hold its gang, or lack a GPU that it needs."""
    return capacity_errors(WorkPlacement.of(spec), nodes) or _device_errors(spec, nodes) or _file_errors(spec, nodes)


def _file_errors(spec: JobSpec, nodes: Sequence[Node]) -> list[FieldError]:
    """Return why no node could read the user's own model or data: that needs a folder of scripts."""
    if spec.script is not None or not spec.own_files:
        return []
    usable = [node for node in nodes if "script" not in node_state(node).unfit_for]
    if usable:
        return capacity_errors(WorkPlacement.of(spec), usable)
    field = next(iter(spec.own_files))
    sentence = f"{field}: no node has a folder of scripts, in which it looks for the file; {remedy('script')}."
    return [FieldError(pointer=pointer(tuple(field.split("."))), detail=sentence)]


def _device_errors(spec: JobSpec, nodes: Sequence[Node]) -> list[FieldError]:
    if spec.settled_device != "cuda":
        return []
    wanted = [suits for _, suits in conditions(WorkPlacement.of(spec))]
    usable = [node for node in map(node_state, nodes) if all(suits(node) for suits in wanted)]
    if any(node.gpu_models for node in usable):
        return []
    field, needs, remedy = _asks_for_gpus(spec)
    sentence = f"{needs} needs a GPU, and no node that it may use has one; {remedy}."
    return [FieldError(pointer=pointer(field), detail=f"{dotted(field)}: {sentence}")]


def _asks_for_gpus(spec: JobSpec) -> tuple[tuple[str | int, ...], str, str]:
    """Return the field that requires a GPU, the part that needs it, and the remedy."""
    benchmark = spec.benchmark
    if benchmark is None or benchmark.device == "cuda":
        return (spec.kind, "device"), "device cuda", "choose auto or cpu"
    if benchmark.transport in ("nccl", "cuda_ipc"):
        return ("benchmark", "transport"), f"transport {benchmark.transport}", "choose auto"
    index = benchmark.algorithms.index("nccl")
    return ("benchmark", "algorithms", index), "algorithm nccl", "choose others, such as ring and mpi"


def capacity_errors(placement: Placement, nodes: Sequence[Node]) -> list[FieldError]:
    """Return why these nodes, busy or not, ready or not, could not hold the gang; no error if they could."""
    cluster = Cluster([node_state(node) for node in nodes])
    if _holds(cluster, placement):
        return []
    if not nodes:
        return [_error("ranks", "the cluster has no node yet; start an agent with `ringscope agent`.")]
    return [
        _names_error(placement, nodes)
        or _node_error(placement, cluster)
        or _slots_error(placement, cluster)
        or _shape_error(placement, cluster)
    ]


def _holds(cluster: Cluster, placement: Placement, *, any_version: bool = False) -> bool:
    demand = Demand(placement, cluster.groups(placement, any_version=any_version))
    return fits(demand, SlotIndex(cluster.capacity, cluster.capacity))


def _names_error(placement: Placement, nodes: Sequence[Node]) -> FieldError | None:
    """Return the error for the first node that is requested by name and does not exist."""
    known = [node.name for node in nodes]
    unknown = next((name for name in placement.node_names if name not in known), None)
    if unknown is None:
        return None
    return _error("node_names", f"there is no node {unknown}; the nodes are {listed(sorted(known))}.")


def _node_error(placement: Placement, cluster: Cluster) -> FieldError | None:
    """Return the error for the first condition of the placement that no node meets."""
    left: Sequence[NodeState] = cluster.nodes
    for field, suits in conditions(placement):
        before, left = left, [node for node in left if suits(node)]
        if not left and field == "env":
            return _variable_error(variables_of(placement), before)
        if not left:
            return _error(field, _nobody(field, placement, before))
    return None


def _variable_error(names: Sequence[str], nodes: Sequence[NodeState]) -> FieldError:
    """Return the error for a variable that no node takes, or for several that no node takes together."""
    refused = [name for name in names if not any(takes(node.allow_env, name) for node in nodes)]
    if not refused:
        flags = " ".join(f"--allow-env {name}" for name in ("default", *names))
        sentence = f"env: no node takes all of {listed(names)}; start an agent with {flags}, or leave some out."
        return FieldError(pointer=pointer(("env",)), detail=sentence)
    path = ("env", refused[0])
    remedy = f"start an agent with --allow-env default --allow-env {refused[0]}, or leave it out"
    return FieldError(pointer=pointer(path), detail=f"{dotted(path)}: no node takes this variable; {remedy}.")


def _nobody(field: str, placement: Placement, nodes: Sequence[NodeState]) -> str:
    match field:
        case "kind":
            kind = kind_of(placement)
            return f"no node runs jobs of kind {kind}; {remedy(kind)}."
        case "selector":
            wanted = ", ".join(f"{name}={value}" for name, value in placement.selector.items())
            return f"no node carries {wanted}; change the selector or label a node."
        case "gpu_model":
            known = sorted({model for node in nodes for model in node.gpu_models})
            there = f"there are {', '.join(known)}" if known else "no node has a GPU"
            return f"no node has GPUs of model {placement.gpu_model}, {there}; change gpu_model or leave it out."
        case "min_gpu_memory_bytes":
            most = max(node.gpu_memory_bytes for node in nodes)
            return (
                f"no node has GPUs with {placement.min_gpu_memory_bytes} bytes each, the best have {most}; "
                "ask for less or leave it out."
            )
        case "min_memory_bytes":
            most = max(node.memory_bytes for node in nodes)
            return (
                f"no node has {placement.min_memory_bytes} bytes of memory, the largest has {most}; "
                "ask for less or leave it out."
            )
        case _:
            return "no node that it may use has a label rack; label the nodes or leave same_rack out."


def _slots_error(placement: Placement, cluster: Cluster) -> FieldError | None:
    usable = np.unique(cluster.groups(placement, any_version=True).node)
    offered = int(cluster.capacity[usable].sum())
    if placement.ranks <= offered:
        return None
    where = f"the cluster has {offered} slots"
    if len(usable) < len(cluster.nodes):
        where = f"the nodes that it may use have {offered} slots"
    remedies = f"ask for {offered} or fewer, or start an agent with more --slots"
    return _error("ranks", f"{placement.ranks} ranks were asked for, but {where}; {remedies}.")


def _shape_error(placement: Placement, cluster: Cluster) -> FieldError:
    """Return the error for a gang whose shape does not fit although there are enough slots."""
    anywhere = placement.model_copy(update={"same_rack": False})
    demands = Demands(cluster)
    skew = demands.version_skew(demands.anywhere(placement))
    if skew is not None:
        return _error(
            "ranks", f"only nodes with different versions could hold it: {skew}; install equal ones or ask for less."
        )
    shared = demands.same_address(demands.anywhere(placement))
    if shared is not None:
        return _error("ranks", f"only nodes with the same address could hold it: {shared}. {REMEDY}")
    if placement.same_rack and _holds(cluster, anywhere, any_version=True):
        return _error("same_rack", "no rack alone holds it; ask for fewer ranks or leave same_rack out.")
    if placement.ranks_per_node:
        field, shape = "ranks_per_node", f"{placement.ranks_per_node} ranks on each node"
    else:
        field = "nodes" if placement.nodes else "node_names"
        shape = f"{placement.node_count} nodes"
    usable = np.unique(cluster.groups(placement, any_version=True).node)
    return _error(
        field,
        f"{placement.ranks} ranks as {shape} do not fit: {len(usable)} nodes are there, "
        f"the largest with {cluster.capacity[usable].max()} slots; change {field} or leave it out.",
    )


def _error(field: str, sentence: str) -> FieldError:
    path = ("kind",) if field == "kind" else ("placement", field)  # the kind is the job's, beside its placement
    return FieldError(pointer=pointer(path), detail=f"{dotted(path)}: {sentence}")
