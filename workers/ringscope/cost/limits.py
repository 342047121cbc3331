"""The bus bandwidth that no schedule can pass on given links: some ranks' way out or in, and no latency. Pure.

Ranks, nodes and racks are each asked how long their links need for what one of m such groups has to send or to take at
least (of an all-reduce: Patarasuk and Yuan 2009, equation 3). What adds in the switches, as NVLS does, may pass it.
"""

from ringscope.contracts.words.collectives import bus_factor
from ringscope.contracts.words.topology import SharedLink, Topology


def bus_limit_gb_per_s(topology: Topology, collective: str = "all_reduce") -> float:
    """The bus bandwidth (GB/s) of a collective; 0 for one rank, which sends nothing."""
    between, inside = topology.inter.bytes_per_s, topology.intra.bytes_per_s if topology.intra else 0.0
    ways = [between] * (topology.node_count > 1) + [inside] * (topology.ranks_per_node > 1)
    groups = [(topology.ranks, max(ways, default=0.0))]
    if topology.ranks_per_node > 1:
        groups.append((topology.node_count, topology.cards * between))
    if topology.nodes_per_rack is not None:
        groups.append((topology.node_count // topology.nodes_per_rack, topology.capacity(SharedLink("rack up", 0))))
    return min((rate * bus_share(collective, topology.ranks, m) / 1e9 for m, rate in groups if m > 1), default=0.0)


def bus_share(collective: str, ranks: int, groups: int) -> float:
    """Return the bus bytes for each byte that one of ``groups`` equal groups of ranks, at least two, sends or
    receives.
    """
    return bus_factor(collective, ranks) / _least_crossing(collective, ranks, groups)


def _least_crossing(collective: str, ranks: int, groups: int) -> float:
    """Return what one group has to send or receive, in multiples of the operation's size (as nccl-tests defines it)."""
    match collective:
        case "all_reduce":
            return 2 * (groups - 1) / groups
        case "reduce_scatter" | "all_gather":
            return (groups - 1) / groups
        case "alltoall":
            return ranks / groups * (groups - 1) / groups  # each of its ranks a part of its buffer for each rank beyond
    return 1.0  # a whole buffer goes in or out
