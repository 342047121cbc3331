"""The demand of each queued job, computed once for all jobs with equal placements. Pure."""

from collections.abc import Mapping

import numpy as np

from ringscope.contracts.job import Placement
from ringscope_server.placement import addresses, versions
from ringscope_server.placement.cluster import Cluster, Groups, who
from ringscope_server.placement.placement import Demand, fits
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import NodeState, QueuedJob

_Key = tuple[object, ...]


class Demands:
    """Demands on one cluster; jobs of equal shape get the same object, so that what holds for one holds for all."""

    def __init__(self, cluster: Cluster, rates: Mapping[frozenset[str], float] | None = None) -> None:
        self._cluster = cluster
        known = cluster.number_of_name
        self._rates = {
            frozenset(known[name] for name in pair): rate
            for pair, rate in (rates or {}).items()
            if pair <= known.keys()
        }
        self._empty = SlotIndex(cluster.capacity, cluster.capacity)
        self._groups: dict[_Key, Groups] = {}
        self._demands: dict[_Key, Demand] = {}
        self._can_ever_fit: dict[Demand, bool] = {}
        self._differences: dict[Groups, str] = {}

    def of(self, job: QueuedJob, leaving: frozenset[str] = frozenset()) -> Demand:
        """Return the demand of a job. Nodes that leave too soon are left out; excluded ones if the others could hold
        the gang.
        """
        names = job.excluded_nodes & self._cluster.number_of_name.keys()
        if names:
            elsewhere = self.anywhere(job.placement, leaving | names, job.near)
            if self.can_ever_fit(elsewhere):
                return elsewhere
        return self.anywhere(job.placement, leaving, job.near)

    def missed(self, placement: Placement, leaving: frozenset[str]) -> list[NodeState]:
        """Return the leaving nodes that it may use, if the gang could ever fit with them."""
        demand = self.anywhere(placement)
        if not leaving or not self.can_ever_fit(demand):
            return []
        nodes = [self._cluster.nodes[number] for number in np.unique(demand.groups.node)]
        return [node for node in nodes if node.name in leaving]

    def anywhere(
        self, placement: Placement, excluded: frozenset[str] = frozenset(), near: frozenset[str] = frozenset()
    ) -> Demand:
        """Return the demand of a placement, on other nodes than those excluded."""
        asked, known = who(placement), self._cluster.number_of_name
        shape = (placement.ranks, placement.ranks_per_node, placement.nodes, placement.arrangement)
        key = (*shape, *asked, excluded, near)
        demand = self._demands.get(key)
        if demand is None:
            numbers = frozenset(known[name] for name in near & known.keys())
            groups = self._elsewhere(placement, asked, excluded)
            demand = self._demands[key] = Demand(placement, groups, numbers, self._rates)
        return demand

    def can_ever_fit(self, demand: Demand) -> bool:
        """Return whether the nodes could hold the gang if nothing else ran on them."""
        known = self._can_ever_fit.get(demand)
        if known is None:
            known = self._can_ever_fit[demand] = fits(demand, self._empty)
        return known

    def version_skew(self, demand: Demand) -> str | None:
        """Return how nodes differ in their versions, if only a mix could ever hold the gang."""
        groups = self._cluster.groups(demand.placement, any_version=True)
        mixed = Demand(demand.placement, groups)
        if self.can_ever_fit(demand) or not fits(mixed, self._empty):
            return None
        if groups not in self._differences:
            nodes = [self._cluster.nodes[number] for number in np.unique(groups.node)]
            self._differences[groups] = versions.differences(nodes)
        return self._differences[groups]

    def same_address(self, demand: Demand) -> str | None:
        """Return which nodes have the same address, if only such nodes together could ever hold the gang."""
        groups = self._cluster.groups(demand.placement, any_address=True)
        if self.can_ever_fit(demand) or not fits(Demand(demand.placement, groups), self._empty):
            return None
        return addresses.shared([self._cluster.nodes[number] for number in np.unique(groups.node)])

    def loaded(self, placement: Placement) -> list[str]:
        """Return the nodes with other load that it may not use now, if the gang could fit with them."""
        if not placement.quiet:
            return []
        demand = self.anywhere(placement.model_copy(update={"quiet": False}))
        nodes = (self._cluster.nodes[number] for number in np.unique(demand.groups.node))
        return [node.name for node in nodes if not node.is_quiet] if self.can_ever_fit(demand) else []

    def _elsewhere(self, placement: Placement, asked: _Key, excluded: frozenset[str]) -> Groups:
        if not excluded:
            return self._cluster.groups(placement)
        groups = self._groups.get((*asked, excluded))
        if groups is None:
            numbers = {self._cluster.number_of_name[name] for name in excluded}
            groups = self._groups[*asked, excluded] = self._cluster.groups(placement).without(numbers)
        return groups
