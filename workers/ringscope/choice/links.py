"""The links of a transport, as messages of a size see them, and a schedule on them. Pure."""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from ringscope.contracts.devices import MPI_ON_GPUS
from ringscope.contracts.topology import PRESETS, Link, Topology, flat
from ringscope.cost.classes import by_classes
from ringscope.cost.regimes import Regime, message_bytes
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule

STEPWISE_RANKS = 32  # the schedules of more take longer to price message by message than most sweeps to run
LIBRARY = "library"  # the MPI library's own messages, as a carrier in the model


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


def timeline_on(links: Callable[[float], Topology], schedule: Schedule, itemsize_bytes: int) -> Timeline:
    """A schedule on the links that messages of its own size see; a first price, of the shortest, tells how large."""
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
) -> float | None:
    """The time of a schedule on the links that messages of its own size see, on any number of ranks.

    Of many ranks by classes; None where these have none on such links.
    """
    ranks = sum(map(len, nodes))
    if ranks <= STEPWISE_RANKS:
        schedule = build(algorithm, ranks, count, nodes, collective)
        return timeline_on(links, schedule, itemsize_bytes).seconds
    found = by_classes(collective, algorithm, count, itemsize_bytes, shortest := links(0.0))
    if found is None:
        return None
    theirs = links(found.message_bytes)
    if theirs != shortest:
        found = by_classes(collective, algorithm, count, itemsize_bytes, theirs)
    return None if found is None else found.seconds


def topology_at(
    ranks_of_nodes: tuple[int, ...],
    inside: Sequence[Regime],
    between: Link | Sequence[Regime],
    message_bytes: float,
) -> Topology:
    """The links as messages of this size see them; nodes of unequal size count as if every rank had its own."""
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
    if not send:  # all-reduces may leave it to adding; a collective that only moves data must pay for it too
        send = add = add / 2
    return Link(regime.latency_s, 1 / send if send else inf), 1 / add if add else None
