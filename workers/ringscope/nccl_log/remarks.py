"""Remarks on what matters in a log: slow edges, sockets beside InfiniBand, unused cards, what is missing. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ringscope.contracts.words.units import plural
from ringscope.nccl_log.reading import Communicator, Log, Node
from ringscope.nccl_log.transports import CLASSES, GPUDIRECT, NETWORK, P2P, SHM, SOCKET, card_of, class_of

_MOST_PAIRS = 6


@dataclass(frozen=True)
class Remark:
    """A remark.

    ``kind`` is alone, sockets, no_gpudirect, shared_memory, unused_cards, versions, incomplete or warnings.
    """

    kind: str
    sentence: str


def classes(one: Communicator) -> dict[str, set[tuple[int, int]]]:
    """Return the pairs of ranks of each class of transport, the fastest first."""
    found: dict[str, set[tuple[int, int]]] = {}
    for (_, source, target), transports in one.edges.items():
        for transport in transports:
            found.setdefault(class_of(transport), set()).add((source, target))
    return {name: found[name] for name in sorted(found, key=lambda one: CLASSES.index(one) if one in CLASSES else 9)}


def slowest(one: Communicator) -> tuple[str, set[tuple[int, int]]] | None:
    """Return the slowest class of transport and its pairs of ranks."""
    known = [(name, pairs) for name, pairs in classes(one).items() if name in CLASSES]
    return known[-1] if known else None


def remarks(log: Log) -> list[Remark]:
    """Return what matters, the most important first; each remark is of printed lines only."""
    found: list[Remark | None] = [_versions(log)]
    if not log.communicators:
        found.insert(0, _sockets(log, {}))
    for one in log.communicators[:1]:
        by_class = classes(one)
        sockets = _sockets(log, by_class) if SOCKET in by_class or not _is_on_one_node(one) else None
        found = [sockets, *found, _no_gpudirect(by_class), _shared_memory(by_class)]
        found = [_alone(log.communicators), *found, _unused(log, one), _incomplete(one)]
    if log.warnings:
        found.append(
            Remark("warnings", f"{plural(len(log.warnings), 'warning')}; the first is: {log.warnings[0].rstrip('.')}.")
        )
    return [remark for remark in found if remark is not None]


def has_infiniband(node: Node) -> bool:
    """Return whether a node has InfiniBand or RoCE: cards that NCCL found, or an interface named as of InfiniBand."""
    return bool(node.cards) or any(name.startswith("ib") for name in node.interfaces)


def pairs_words(pairs: Iterable[tuple[int, int]]) -> str:
    """Format pairs of ranks: 0-1, 3-4 and 12 others; both directions of a pair are one."""
    unique = sorted({(min(pair), max(pair)) for pair in pairs})
    shown = [f"{first}-{second}" for first, second in unique[:_MOST_PAIRS]]
    rest = len(unique) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {plural(rest, 'other')}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _is_on_one_node(one: Communicator) -> bool:
    """Return whether all ranks are known to be on one node, where the network that NCCL chose carries no edge."""
    hosts = {*one.hosts.values()}
    return one.size is not None and len(one.hosts) >= one.size and len(hosts) == 1 and "" not in hosts


def _alone(communicators: list[Communicator]) -> Remark | None:
    """Return that several processes have each made a communicator of one rank, so that nothing is summed."""
    if len(communicators) < 2 or any(one.size != 1 for one in communicators):
        return None
    return Remark(
        "alone",
        f"Each of the {len(communicators)} communicators has one rank, so no GPU sends to another: each process is a "
        "job of its own. nccl-tests that were built without MPI=1 do so under mpirun or srun.",
    )


def _sockets(log: Log, by_class: dict[str, set[tuple[int, int]]]) -> Remark | None:
    networks = [(host, name) for host, node in log.nodes.items() for name in node.networks]
    chosen = any(name.startswith("Socket") for _, name in networks)
    if SOCKET not in by_class and not chosen:
        return None
    if SOCKET in by_class:
        what = f"TCP sockets carry the edges between ranks {pairs_words(by_class[SOCKET])}"
    else:
        what = "NCCL chose TCP sockets for edges between nodes"
    there = [host for host, node in log.nodes.items() if has_infiniband(node)]
    reasons: dict[str, list[str]] = {}
    for host, node in log.nodes.items():
        if reason := _reason(node):
            reasons.setdefault(reason, []).append(host)
    told = [f"{reason} on {_hosts(hosts)}" for reason, hosts in reasons.items()]
    why = f": {'; '.join(told)}" if told else ""
    if there:
        have = "has" if len(there) == 1 else "have"
        return Remark("sockets", f"{what}, although {_hosts(there)} {have} InfiniBand or RoCE{why}.")
    return Remark("sockets", f"{what}{why}; no line shows InfiniBand.")


def _hosts(hosts: list[str]) -> str:
    """Format nodes: node1, node1 and node2, node1, node2 and 6 others."""
    if len(hosts) <= 2:
        return " and ".join(host or "a node" for host in hosts)
    return f"{hosts[0]}, {hosts[1]} and {plural(len(hosts) - 2, 'other')}"


def _reason(node: Node) -> str | None:
    """Return why a node has no InfiniBand for NCCL, as its lines say."""
    for name, is_off in (("NCCL_IB_DISABLE", lambda value: value != "0"), ("NCCL_NET", lambda value: "ocket" in value)):
        if name in node.settings and is_off(node.settings[name]):
            return f"{name}={node.settings[name]} is set"
    if node.lacks_verbs:
        return "libibverbs could not be opened"
    return "NCCL found no InfiniBand device" if node.cards == {} else None


def _no_gpudirect(by_class: dict[str, set[tuple[int, int]]]) -> Remark | None:
    if NETWORK not in by_class:
        return None
    part = "some edges of the network" if GPUDIRECT in by_class else "the network's edges"
    return Remark(
        "no_gpudirect",
        f"GPUDirect RDMA is off on {part}, between ranks {pairs_words(by_class[NETWORK])}: data goes through the "
        "host's memory.",
    )


def _shared_memory(by_class: dict[str, set[tuple[int, int]]]) -> Remark | None:
    if SHM not in by_class:
        return None
    part = "some GPUs of a node" if P2P in by_class else "the GPUs of a node"
    return Remark(
        "shared_memory",
        f"Shared memory, not P2P, connects {part}: ranks {pairs_words(by_class[SHM])}.",
    )


def _unused(log: Log, one: Communicator) -> Remark | None:
    """Return the cards that no edge uses; only of a complete log, where a missing edge is no missing line."""
    if not one.is_complete:
        return None
    unused = []
    for host, transports in one.cards.items():
        node = log.nodes.get(host)
        used = {card for transport in transports if (card := card_of(transport)) is not None}
        if node and node.cards and used:
            names = [name for index, name in sorted(node.cards.items()) if index not in used]
            unused += [f"{', '.join(names)} on {host}"] if names else []
    if not unused:
        return None
    others = f" and on {plural(len(unused) - 3, 'other node')}" if len(unused) > 3 else ""
    return Remark("unused_cards", f"No edge uses {'; '.join(unused[:3])}{others}.")


def _versions(log: Log) -> Remark | None:
    if len(log.versions) < 2:
        return None
    return Remark("versions", f"The versions of NCCL differ: {', '.join(log.versions[:4])}.")


def _incomplete(one: Communicator) -> Remark | None:
    """Return what the log does not show."""
    missing = []
    if one.channels and len(one.rings) < one.channels:
        missing.append(f"{len(one.rings)} of {plural(one.channels, 'ring')} are printed")
    elif not one.rings:
        missing.append("no ring is printed")
    elif not one.is_closed:
        missing.append("the rings do not visit each rank once")
    places = {rank for tree in one.trees.values() for rank in tree}
    if one.size and one.trees and len(places) < one.size:
        missing.append(f"the trees of {len(places)} of {one.size} ranks are printed")
    if one.size and len(one.speakers) < one.size:
        missing.append(f"{len(one.speakers)} of {one.size} ranks wrote lines")
    return Remark("incomplete", f"The log is incomplete: {', '.join(missing)}.") if missing else None
