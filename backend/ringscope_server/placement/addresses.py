"""The nodes that have the same address, in words. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from ringscope_server.nodes.names import listed
from ringscope_server.placement.snapshot import NodeState

REMEDY = "Start each agent with its own --address."


def shared(nodes: Sequence[NodeState]) -> str:
    """Return the first address that several nodes have, as in: n1 and n2 have the same address 127.0.0.1."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        found[node.address].append(node.name)
    address, names = next((address, sorted(names)) for address, names in found.items() if address and len(names) > 1)
    words = " and ".join(names) if len(names) == 2 else listed(names)
    return f"{words} have the same address {address}"
