"""Placement of ranks and the links between them that a message crosses. Pure.

A cluster is racks of nodes of ranks. Ranks of one node reach each other over the ``intra`` link, others over their
node's network cards, and between racks through the top-of-rack switch's uplinks, which may be oversubscribed.
Bandwidths are of one direction (all links are full duplex); times are seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple


class Link(NamedTuple):
    """One kind of link: seconds per message (α) and bytes per second and direction (1/β)."""

    latency_s: float
    bytes_per_s: float


class Preset(NamedTuple):
    """A link with a well-known name, and the source of its two figures."""

    link: Link
    source: str


class SharedLink(NamedTuple):
    """A link whose bandwidth is shared by the messages of several ranks that cross it at the same time."""

    kind: str
    number: int


class Path(NamedTuple):
    """Path of one message: its latency, its bandwidth without contention, and the links that it shares."""

    latency_s: float
    bytes_per_s: float
    shared: tuple[SharedLink, ...]
    is_intra: bool = False


# Rates are of one direction, those of the standard or the data sheet; programs reach less (docs/engine.md, section 7).
# [V]: read in the named document (stas00: github.com/stas00/ml-engineering, network/README.md); [R]: recalled or
# assumed, replace it by a fit (`ringscope.cost.fitting.fit`) before relying on it. docs/planner.md has it all as a
# table.
PRESETS: dict[str, Preset] = {
    "10gbe": Preset(Link(25e-6, 1.25e9), "rate IEEE 802.3ae; latency of TCP [R]"),
    "25gbe": Preset(Link(10e-6, 3.125e9), "rate IEEE 802.3by; latency of TCP [R]"),
    "50gbe": Preset(Link(10e-6, 6.25e9), "rate IEEE 802.3cd; latency of TCP as 25gbe [R]"),
    "100gbe": Preset(Link(10e-6, 12.5e9), "rate IEEE 802.3bj and 802.3cd; latency of TCP as 25gbe [R]"),
    "200gbe": Preset(Link(10e-6, 25e9), "rate IEEE 802.3bs and 802.3cd; latency of TCP as 25gbe [R]"),
    "400gbe": Preset(Link(10e-6, 50e9), "rate IEEE 802.3bs and 802.3ck; latency of TCP as 25gbe [R]"),
    "roce100": Preset(Link(2e-6, 12.5e9), "rate of 100gbe; latency a little above InfiniBand's [R]"),
    "roce200": Preset(Link(2e-6, 25e9), "rate of 200gbe; latency as roce100 [R]"),
    "roce400": Preset(Link(2e-6, 50e9), "rate of 400gbe; latency as roce100 [R]"),
    "roce800": Preset(Link(2e-6, 100e9), "rate IEEE 802.3df; latency as roce100 [R]"),
    "efa": Preset(Link(15.5e-6, 12.5e9), "a card of 100 Gbit/s, 4 in a P4 node of 8 GPUs [V stas00]; latency [R]"),
    "efa400": Preset(Link(15.5e-6, 50e9), "32 cards of a P5 node, 4 to each GPU [V stas00]; latency as efa [R]"),
    "ib100": Preset(Link(1.5e-6, 12.5e9), "rate InfiniBand EDR 4x [V stas00]; latency of an MPI message [R]"),
    "ib200": Preset(Link(1.3e-6, 25e9), "rate InfiniBand HDR 4x [V stas00]; latency of an MPI message [R]"),
    "ib400": Preset(Link(1.3e-6, 50e9), "rate InfiniBand NDR 4x [V stas00]; latency as ib200, none is published [R]"),
    "ib800": Preset(Link(1.3e-6, 100e9), "rate InfiniBand XDR 4x [V stas00]; latency as ib200, none is published [R]"),
    "nvlink1": Preset(Link(3.4e-6, 80e9), "P100, 4 links of 20 GB/s [V stas00]; latency NCCL tuning.cc [V]"),
    "nvlink2": Preset(Link(3.4e-6, 150e9), "V100, 6 links of 25 GB/s [V stas00]; latency NCCL tuning.cc [V]"),
    "nvlink3": Preset(Link(3.4e-6, 300e9), "A100, 12 links of 25 GB/s [V stas00]; latency NCCL tuning.cc [V]"),
    "nvlink4": Preset(Link(3.4e-6, 450e9), "H100/H200, 18 links of 25 GB/s [V stas00]; latency NCCL tuning.cc [V]"),
    "nvlink5": Preset(Link(3.4e-6, 900e9), "B200, 18 links of 50 GB/s [V stas00]; latency NCCL tuning.cc [V]"),
}

# Names without a generation mean the generation of most machines of 2022 to 2024.
ALIASES = {"nvlink": "nvlink4"}


@dataclass(frozen=True, slots=True)
class Topology:
    """``ranks`` ranks, ``ranks_per_node`` on each node, ``nodes_per_rack`` nodes in each rack (None: one rack).

    ``inter`` is one network card; the ranks of a node take its ``nics_per_node`` cards in turn (None: one each). A
    rack's uplinks carry what its cards can send divided by ``oversubscription``, and a message that crosses the spine
    waits ``spine_latency_s`` more. ``reduce_bytes_per_s`` (1/γ) is how fast one rank adds; None: adding takes no time.

    ``channels`` is the number of channels of rings and trees (``ringscope.schedules.algorithms.channels``); None: one
    for each card of a node, if there are several nodes. With several channels a rank has one port for the links inside
    its node and one for its card, and adds at each port the data that arrives there, as a GPU does over NVLink and
    network. With one channel, one core is assumed to do everything, one message at a time.
    """

    ranks: int
    inter: Link
    intra: Link | None = None
    ranks_per_node: int = 1
    nics_per_node: int | None = None
    nodes_per_rack: int | None = None
    oversubscription: float = 1.0
    spine_latency_s: float = 0.0
    reduce_bytes_per_s: float | None = None
    channels: int | None = None

    def __post_init__(self) -> None:
        if self.ranks < 1 or self.ranks_per_node < 1 or self.ranks % self.ranks_per_node:
            raise ValueError(
                f"ranks: {self.ranks} ranks do not fill nodes of {self.ranks_per_node}; choose a multiple of it."
            )
        if self.ranks_per_node > 1 and self.intra is None:
            raise ValueError("intra: nodes with several ranks need a link inside the node; name one.")
        if self.nodes_per_rack is not None and (self.nodes_per_rack < 1 or self.node_count % self.nodes_per_rack):
            raise ValueError(
                f"nodes_per_rack: {self.node_count} nodes do not fill racks of {self.nodes_per_rack}; choose a divisor."
            )
        if not 1 <= self.oversubscription < inf:
            raise ValueError(f"oversubscription: {self.oversubscription:g} is out of range; give 1 or more.")
        if not 1 <= self.cards <= self.ranks_per_node:
            raise ValueError(f"nics_per_node: {self.cards} cards are out of range; give 1 to {self.ranks_per_node}.")
        if not 1 <= self.rails <= self.ranks_per_node:
            raise ValueError(
                f"channels: {self.rails} cannot each leave a node of {self.ranks_per_node} through a different rank; "
                f"give 1 to {self.ranks_per_node}."
            )

    @property
    def is_flat(self) -> bool:
        """Return whether every two ranks have a link of their own, all equal."""
        return self.ranks_per_node == 1 and (self.nodes_per_rack is None or self.nodes_per_rack == self.ranks)

    @property
    def shares_links(self) -> bool:
        """Return whether ranks may have to wait for network cards or uplinks."""
        has_racks = self.nodes_per_rack is not None and self.nodes_per_rack < self.node_count
        # the uplinks that all ranks of a rack share
        is_narrow = self.ranks_per_node * self.oversubscription > self.cards
        return (has_racks and is_narrow) or (self.cards < self.ranks_per_node and self.node_count > 1)

    @property
    def node_count(self) -> int:
        """Nodes in all racks."""
        return self.ranks // self.ranks_per_node

    @property
    def nodes(self) -> list[list[int]]:
        """The ranks of each node."""
        size = self.ranks_per_node
        return [list(range(node * size, (node + 1) * size)) for node in range(self.node_count)]

    @property
    def cards(self) -> int:
        """Network cards of each node."""
        return self.ranks_per_node if self.nics_per_node is None else self.nics_per_node

    @property
    def rails(self) -> int:
        """Return the channel count of rings and trees."""
        if self.channels is not None:
            return self.channels
        return self.cards if self.node_count > 1 else 1

    @property
    def neighbourhood(self) -> int:
        """Return the ranks of a node if each has one port for them and one for its card; 1: one port for everything."""
        return self.ranks_per_node if self.rails > 1 else 1

    @property
    def reduce_s_per_byte(self) -> float:
        """Seconds to add one byte, γ."""
        return 0.0 if self.reduce_bytes_per_s is None else 1 / self.reduce_bytes_per_s

    def capacity(self, link: SharedLink) -> float:
        """Return the bytes per second and direction of a shared link."""
        if link.kind.startswith("nic"):
            return self.inter.bytes_per_s
        assert self.nodes_per_rack is not None
        return self.nodes_per_rack * self.cards * self.inter.bytes_per_s / self.oversubscription

    def path(self, src: int, dst: int) -> Path:
        """Return the path of a message from rank ``src`` to rank ``dst``."""
        node, peer = src // self.ranks_per_node, dst // self.ranks_per_node
        if node == peer and self.intra is not None:
            return Path(*self.intra, (), is_intra=True)
        shared: tuple[SharedLink, ...] = ()
        if self.cards < self.ranks_per_node:
            shared += SharedLink("nic out", self._card(src)), SharedLink("nic in", self._card(dst))
        if self.nodes_per_rack is None or node // self.nodes_per_rack == peer // self.nodes_per_rack:
            return Path(*self.inter, shared)
        shared += (
            SharedLink("rack up", node // self.nodes_per_rack),
            SharedLink("rack down", peer // self.nodes_per_rack),
        )
        return Path(self.inter.latency_s + self.spine_latency_s, self.inter.bytes_per_s, shared)

    def paths(self, pairs: Sequence[tuple[int, int]]) -> list[Path]:
        """The path of each pair of ranks, from the first to the second."""
        if self.is_flat and pairs:  # All links are equal, and there are many pairs: 128 ranks have 16,256.
            return [self.path(*pairs[0])] * len(pairs)
        return [self.path(*pair) for pair in pairs]

    def _card(self, rank: int) -> int:
        node, local = divmod(rank, self.ranks_per_node)
        return node * self.cards + local % self.cards


def flat(ranks: int, link: Link, reduce_bytes_per_s: float | None = None) -> Topology:
    """Every two ranks joined by a link of their own, as behind one ideal switch."""
    return Topology(ranks, link, reduce_bytes_per_s=reduce_bytes_per_s)
