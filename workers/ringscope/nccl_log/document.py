"""A log as JSON. Pure."""

from typing import Any

from ringscope.nccl_log.reading import Communicator, Log
from ringscope.nccl_log.remarks import remarks
from ringscope.nccl_log.sentences import answer, chain
from ringscope.nccl_log.transports import card_of, class_of


def document(log: Log) -> dict[str, Any]:
    """Return everything that was read, with the remarks."""
    return {
        "answer": answer(log),
        "versions": log.versions,
        "remarks": [{"kind": one.kind, "sentence": one.sentence} for one in remarks(log)],
        "nodes": {
            host: {
                "cards": node.cards,
                "networks": node.networks,
                "interfaces": node.interfaces,
                "settings": node.settings,
            }
            for host, node in log.nodes.items()
        },
        "communicators": [_communicator(one) for one in log.communicators],
        "warnings": log.warnings[:100],
    }


def _communicator(one: Communicator) -> dict[str, Any]:
    return {
        "id": one.id,
        "ranks": one.size,
        "channels": one.channels,
        "is_complete": one.is_complete,
        "hosts": {str(rank): host for rank, host in sorted(one.hosts.items())},
        "devices": {str(rank): device for rank, device in sorted(one.devices.items())},
        "rings": {str(channel): list(order) for channel, order in sorted(one.rings.items())},
        "rings_closed": one.is_closed,
        "trees": {
            str(channel): [
                {"rank": place.rank, "parent": place.parent, "children": list(place.children)}
                for _, place in sorted(tree.items())
            ]
            for channel, tree in sorted(one.trees.items())
        },
        "tree_chain": chain(one),
        "nvls_heads": one.nvls_heads,
        "nvls_channels": one.nvls_channels,
        "edges": [
            {
                "channel": channel,
                "source": source,
                "target": target,
                "transport": transport,
                "class": class_of(transport),
                "card": card_of(transport),
            }
            for (channel, source, target), transports in sorted(one.edges.items())
            for transport in sorted(transports)
        ],
    }
