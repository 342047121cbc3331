"""The nodes that have the same address, in words. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from ringscope_server.nodes.names import listed
from ringscope_server.placement.snapshot import NodeState

REMEDY = "Start each agent with its own --address."


def shared(nodes: Sequence[NodeState]) -> str | None:
    """Return the first address that several nodes have, as in: n1 and n2 have the same address 127.0.0.1.

    None if there is no such address. Loopback addresses of different machines are different.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for node in nodes:
        if node.address:
            found[node.only_on, node.address].append(node.name)
    for (_, address), names in found.items():
        if len(names) > 1:
            words = " and ".join(sorted(names)) if len(names) == 2 else listed(sorted(names))
            return f"{words} have the same address {address}"
    return None
