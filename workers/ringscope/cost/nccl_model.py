"""NCCL's own time model of an all-reduce, with which it chooses algorithm and protocol: a second predictor. Pure.

time = latency + size / bandwidth for each of Tree, Ring, NVLS and NVLSTree with each protocol; the lowest wins.
Constants and formulas are those of NCCL 2.30's src/graph/tuning.cc; CollNet, which needs switches that reduce, is left
out. Bandwidths here are in GB/s (1e9), times in microseconds, as in NCCL.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from typing import Literal, NamedTuple

from ringscope.contracts.words.topology import SharedLink, Topology

Protocol = Literal["LL", "LL128", "Simple"]
Architecture = Literal["ampere", "hopper", "blackwell"]
# Keys are the names of links inside a node.
ARCHITECTURES: dict[str, Architecture] = {"nvlink3": "ampere", "nvlink4": "hopper", "nvlink5": "blackwell"}
PROTOCOLS: tuple[Protocol, ...] = ("LL", "LL128", "Simple")

_Three = tuple[float, float, float]  # by protocol, or by the number of nodes: 1, 2, more

_BASE_US: dict[str, _Three] = {"Tree": (6.8, 14.0, 8.4), "Ring": (6.6, 14.0, 8.4)}
_NVLINK_US: dict[str, _Three] = {"Tree": (0.6, 1.25, 4.0), "Ring": (0.6, 1.9, 3.4)}
_NETWORK_US: dict[str, _Three] = {"Tree": (5.0, 8.5, 14.0), "Ring": (2.7, 4.0, 14.0)}
_NVLS_US = 25.0
_NVLS_TREE_NETWORK_US = 20.9
# "Partitions that have less than or equal to four GPUs will not benefit from multicast" (NVIDIA's GB200 NVL Partition
# User Guide), without which the switch does not reduce; stas00 reports that NCCL uses the ring there on H200 and B200.
_NVLS_LEAST_GPUS = 5
_NETWORK_OVERHEAD_US = 1.0  # for Intel hosts; three times as much with Simple
_LL_MAX_NETWORK = (39.0, 20.4)  # 2 nodes, more; Intel hosts
_RING_PLATEAU_BYTES = 64  # per channel and rank: from this size on chunks are full and each hop waits for a whole one
_RING_PLATEAU = 1.4
# Trees do not follow the model at middle sizes; NCCL corrects them by factors for 64 B times 2^i.
_TREE_CORRECTION: dict[Protocol, tuple[float, ...]] = {
    "LL": (1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "LL128": (1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9),
    "Simple": (
        *(0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5),
        *(0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9),
    ),
}


class _Limits(NamedTuple):
    """Limits of a GPU generation: LL in total, the others per channel; triples are for 1, 2 and more nodes."""

    ll: float
    ring_ll128: float
    tree: _Three
    tree_ll128: _Three
    nvls_efficiency: float
    nvls_tree: _Three


_LIMITS: dict[str, _Limits] = {
    "ampere": _Limits(87.7, 20.0, (24.0, 23.6, 17.8), (20.0, 20.0, 20.0), 0.0, (24.0, 23.6, 17.8)),
    "hopper": _Limits(141.0, 36.7, (38.7, 41.4, 36.0), (36.7, 36.7, 29.0), 0.85, (0.0, 57.7, 45.5)),
    "blackwell": _Limits(282.0, 40.0, (70.0, 42.8, 24.0), (55.6, 31.67, 20.0), 0.74, (0.0, 96.0, 43.8)),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """Result of NCCL's topology search (NCCL_DEBUG_SUBSYS=GRAPH): channels and their bandwidth in GB/s."""

    architecture: Architecture
    nodes: int
    gpus_per_node: int
    channels: int
    intra_gb_per_s: float
    inter_gb_per_s: float = 0.0
    nvls_channels: int = 0
    nvls_gb_per_s: float = 0.0

    @property
    def ranks(self) -> int:
        """Return the total number of GPUs."""
        return self.nodes * self.gpus_per_node


# Graphs of an 8 x H100 node as NCCL prints them (NVIDIA/nccl issue 1197): 360 GB/s in rings, 8 channels for NVLS.
H100_NODE = Machine("hopper", 1, 8, channels=12, intra_gb_per_s=30.0, nvls_channels=8, nvls_gb_per_s=40.0)


def machine_of(topology: Topology, architecture: Architecture) -> Machine:
    """Return the result that NCCL would find: rings get 360/450 and NVLS 320/450 of the link rate, as on the H100
    node.
    """
    wire = (topology.intra or topology.inter).bytes_per_s / 1e9
    channels, nvls_channels = H100_NODE.channels, H100_NODE.nvls_channels
    ring = 0.8 * wire / channels
    out_of_node = topology.cards * topology.inter.bytes_per_s
    if topology.nodes_per_rack is not None and topology.nodes_per_rack < topology.node_count:
        out_of_node = min(out_of_node, topology.capacity(SharedLink("rack up", 0)))  # all rings leave each rack once
    inter = out_of_node / 1e9 / channels
    return Machine(
        architecture,
        topology.node_count,
        topology.ranks_per_node,
        channels,
        intra_gb_per_s=ring if topology.node_count == 1 else min(ring, inter),
        inter_gb_per_s=inter,
        nvls_channels=nvls_channels,
        nvls_gb_per_s=320 / 450 * wire / nvls_channels,
    )


class Prediction(NamedTuple):
    """An algorithm and protocol that NCCL considers, with the time that it predicts."""

    algorithm: str
    protocol: Protocol
    time_us: float


def predictions(machine: Machine, size_bytes: int) -> list[Prediction]:
    """Return all choices for an all-reduce of this size, fastest first; none for one GPU."""
    if machine.ranks < 2:
        return []
    return sorted(_candidates(machine, size_bytes), key=lambda found: found.time_us)


def _candidates(machine: Machine, size_bytes: int) -> Iterator[Prediction]:
    for i, protocol in enumerate(PROTOCOLS):
        latency_us, bandwidth = _ring(machine, i, size_bytes)
        yield Prediction("Ring", protocol, latency_us + size_bytes / (1e3 * bandwidth))
        latency_us, bandwidth = _tree(machine, i, size_bytes)
        yield Prediction("Tree", protocol, latency_us + size_bytes / (1e3 * bandwidth))
    bandwidth = _nvls_gb_per_s(machine)
    if bandwidth:
        between_us = 2 * int(log2(machine.nodes)) * _NVLS_TREE_NETWORK_US
        name = "NVLS" if machine.nodes == 1 else "NVLSTree"
        yield Prediction(name, "Simple", _NVLS_US + between_us + size_bytes / (1e3 * bandwidth))


def _ring(machine: Machine, protocol: int, size_bytes: int) -> tuple[float, float]:
    """Return latency in us and algorithm bandwidth in GB/s."""
    limits = _LIMITS[machine.architecture]
    busbw = machine.channels * _channel_gb_per_s(machine)
    if protocol == 0:
        busbw = min(_ll_gb_per_s(machine), busbw / 2)
    elif protocol == 1:
        busbw = min(busbw * 0.92, machine.channels * limits.ring_ll128)
    hops, between = 2 * (machine.ranks - 1), 2 * (machine.nodes - 1)
    inside_us, network_us = _NVLINK_US["Ring"][protocol], _network_us(machine, "Ring", protocol)
    if machine.nodes > 1:
        inside_us = max(inside_us, _NETWORK_OVERHEAD_US * (3 if protocol == 2 else 1))
    latency_us = _BASE_US["Ring"][protocol] + (hops - between) * inside_us + between * network_us
    is_plateau = size_bytes / (machine.channels * machine.ranks) >= _RING_PLATEAU_BYTES
    if protocol == 2 and machine.nodes > 1 and is_plateau:
        latency_us *= _RING_PLATEAU
    return latency_us, busbw * machine.ranks / hops


def _tree(machine: Machine, protocol: int, size_bytes: int) -> tuple[float, float]:
    """Return latency in us and algorithm bandwidth in GB/s."""
    limits = _LIMITS[machine.architecture]
    busbw = machine.channels * min(_channel_gb_per_s(machine) * 0.92, _by_nodes(limits.tree, machine))
    if protocol == 0:
        busbw = min(busbw / 3.8, _ll_gb_per_s(machine))
    elif protocol == 1:
        useful = 7 / 9 if machine.nodes == 1 else 120 / 128
        busbw = min(busbw * useful, machine.channels * _by_nodes(limits.tree_ll128, machine))
    inside_us = (machine.gpus_per_node - 1) * _NVLINK_US["Tree"][protocol]
    between_us = int(log2(machine.nodes)) * _network_us(machine, "Tree", protocol)
    factors = _TREE_CORRECTION[PROTOCOLS[protocol]]
    place = max(size_bytes // 64, 1).bit_length() - 1
    correction = factors[place] if place < len(factors) else 1.0
    return _BASE_US["Tree"][protocol] + 2 * (inside_us + between_us), busbw * correction * 0.5


def _nvls_gb_per_s(machine: Machine) -> float:
    """Return the algorithm bandwidth with reduction in the NVSwitch, and a tree between nodes; 0 without such a
    switch.
    """
    limits, channels = _LIMITS[machine.architecture], machine.nvls_channels
    if channels < 2 or machine.ranks < _NVLS_LEAST_GPUS:
        return 0.0
    per_channel = 2 * machine.nvls_gb_per_s * limits.nvls_efficiency * (channels - 1) / channels
    if machine.nodes > 1:
        inter = machine.inter_gb_per_s * machine.channels / channels * (2 if machine.nodes == 2 else 1)
        per_channel = min(per_channel, inter, _by_nodes(limits.nvls_tree, machine))
    return channels * per_channel * machine.ranks / (2 * (machine.ranks - 1))


def _ll_gb_per_s(machine: Machine) -> float:
    limit = _LIMITS[machine.architecture].ll
    return _by_nodes((limit, *_LL_MAX_NETWORK), machine)


def _by_nodes(limits: _Three, machine: Machine) -> float:
    return limits[min(machine.nodes, 3) - 1]


def _channel_gb_per_s(machine: Machine) -> float:
    return machine.intra_gb_per_s if machine.nodes <= 2 else machine.inter_gb_per_s


def _network_us(machine: Machine, algorithm: str, protocol: int) -> float:
    return _NETWORK_US["Tree" if machine.gpus_per_node == 1 else algorithm][protocol]
