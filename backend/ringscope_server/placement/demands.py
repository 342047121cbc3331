"""What each queued job needs, worked out once for all jobs that ask for the same. Pure."""

import numpy as np

from ringscope.contracts.job import Placement
from ringscope_server.placement import versions
from ringscope_server.placement.cluster import Cluster, Groups
from ringscope_server.placement.level import Level
from ringscope_server.placement.placement import Demand, fits
from ringscope_server.placement.snapshot import NodeState, QueuedJob

_Key = tuple[object, ...]


class Demands:
    """Demands on one cluster; jobs of equal shape get the same object, so that what holds for one holds for all."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._empty = Level(cluster.capacity, cluster.capacity)
        self._groups: dict[_Key, Groups] = {}
        self._demands: dict[_Key, Demand] = {}
        self._plain: dict[int, tuple[Placement, Demand]] = {}  # by the placement's id, which equal jobs share
        self._can_ever_fit: dict[Demand, bool] = {}
        self._differences: dict[Groups, str] = {}

    def of(self, job: QueuedJob, leaving: frozenset[str] = frozenset()) -> Demand:
        """Nodes that leave too soon are left out; excluded ones if the others could hold the gang."""
        names = job.excluded_nodes & self._cluster.number_of_name.keys()
        if names:
            elsewhere = self.anywhere(job.placement, leaving | names, job.near)
            if self.can_ever_fit(elsewhere):
                return elsewhere
        return self.anywhere(job.placement, leaving, job.near)

    def missed(self, placement: Placement, leaving: frozenset[str]) -> list[NodeState]:
        """The leaving nodes that it may use, if the gang could ever fit with them."""
        demand = self.anywhere(placement)
        if not leaving or not self.can_ever_fit(demand):
            return []
        nodes = [self._cluster.nodes[number] for number in np.unique(demand.groups.node)]
        return [node for node in nodes if node.name in leaving]

    def anywhere(
        self, placement: Placement, excluded: frozenset[str] = frozenset(), near: frozenset[str] = frozenset()
    ) -> Demand:
        """The demand of a placement, on other nodes than those excluded."""
        if excluded or near:
            return self._demand(placement, excluded, near)
        known = self._plain.get(id(placement))
        if known is None:  # the placement is kept with it, so that its id stays its own
            known = self._plain[id(placement)] = (placement, self._demand(placement, excluded, near))
        return known[1]

    def _demand(self, placement: Placement, excluded: frozenset[str], near: frozenset[str]) -> Demand:
        who = _who(placement)
        key = (placement.ranks, placement.ranks_per_node, placement.nodes, placement.arrangement, *who, excluded, near)
        demand = self._demands.get(key)
        if demand is None:
            known = self._cluster.number_of_name
            numbers = frozenset(known[name] for name in near & known.keys())
            demand = self._demands[key] = Demand(placement, self._elsewhere(placement, who, excluded), numbers)
        return demand

    def can_ever_fit(self, demand: Demand) -> bool:
        """Whether the nodes could hold the gang if nothing else ran on them."""
        known = self._can_ever_fit.get(demand)
        if known is None:
            known = self._can_ever_fit[demand] = fits(demand, self._empty)
        return known

    def version_skew(self, demand: Demand) -> str | None:
        """How nodes differ in their versions, if only a mix could ever hold the gang."""
        groups = self._of_nodes(demand.placement, _who(demand.placement), any_version=True)
        mixed = Demand(demand.placement, groups)
        if self.can_ever_fit(demand) or not fits(mixed, self._empty):
            return None
        if groups not in self._differences:
            nodes = [self._cluster.nodes[number] for number in np.unique(groups.node)]
            self._differences[groups] = versions.differences(nodes)
        return self._differences[groups]

    def _elsewhere(self, placement: Placement, who: _Key, excluded: frozenset[str]) -> Groups:
        if not excluded:
            return self._of_nodes(placement, who)
        groups = self._groups.get((*who, excluded))
        if groups is None:
            numbers = {self._cluster.number_of_name[name] for name in excluded}
            groups = self._groups[*who, excluded] = self._of_nodes(placement, who).without(numbers)
        return groups

    def _of_nodes(self, placement: Placement, who: _Key, *, any_version: bool = False) -> Groups:
        key = (*who, any_version)
        groups = self._groups.get(key)
        if groups is None:
            groups = self._groups[key] = self._cluster.groups(placement, any_version=any_version)
        return groups


def _who(placement: Placement) -> _Key:
    """The part of a placement that says which nodes it may have."""
    return (
        tuple(sorted(placement.selector.items())) if placement.selector else (),
        placement.exclusive,
        placement.same_rack,
        placement.gpu_model,
        placement.min_gpu_memory_bytes,
        placement.min_memory_bytes,
    )
