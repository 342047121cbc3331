"""Random clusters and queues, and a second opinion on what fits: by trying every set of nodes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import strategies as st

from ringscope.contracts.job import Placement
from ringscope_server.placement.snapshot import NodeState, QueuedJob, RunningGang, Share, Snapshot

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Free = dict[int, int]  # node id -> free slots


def node(number: int, slots: int = 4, **more: object) -> NodeState:
    return NodeState(number, f"n{number}", tuple(range(slots)), **more)  # type: ignore[arg-type]


def queued(number: int, ranks: int = 1, *, limit: int = 600, user: str = "ann", **more: object) -> QueuedJob:
    """A job that has waited longer the lower its number is."""
    known = {name: more.pop(name) for name in ("priority", "not_before", "excluded_nodes") if name in more}
    placement = Placement.model_validate({"ranks": ranks, **more})
    return QueuedJob(
        number, placement, user, **{"priority": 50, "queued_at": NOW, "time_limit_seconds": limit, **known}
    )  # type: ignore[arg-type]


def gang(number: int, shares: dict[int, Sequence[int]], ends_in: float = 60, **more: object) -> RunningGang:
    held = tuple(Share(node_id, tuple(slots)) for node_id, slots in shares.items())
    known = {"user": "bob", "priority": 50, "started_at": NOW - timedelta(seconds=60)}
    return RunningGang(number, shares=held, ends_at=NOW + timedelta(seconds=ends_in), **known | more)  # type: ignore[arg-type]


@st.composite
def nodes(draw: st.DrawFn) -> NodeState:
    number = draw(st.integers(1, 10**6))
    quarantined = draw(st.one_of(st.just(frozenset[int]()), st.frozensets(st.integers(0, 3), max_size=2)))
    rack = draw(st.sampled_from([{}, {"rack": "a"}, {"rack": "b"}]))
    gpus = draw(st.sampled_from([(), ("NVIDIA H200",), ("NVIDIA H200", "NVIDIA A100")]))
    return NodeState(
        id=number,
        name=f"n{number}",
        slots=tuple(slot for slot in range(draw(st.integers(1, 6))) if slot not in quarantined),
        labels={**rack, **draw(st.sampled_from([{}, {"zone": "z"}]))},
        only_on=draw(st.sampled_from(["", "", "", "here"])),
        address=draw(st.sampled_from(["", "", "", "a", "b"])),
        versions={"mpi4py": draw(st.sampled_from(["4.0", "4.1"])), "nccl": draw(st.sampled_from(["2.29", "2.30"]))},
        gpu_models=gpus,
        gpu_memory_bytes=len(gpus) * 80,
        memory_bytes=draw(st.sampled_from([100, 200])),
        quarantined=quarantined,
        free_by=draw(st.sampled_from([None, None, None, NOW + timedelta(seconds=20), NOW + timedelta(seconds=200)])),
    )


CLUSTERS = st.lists(nodes(), max_size=5, unique_by=lambda found: found.id).map(tuple)


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    fields: dict[str, object] = {}
    match draw(st.sampled_from(["free", "nodes", "per node"])):
        case "nodes":
            fields["nodes"] = draw(st.integers(1, 4))
            fields["ranks"] = draw(st.integers(fields["nodes"], 12))  # type: ignore[arg-type]
        case "per node":
            fields["ranks_per_node"] = draw(st.integers(1, 4))
            fields["ranks"] = fields["ranks_per_node"] * draw(st.integers(1, 4))  # type: ignore[operator]
        case _:
            fields["ranks"] = draw(st.one_of(st.integers(1, 2), st.integers(1, 12)))
    wishes = {
        "selector": {"zone": "z"},
        "exclusive": True,
        "arrangement": "spread",
        "same_rack": True,
        "gpu_model": "h200",
        "min_gpu_memory_bytes": 100,
        "min_memory_bytes": 150,
    }
    names = draw(st.lists(st.sampled_from(sorted(wishes)), max_size=2, unique=True))
    return Placement.model_validate(fields | {name: wishes[name] for name in names})


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    cluster = draw(CLUSTERS)
    running = _gangs(draw, cluster)
    size = draw(st.integers(0, 8))
    names = [found.name for found in cluster]
    queue = [
        QueuedJob(
            id=100 + number,
            placement=draw(placements()),
            user=draw(st.sampled_from(["ann", "bob", "eve"])),
            priority=draw(st.sampled_from([10, 50, 90])),
            queued_at=NOW - timedelta(seconds=draw(st.integers(0, 3))),
            time_limit_seconds=draw(st.sampled_from([5, 50, 500])),
            not_before=draw(st.sampled_from([None, None, NOW, NOW + timedelta(seconds=9)])),
            excluded_nodes=frozenset(draw(st.lists(st.sampled_from(names), max_size=2)) if names else ()),
        )
        for number in range(size)
    ]
    usage = draw(st.dictionaries(st.sampled_from(["ann", "bob"]), st.floats(0, 1e5)))
    return Snapshot(cluster, running, tuple(queue), usage)


def _gangs(draw: st.DrawFn, cluster: Sequence[NodeState]) -> tuple[RunningGang, ...]:
    """Draw gangs that hold each slot at most once; a gang that has its nodes to itself may be exclusive."""
    owners = {
        (found.id, slot): draw(st.integers(0, 4)) for found in cluster for slot in (*found.slots, *found.quarantined)
    }
    gangs = []
    for number in range(1, 5):
        held = sorted(place for place, owner in owners.items() if owner == number)
        ids = sorted({node_id for node_id, _ in held})
        alone = all(owner in (0, number) for (node_id, _), owner in owners.items() if node_id in ids)
        if held:
            is_stopping = draw(st.integers(0, 4)) == 0
            gangs.append(
                RunningGang(
                    job_id=number,
                    user=draw(st.sampled_from(["ann", "bob"])),
                    priority=draw(st.sampled_from([10, 50, 90])),
                    shares=tuple(Share(i, tuple(slot for other, slot in held if other == i)) for i in ids),
                    started_at=NOW - timedelta(seconds=draw(st.integers(1, 100))),
                    ends_at=NOW + timedelta(seconds=draw(st.integers(-10, 100))),
                    is_exclusive=alone and draw(st.booleans()),
                    is_stopping=is_stopping,
                    is_over=is_stopping and draw(st.booleans()),
                )
            )
    return tuple(gangs)


def free_slots(snapshot: Snapshot, running: Sequence[RunningGang]) -> Free:
    """Return the number of slots of each node that these gangs leave free."""
    free: Free = {}
    for found in snapshot.nodes:
        held = {slot for gang in running for share in gang.shares if share.node_id == found.id for slot in share.slots}
        free[found.id] = 0 if found.id in taken_alone(snapshot, running) else len(set(found.slots) - held)
    return free


def taken_alone(snapshot: Snapshot, running: Sequence[RunningGang]) -> set[int]:
    """Return the nodes that an exclusive gang has to itself: it holds usable slots there."""
    unusable = {found.id: found.quarantined for found in snapshot.nodes}
    return {
        share.node_id
        for gang in running
        for share in gang.shares
        if gang.is_exclusive and set(share.slots) - unusable.get(share.node_id, frozenset())
    }


def holds(placement: Placement, cluster: Sequence[NodeState], free: Free) -> bool:
    """Return whether some set of nodes holds the gang, by trying every set."""
    usable = [found for found in cluster if free[found.id] and suits(found, placement)]
    if placement.exclusive:
        usable = [found for found in usable if free[found.id] == len(found.slots)]
    return any(
        may_work_together(chosen, placement)
        and _has_room(placement, sorted((free[n.id] for n in chosen), reverse=True))
        for size in range(1, len(usable) + 1)
        for chosen in combinations(usable, size)
    )


def suits(found: NodeState, placement: Placement) -> bool:
    """Return whether a node has what the placement asks for."""
    gpus_suit = placement.gpu_model is None or (
        found.gpu_models != () and all(placement.gpu_model.lower() in model.lower() for model in found.gpu_models)
    )
    return (
        all(found.labels.get(name) == value for name, value in placement.selector.items())
        and gpus_suit
        and found.gpu_memory_bytes >= (placement.min_gpu_memory_bytes or 0)
        and found.memory_bytes >= (placement.min_memory_bytes or 0)
        and not (placement.same_rack and "rack" not in found.labels)
        and not (placement.exclusive and found.quarantined)
    )


def may_work_together(chosen: Sequence[NodeState], placement: Placement) -> bool:
    """Return whether nodes reach each other and are equal in what a gang needs equal."""
    with_gpus = [found for found in chosen if found.gpu_models]
    addresses = [found.address for found in chosen if found.address]
    return (
        len(set(addresses)) == len(addresses)
        and len({found.versions.get("mpi4py") for found in chosen}) == 1
        and len({found.versions.get("nccl") for found in with_gpus}) <= 1
        and len({found.only_on for found in chosen}) == 1
        and not (placement.same_rack and len({found.labels["rack"] for found in chosen}) > 1)
    )


def holds_job(job: QueuedJob, cluster: Sequence[NodeState], free: Free) -> bool:
    """Return whether some set of nodes that stay long enough holds the gang of a job that starts now."""
    return holds(job.placement, [found for found in cluster if stays(found, job)], free)


def stays(found: NodeState, job: QueuedJob) -> bool:
    """Return whether a node can be used until the end of a job that starts now."""
    return found.free_by is None or NOW + timedelta(seconds=job.time_limit_seconds) <= found.free_by


def _has_room(placement: Placement, rooms: list[int]) -> bool:
    if placement.ranks_per_node:
        return len(rooms) == placement.ranks // placement.ranks_per_node and rooms[-1] >= placement.ranks_per_node
    if placement.nodes:
        share, rest = divmod(placement.ranks, placement.nodes)
        sizes = [share + 1] * rest + [share] * (placement.nodes - rest)
        return len(rooms) == len(sizes) and all(room >= size for room, size in zip(rooms, sizes, strict=True))
    return sum(rooms) >= placement.ranks
