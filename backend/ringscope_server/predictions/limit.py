"""The bus bandwidth that the links of a gang allow, by their rates in one direction. Pure.

Each node has to send 2(k-1)/k of an all-reduce's buffer to the k-1 others, which bounds what its ranks reach together;
for other collectives it is the slowest link.
"""

from collections.abc import Mapping, Sequence

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Nic
from ringscope.cost.prices import bus_limit_gb_per_s
from ringscope_server.predictions.views import Limit

_BITS = 8


def of_job(spec: JobSpec, nics: Mapping[str, Sequence[Nic]]) -> Limit | None:
    """Of the cluster that a simulation describes, else of the nodes that a benchmark has."""
    is_all_reduce = spec.collective == "all_reduce"
    cluster = spec.sweep.topology
    if cluster is None:
        found, ranks, nodes = of_nodes(nics), spec.ranks, len(nics)
        share = (ranks - 1) / ranks * nodes / (nodes - 1) if is_all_reduce and found else 1.0
        return found and found.model_copy(update={"busbw_gb_per_s": found.busbw_gb_per_s * share})
    found = of_described(cluster)
    if found is None or not is_all_reduce:
        return found
    names = [f"{cluster.link} between nodes"] * (cluster.topology.node_count > 1)
    names += [f"{cluster.intra} inside nodes"] * (cluster.topology.ranks_per_node > 1)
    return Limit(
        busbw_gb_per_s=bus_limit_gb_per_s(cluster.topology),
        because=f"What the links of the described cluster let through: {', '.join(names)}.",
    )


def of_described(cluster: ClusterSpec) -> Limit | None:
    """Of a cluster that is only described; None for one rank."""
    topology = cluster.topology
    links = [] if topology.node_count == 1 else [(topology.inter.bytes_per_s, f"{cluster.link} between nodes")]
    if topology.ranks_per_node > 1 and topology.intra is not None:
        links.append((topology.intra.bytes_per_s, f"{cluster.intra} inside nodes"))
    if not links:
        return None
    rate, name = min(links)
    return Limit(busbw_gb_per_s=rate / 1e9, because=f"The slowest link of the described cluster: {name}.")


def of_nodes(nics: Mapping[str, Sequence[Nic]]) -> Limit | None:
    """Of nodes by name: what the slowest of them sends over its fastest card.

    None for one node, whose ranks need no network, and where a driver tells no rate.
    """
    if len(nics) < 2:
        return None
    fastest = {node: max((nic.speed_mbit_per_s or 0 for nic in cards), default=0) for node, cards in nics.items()}
    node = min(fastest, key=lambda name: (fastest[name], name))
    rate = fastest[node] * 1e6 / _BITS / 1e9
    if not rate:
        return None
    return Limit(
        busbw_gb_per_s=rate, because=f"The fastest network card of {node} is told to do {rate * _BITS:g} Gbit/s."
    )
