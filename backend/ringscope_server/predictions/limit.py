"""The bus bandwidth that the links of a gang allow, from their rates in one direction. Pure.

Each node has to send, or to take, a part of the buffers, which bounds what its ranks reach together (``cost.limits``).
"""

from collections.abc import Mapping, Sequence

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.inventory import Nic
from ringscope.contracts.job import JobSpec
from ringscope.cost.limits import bus_limit_gb_per_s, bus_share
from ringscope_server.predictions.views import Limit

_BITS = 8


def of_job(spec: JobSpec, nics: Mapping[str, Sequence[Nic]], has_gpus: bool = False) -> Limit | None:
    """Return the limit of the cluster that a simulation describes, else of a benchmark's nodes and their GPUs."""
    sweep = spec.sweep
    if sweep.topology is not None:
        return _of_described(sweep.topology, sweep.collective)
    found = of_nodes(nics, has_card_each=has_gpus and sweep.device != "cpu")
    if found is None:
        return None
    share = bus_share(sweep.collective, spec.ranks, len(nics))
    return found.model_copy(update={"busbw_gb_per_s": found.busbw_gb_per_s * share})


def _of_described(cluster: ClusterSpec, collective: str) -> Limit | None:
    """Return the limit of a described cluster; None for one rank."""
    topology = cluster.topology
    names = [f"{cluster.link} between nodes"] * (topology.node_count > 1)
    names += [f"{cluster.intra} inside nodes"] * (topology.ranks_per_node > 1)
    if not names:
        return None
    return Limit(
        busbw_gb_per_s=bus_limit_gb_per_s(topology, collective),
        because=f"The described cluster's links limit it: {', '.join(names)}.",
    )


def of_nodes(nics: Mapping[str, Sequence[Nic]], *, has_card_each: bool = False) -> Limit | None:
    """Return the limit of the slowest node, over its fastest card or, if each rank has a card, over all its cards.

    Return None for one node, whose ranks need no network, and if a driver reports no rate.
    """
    if len(nics) < 2:
        return None
    rates = {node: rate_gb_per_s(cards, has_card_each=has_card_each) for node, cards in nics.items()}
    node = min(rates, key=lambda name: (rates[name], name))
    rate = rates[node]
    if not rate:
        return None
    cards = f"network cards of {node} are" if has_card_each else f"fastest network card of {node} is"
    return Limit(busbw_gb_per_s=rate, because=f"The {cards} reported as {rate * _BITS:g} Gbit/s.")


def rate_gb_per_s(cards: Sequence[Nic], *, has_card_each: bool = False) -> float:
    """Return the rate of a node's fastest card, or of all its cards; 0 if no driver reports one."""
    together = sum if has_card_each else max
    return together([card.speed_mbit_per_s or 0 for card in cards] or [0]) * 1e6 / _BITS / 1e9
