"""Facts of a run on which its expected bandwidth depends, and its measured points. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

# The first part that a GPU's name contains decides, so the more special names come first.
_CLASSES = (
    ("GB300", "GB300"), ("GB200", "GB200"), ("GH200", "GH200"), ("B300", "B300"), ("B200", "B200"),
    ("H200 NVL", "H200-NVL"), ("H200", "H200"), ("H100 PCIe", "H100-PCIE"), ("H100 NVL", "H100-NVL"), ("H100", "H100"),
    ("A100-PCIE", "A100-PCIE"), ("A100", "A100"), ("V100-PCIE", "V100-PCIE"), ("V100", "V100"), ("MI300X", "MI300X"),
)  # fmt: skip
_CARDS = re.compile(r"([0-9]{1,3})\s?x\s?([0-9]{1,4})\s?(?:G|Gbit/s|Gbps|Gb/s)?", re.IGNORECASE)


@dataclass(frozen=True)
class Facts:
    """The known facts of a run; None is unknown."""

    gpu: str | None = None
    ranks: int | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    collective: str | None = None
    library: str | None = None
    network: str | None = None  # rdma, sockets, tcpxo or nvlink, between nodes
    cards: int | None = None  # for each node
    card_gbit: float | None = None  # the rate of one card
    nvls: bool | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """A measured size in one placement; ``low`` and ``high`` are the interval in which its bandwidth lies, in GB/s."""

    size_bytes: int
    in_place: bool
    value: float
    low: float
    high: float


@lru_cache(maxsize=1024)  # a table asks for the same few names at each of its sizes
def gpu_class(name: str | None) -> str | None:
    """Return the class of a GPU by its name or by itself: "NVIDIA H100 80GB HBM3" is an H100; None if unknown."""
    lowered = (name or "").lower()
    return next((known for part, known in _CLASSES if part.lower() in lowered or known.lower() == lowered), None)


def parse_cards(text: str) -> tuple[int, float]:
    """Return number and rate in Gbit/s of a node's cards: "8x400G"; ValueError with a sentence for anything else."""
    found = _CARDS.fullmatch(text.strip())
    if found is None or int(found[1]) < 1 or int(found[2]) < 1:
        raise ValueError(f"{text!r} does not describe a node's cards; write for example 8x400G.")
    return int(found[1]), float(found[2])


def network_of(networks: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """Return the class of the network that NCCL's lines name; None if they name none."""
    joined = " ".join(networks).lower()
    if "fastrak" in joined or "tcpxo" in joined:
        return "tcpxo"
    if "socket" in joined or environment.get("NCCL_IB_DISABLE") == "1" or environment.get("NCCL_NET") == "Socket":
        return "sockets"
    if any(word in joined for word in ("ib", "libfabric", "ofi", "roce", "gib")):
        return "rdma"
    return None
