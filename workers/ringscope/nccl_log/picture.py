"""A log as a page draws it: nodes with their ranks, and rings, trees and NVLS with the transport of each edge. Pure."""

from collections.abc import Iterable
from typing import Any

from ringscope.nccl_log.reading import Communicator, Log
from ringscope.nccl_log.remarks import remarks
from ringscope.nccl_log.sentences import answer, overview
from ringscope.nccl_log.transports import CLASSES, class_of

MOST_COMMUNICATORS = 8
MOST_RANKS = 512
_MOST_SHAPES = 64
Pair = tuple[int, int]


def picture(log: Log) -> dict[str, Any]:
    """Return the sentences about a log, and its largest communicators as places and shapes."""
    return {
        "answer": answer(log),
        "overview": overview(log),
        "remarks": [{"kind": one.kind, "sentence": one.sentence} for one in remarks(log)],
        "nodes": [
            {
                "host": host,
                "cards": None if node.cards is None else [name for _, name in sorted(node.cards.items())],
                "networks": node.networks,
                "interfaces": node.interfaces,
                "settings": node.settings,
            }
            for host, node in list(log.nodes.items())[:MOST_RANKS]
        ],
        "communicators": [_communicator(one) for one in log.communicators[:MOST_COMMUNICATORS]],
        "communicators_omitted": max(len(log.communicators) - MOST_COMMUNICATORS, 0),
        "warnings": log.warnings[:100],
    }


def _communicator(one: Communicator) -> dict[str, Any]:
    ranks = _ranks(one)
    is_drawn = len(ranks) <= MOST_RANKS
    shapes = [*_rings(one), *_trees(one), *_nvls(one)] if is_drawn else []
    if is_drawn:
        shapes += _others(one, shapes)
    return {
        "id": one.id,
        "ranks": one.size,
        "channels": one.channels,
        "is_complete": one.is_complete,
        "is_drawn": is_drawn,
        "places": [
            {
                "rank": rank,
                "host": one.hosts.get(rank),
                "device": None if one.devices.get(rank, -1) < 0 else one.devices[rank],
            }
            for rank in (ranks if is_drawn else [])
        ],
        "shapes": shapes[:_MOST_SHAPES],
        "shapes_omitted": max(len(shapes) - _MOST_SHAPES, 0),
    }


def _ranks(one: Communicator) -> list[int]:
    """Return all ranks that a line names, and those of the communicator's size if it can be drawn."""
    found = {rank for _, source, target in one.edges for rank in (source, target)}
    found |= {*one.hosts, *(rank for order in one.rings.values() for rank in order)}
    found |= {rank for tree in one.trees.values() for rank in tree}
    return sorted(found | {*range(min(one.size or 0, MOST_RANKS + 1))})


def _rings(one: Communicator) -> list[dict[str, Any]]:
    orders: dict[tuple[int, ...], list[int]] = {}
    for channel, order in sorted(one.rings.items()):
        orders.setdefault(order, []).append(channel)
    return [
        _shape(one, "ring", channels, [(order[i - 1], order[i]) for i in [*range(1, len(order)), 0]])
        for order, channels in orders.items()
    ]


def _trees(one: Communicator) -> list[dict[str, Any]]:
    """Return the trees, each edge from the child to its parent; both directions carry data."""
    found: dict[tuple[Pair, ...], list[int]] = {}
    for channel, tree in sorted(one.trees.items()):
        pairs = {(place.rank, place.parent) for place in tree.values() if place.parent is not None}
        pairs |= {(child, place.rank) for place in tree.values() for child in place.children}
        found.setdefault(tuple(sorted(pairs)), []).append(channel)
    return [_shape(one, "tree", channels, pairs) for pairs, channels in found.items() if pairs]


def _nvls(one: Communicator) -> list[dict[str, Any]]:
    if one.nvls_heads is None:
        return []
    shape = _shape(one, "nvls", [], [])
    return [{**shape, "heads": one.nvls_heads, "head_ranks": sorted(one.heads)}]


def _others(one: Communicator, shapes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the printed edges that are in no ring or tree, such as those of sends and receives."""
    known = {frozenset((edge["source"], edge["target"])) for shape in shapes for edge in shape["edges"]}
    pairs: dict[Pair, None] = {}
    channels = set()
    for channel, source, target in sorted(one.edges):
        if frozenset((source, target)) not in known:
            pairs[source, target] = None
            channels.add(channel)
    return [_shape(one, "other", sorted(channels), pairs)] if pairs else []


def _shape(one: Communicator, kind: str, channels: list[int], pairs: Iterable[Pair]) -> dict[str, Any]:
    return {
        "kind": kind,
        "channels": channels,
        "edges": [_edge(one, channels, *pair) for pair in pairs],
        "heads": None,
        "head_ranks": [],
    }


def _edge(one: Communicator, channels: list[int], source: int, target: int) -> dict[str, Any]:
    """Return an edge with the slowest class of its transports; None if no line of these channels tells one."""
    transports = {
        transport
        for channel in channels
        for pair in ((source, target), (target, source))
        for transport in one.edges.get((channel, *pair), ())
    }
    found = {class_of(transport) for transport in transports}
    known = [name for name in CLASSES if name in found]
    slowest = known[-1] if known else next(iter(found), None)
    return {"source": source, "target": target, "transport_class": slowest, "transports": sorted(transports)}
