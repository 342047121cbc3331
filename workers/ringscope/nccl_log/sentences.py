"""A log in words: the answer, then rings, trees, NVLS and edges of each communicator. Pure."""

from collections.abc import Iterable

from ringscope.contracts.words.units import plural
from ringscope.nccl_log.reading import Communicator, Log
from ringscope.nccl_log.remarks import classes, pairs_words, remarks, slowest

_MOST_ORDERS = 4
_MOST_RANKS = 32
_FIRST = ("alone", "sockets", "versions", "no_gpudirect")


def answer(log: Log) -> str:
    """Return the most important sentence about the log."""
    one = log.communicators[0] if log.communicators else None
    first = next((remark.sentence for remark in remarks(log) if remark.kind in _FIRST), None)
    if first:
        return first
    if one is None:
        return "The log shows no communicator; it has no line about channels, trees or ranks."
    found = slowest(one)
    if found is None:
        return f"The log shows no edge of the {_size(one)}."
    name, pairs = found
    if len(classes(one)) == 1:
        return f"All printed edges of the {_size(one)} use {name}."
    return f"The slowest edges of the {_size(one)}, between ranks {pairs_words(pairs)}, use {name}."


def overview(log: Log) -> str:
    """Return the versions, nodes and communicators in a sentence."""
    versions = f"NCCL {', '.join(log.versions[:4])}" if log.versions else "NCCL of an unknown version"
    nodes = len([host for host in log.nodes if host])
    return (
        f"{versions}, {plural(nodes, 'node')}, {plural(len(log.communicators), 'communicator')}, "
        f"{plural(log.lines, 'line')}."
    )


def description(one: Communicator) -> list[str]:
    """Return the lines about a communicator."""
    ranks = plural(one.size, "rank") if one.size else "an unknown number of ranks"
    lines = [f"Communicator of {ranks}{f' ({one.id})' if one.id else ''} on {_nodes(one)}"]
    lines += _orders(one)
    if one.trees:
        lines.append(f"  trees: {_trees(one)}")
    if one.nvls_heads is not None:
        lines.append(f"  NVLS: {plural(one.nvls_heads, 'head')}")
    labels: dict[str, set[tuple[int, int]]] = {}
    for (_, source, target), transports in sorted(one.edges.items()):
        for transport in transports:
            labels.setdefault(transport, set()).add((source, target))
    lines += [f"  {label}: ranks {pairs_words(pairs)}" for label, pairs in sorted(labels.items())[:40]]
    return lines


def chain(one: Communicator) -> list[int] | None:
    """Return the first channel's tree from its root as a chain; None if it branches or a place is not told."""
    if not one.trees:
        return None
    tree = one.trees[min(one.trees)]
    below: dict[int, int] = {}
    above: dict[int, int] = {}
    for place in tree.values():
        links = [(place.rank, child) for child in place.children]
        links += [(place.parent, place.rank)] if place.parent is not None else []
        for parent, child in links:
            if below.setdefault(parent, child) != child or above.setdefault(child, parent) != parent:
                return None
    roots = sorted({*below} - {*above})
    if len(roots) != 1:
        return None
    found = roots
    while found[-1] in below and len(found) <= len(above):
        found.append(below[found[-1]])
    return found


def _orders(one: Communicator) -> list[str]:
    orders: dict[tuple[int, ...], list[int]] = {}
    for channel, order in sorted(one.rings.items()):
        orders.setdefault(order, []).append(channel)
    lines = [f"  ring of channels {_ranges(channels)}: {_some(order)}" for order, channels in orders.items()]
    return [*lines[:_MOST_ORDERS], *([f"  and {len(lines) - _MOST_ORDERS} other orders"] if len(lines) > 4 else [])]


def _trees(one: Communicator) -> str:
    found = chain(one)
    if found:
        return f"{plural(len(one.trees), 'channel')}, from the root {'-'.join(map(str, found[:_MOST_RANKS]))}"
    return plural(len(one.trees), "channel")


def _size(one: Communicator) -> str:
    return plural(one.size, "rank") if one.size else "communicator of unknown size"


def _nodes(one: Communicator) -> str:
    hosts = list(dict.fromkeys(one.hosts[rank] for rank in sorted(one.hosts) if one.hosts[rank]))
    if not hosts:
        return "nodes that no line names"
    rest = f" and {plural(len(hosts) - 4, 'other node')}" if len(hosts) > 4 else ""
    return f"{', '.join(hosts[:4])}{rest}"


def _some(order: Iterable[int]) -> str:
    ranks = list(map(str, order))
    return " ".join(ranks[:_MOST_RANKS]) + (f" ... ({len(ranks)} ranks)" if len(ranks) > _MOST_RANKS else "")


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
