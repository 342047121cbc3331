"""The choice of running gangs that must end so that a job of higher priority can start. Pure."""

from collections.abc import Sequence

import numpy as np

from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.placement import Demand, fits
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import RunningGang


def victims(
    demand: Demand, priority: int, free: Ints, running: Sequence[RunningGang], cluster: Cluster
) -> list[RunningGang]:
    """Return few and young gangs of lower priority without which the demand fits; none if that does not help.

    Return none either if it fits once the stopping gangs have stopped. Lowest priority comes first, then youngest. One
    gang is preferred to several; of several, none is ended unnecessarily.
    """

    def suffices(freed: Ints) -> bool:
        return fits(demand, SlotIndex(np.minimum(freed, cluster.capacity), cluster.capacity))

    freed: Ints = sum((_gain(gang, cluster) for gang in running if gang.is_stopping), free)
    if suffices(freed):
        return []
    wanted = {cluster.nodes[number].id for number in demand.groups.node}
    candidates = sorted(
        (
            gang
            for gang in running
            if gang.priority < priority and not gang.is_stopping and any(s.node_id in wanted for s in gang.shares)
        ),
        key=lambda gang: (gang.priority, -gang.started_at.timestamp(), gang.job_id),
    )
    gains = [_gain(gang, cluster) for gang in candidates]
    for gang, gain in zip(candidates, gains, strict=True):
        if suffices(freed + gain):
            return [gang]
    chosen: list[int] = []
    for index, gain in enumerate(gains):
        chosen.append(index)
        freed = freed + gain
        if suffices(freed):
            break
    else:
        return []
    for index in reversed(chosen[:]):  # the dearest first
        if suffices(freed - gains[index]):
            freed = freed - gains[index]
            chosen.remove(index)
    return [candidates[index] for index in chosen]


def _gain(gang: RunningGang, cluster: Cluster) -> Ints:
    """Return the slots of each node that become free when the gang has ended."""
    gained = np.zeros_like(cluster.capacity)
    for number, slots in cluster.held_by(gang):
        gained[number] = slots
    return gained
