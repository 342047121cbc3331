"""The bus bandwidth that no schedule can exceed on given links: limited by what some group of ranks must send or
receive, without latency. Pure.

For ranks, nodes and racks it computes how long their links need for the least data that one of m such groups must send
or receive (for an all-reduce: Patarasuk and Yuan 2009, equation 3). Reductions in the switches, as in NVLS, may exceed
the limit.
"""

from ringscope.contracts.words.collectives import bus_factor
from ringscope.contracts.words.topology import SharedLink, Topology


def bus_limit_gb_per_s(topology: Topology, collective: str = "all_reduce") -> float:
    """Return the bus bandwidth (GB/s) of a collective; 0 for one rank, which sends nothing."""
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
            # each of its ranks sends a part of its buffer to each rank outside
            return ranks / groups * (groups - 1) / groups
    return 1.0  # a whole buffer is sent or received
