"""The links of a transport for messages of a size, and a schedule on them. Pure."""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from ringscope.contracts.words.devices import MPI_ON_GPUS
from ringscope.contracts.words.machine import REFERENCE, Machine
from ringscope.contracts.words.topology import PRESETS, Link, Topology, flat
from ringscope.cost.classes import by_classes
from ringscope.cost.core_time import Cores, crowded_seconds, hub_seconds
from ringscope.cost.effort import message_count
from ringscope.cost.fitting.regimes import Regime, message_bytes
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule, hubs

STEPWISE_RANKS = 32  # more ranks take longer to price message by message than most sweeps take to run
# The waits for hubs and for shared cores are sums over a schedule's messages, about 3 us each: this is the number of
# messages of `direct` on 128 ranks.
_MAX_SUMMED_MESSAGES = 33_000
LIBRARY = "library"  # the MPI library's own messages, as a carrier in the model


class CallTime(NamedTuple):
    """Time of one call in the model; with ``is_bound`` it is an upper bound."""

    seconds: float
    is_bound: bool = False


class Parameters(NamedTuple):
    """A carrier's regimes between ranks of one node, and its link between nodes."""

    inside: tuple[Regime, ...]
    between: Link


_NETWORK = PRESETS["10gbe"].link
_NVLINK = PRESETS["nvlink4"].link
_BETWEEN_GPUS = Parameters((Regime(inf, _NVLINK.latency_s, 1 / _NVLINK.bytes_per_s, None),), _NETWORK)
# In host memory: fits to medians of `ringscope bench` from 8 B to 16 MiB, two ranks on two cores of an AMD EPYC,
# MPICH 5.0.2; their median error is 7 % (shared_memory), 8 % (mpi), 4 and 8 % (MPICH's own). Nothing was measured over
# cuda_ipc or MPI between GPUs, nor between nodes: those are the presets' figures.
DEFAULTS: dict[str, Parameters] = {
    "shared_memory": Parameters((Regime(inf, 1.43e-6, 1.31e-11, 1.78e-11),), _NETWORK),
    "mpi": Parameters((Regime(5800, 1.72e-6, 0.0, 2.02e-10), Regime(inf, 4.65e-6, 6.12e-11, 2.92e-11)), _NETWORK),
    LIBRARY: Parameters((Regime(2900, 2.72e-6, 5.67e-10, None), Regime(inf, 1.68e-6, 1.36e-10, None)), _NETWORK),
    "cuda_ipc": _BETWEEN_GPUS,
    MPI_ON_GPUS: _BETWEEN_GPUS,
}
IN_HOST_MEMORY = frozenset({"shared_memory", "mpi", LIBRARY})


def inside_of(moved_by: str, machine: Machine | None, ranks: int, size_bytes: int) -> tuple[Regime, ...]:
    """Return a carrier's regimes between ``ranks`` ranks of one node for calls of this size, if it was not measured.

    Parameters fitted on one machine are scaled to another by the times of both for the same work: calls, adding and
    copying, in the cache and beyond it. Ranks that share a core share its speed, and must be scheduled in turn to see
    each other's messages.
    """
    inside = DEFAULTS[moved_by].inside
    if machine is None or moved_by not in IN_HOST_MEMORY:
        return inside
    share, call = machine.ranks_per_core(ranks), machine.call_us / REFERENCE.call_us
    wait_s = machine.turn_us / 1e6 if share > 1 else 0.0
    adding = share * REFERENCE.add_gb_per_s / machine.adding_gb_per_s(size_bytes)
    copying = share * REFERENCE.copy_gb_per_s / machine.copying_gb_per_s(size_bytes)
    return tuple(
        Regime(
            regime.below_bytes,
            regime.latency_s * call + wait_s,
            regime.send_s_per_byte * copying,
            None if regime.reduce_s_per_byte is None else regime.reduce_s_per_byte * adding,
        )
        for regime in inside
    )


def timeline_on(links: Callable[[float], Topology], schedule: Schedule, itemsize_bytes: int) -> Timeline:
    """Put a schedule on the links for its own message size; a first price of the shortest messages determines that
    size.
    """
    shortest = links(0.0)
    found = simulate(schedule, itemsize_bytes, shortest)
    theirs = links(message_bytes(found.critical_path()))
    return found if theirs == shortest else simulate(schedule, itemsize_bytes, theirs)


def seconds_on(
    links: Callable[[float], Topology],
    collective: str,
    algorithm: str,
    count: int,
    itemsize_bytes: int,
    nodes: Sequence[Sequence[int]],
    cores: Cores | None = None,
) -> CallTime | None:
    """Return the time of a schedule on the links for its own message size, on any number of ranks.

    Many ranks are priced by classes, or by an upper bound if the classes are not exact; None without classes. With
    ``cores`` the ranks are on one node and also wait for cores, unless there are too many messages.
    """
    ranks = sum(map(len, nodes))
    is_few = ranks <= STEPWISE_RANKS
    is_summed = is_few or message_count(algorithm, ranks, count, collective=collective) <= _MAX_SUMMED_MESSAGES
    if is_few or (cores is not None and is_summed):
        schedule = build(algorithm, ranks, count, nodes, collective)
        on = links(max(chunk.length for chunk in schedule.chunks) * itemsize_bytes)
        if cores is not None and cores.is_shared_memory and (of := hubs(schedule)):
            return CallTime(hub_seconds(schedule, of, itemsize_bytes, on.inter, on.reduce_s_per_byte, cores))
        if cores is not None and cores.are_shared:
            return CallTime(crowded_seconds(schedule, itemsize_bytes, on.inter, on.reduce_s_per_byte, cores))
        if is_few:
            return CallTime(timeline_on(links, schedule, itemsize_bytes).seconds)
    found = by_classes(collective, algorithm, count, itemsize_bytes, shortest := links(0.0))
    if found is None:
        return None
    theirs = links(found.message_bytes)
    if theirs != shortest:
        found = by_classes(collective, algorithm, count, itemsize_bytes, theirs)
    return None if found is None else CallTime(found.seconds, found.is_bound)


def topology_at(
    ranks_of_nodes: tuple[int, ...],
    inside: Sequence[Regime],
    between: Link | Sequence[Regime],
    message_bytes: float,
) -> Topology:
    """Return the links for messages of this size; nodes of unequal size count as if every rank had its own node."""
    ranks = sum(ranks_of_nodes)
    intra, adding = _link(inside, message_bytes)
    if len(ranks_of_nodes) == 1:
        return flat(ranks, intra, adding)
    inter = between if isinstance(between, Link) else _link(between, message_bytes)[0]
    if len(set(ranks_of_nodes)) > 1 or ranks_of_nodes[0] == 1:
        return flat(ranks, inter, adding)
    each = ranks_of_nodes[0]
    return Topology(ranks, inter, intra, ranks_per_node=each, nics_per_node=1, reduce_bytes_per_s=adding)


def _link(regimes: Sequence[Regime], message_bytes: float) -> tuple[Link, float | None]:
    regime = next(regime for regime in regimes if message_bytes < regime.below_bytes)
    send, add = regime.send_s_per_byte, regime.reduce_s_per_byte or 0.0
    # an all-reduce may include the copy in its additions; a collective that only moves data must pay for it too
    if not send:
        send = add = add / 2
    return Link(regime.latency_s, 1 / send if send else inf), 1 / add if add else None
