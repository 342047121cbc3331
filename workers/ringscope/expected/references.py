"""References for one size: the limit of the links, NCCL's model, published rows, and good runs of the same cluster.

Pure. Every reference has an interval; how wide it is, docs/expected.md explains.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, isclose, log

from ringscope.contracts.words.collectives import COLLECTIVES, bus_factor
from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.limits import bus_share
from ringscope.cost.nccl_model import machine_of, predictions
from ringscope.expected.facts import Facts, gpu_class
from ringscope.expected.hardware import GPUS, NVLS_LEAST_RANKS, is_in_one_domain
from ringscope.expected.published import Source

RELATIVE = 1e-5  # numbers of references have six digits
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
# Nine of ten published rows that NCCL's model describes are within these factors of it (tests/expected); it is too high
# for smaller messages, between nodes more so.
_MODEL_LEAST_BYTES = 256 * MIB
_MODEL_LEAST_BYTES_BETWEEN = GIB
_MODEL_WIDTH = (0.8, 1.25)
# How much two healthy runs of the same kind differ, by size: small sizes depend on clocks, versions and hosts.
_SPREAD = ((64 * MIB, 0.15), (MIB, 0.35), (0, 0.6))
_OTHER_CONDITIONS = 1.6  # factor on the spread if library, cards or network of the published run are not known alike


@dataclass(frozen=True)
class Reference:
    """An expected busbw in GB/s for one size, with its interval and where it comes from.

    Its numbers have six digits, so that the JSON of a judgement has all that the judgement used.
    """

    kind: str  # limit, model, published or baseline
    size_bytes: int
    value: float
    low: float
    high: float
    source: str
    url: str | None = None
    date: str | None = None

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, float(f"{getattr(self, name):.6g}"))

    def document(self) -> dict[str, object]:
        """Return it as JSON."""
        return {
            "kind": self.kind,
            "size_bytes": self.size_bytes,
            "busbw_gb_per_s": self.value,
            "low_gb_per_s": self.low,
            "high_gb_per_s": self.high,
            "source": self.source,
            "url": self.url,
            "date": self.date,
        }


def limit(facts: Facts, size_bytes: int) -> Reference | None:
    """Return what the links can carry; switches that reduce (NVLS) can carry more than rings, and count as such."""
    gpu = GPUS.get(gpu_class(facts.gpu) or "")
    if gpu is None or not facts.collective or not facts.ranks or facts.ranks < 2 or not facts.nodes:
        return None
    if facts.collective not in COLLECTIVES:
        return None
    ranks, nodes = facts.ranks, facts.nodes
    inside = gpu.link_gb_per_s * bus_share(facts.collective, ranks, ranks)
    if gpu.nvls and facts.nvls is not False and facts.collective == "all_reduce" and ranks >= NVLS_LEAST_RANKS:
        inside = gpu.link_gb_per_s * 2 * (ranks - 1) / (ranks + 1)
    ways = [(inside, f"{gpu.link_gb_per_s:g} GB/s of links for each GPU")]
    if nodes > 1 and not is_in_one_domain(gpu, ranks, nodes, facts.network) and facts.cards and facts.card_gbit:
        node = facts.cards * facts.card_gbit / 8
        ways.append((node * bus_share(facts.collective, ranks, nodes), f"{node:g} GB/s of cards for each node"))
    elif nodes > 1 and not is_in_one_domain(gpu, ranks, nodes, facts.network):
        return None
    value, why = min(ways)
    return Reference("limit", size_bytes, value, value, value, why)


def model(facts: Facts, size_bytes: int) -> Reference | None:
    """Return the time that NCCL's own model has for an all-reduce of large messages, with the error that it had."""
    gpu = GPUS.get(gpu_class(facts.gpu) or "")
    if gpu is None or gpu.architecture is None or size_bytes < _MODEL_LEAST_BYTES or facts.collective != "all_reduce":
        return None
    if not facts.ranks or facts.ranks < 2 or not facts.nodes or facts.ranks % facts.nodes:
        return None
    inside = Link(0.0, gpu.link_gb_per_s * 1e9)
    if is_in_one_domain(gpu, facts.ranks, facts.nodes, facts.network):
        topology = Topology(facts.ranks, inside, inside, facts.ranks)
    elif facts.cards and facts.card_gbit and facts.ranks // facts.nodes > 1 and facts.network != "sockets":
        if size_bytes < _MODEL_LEAST_BYTES_BETWEEN:
            return None
        per_gpu = facts.cards * facts.card_gbit / 8 / (facts.ranks // facts.nodes)
        topology = Topology(facts.ranks, Link(0.0, per_gpu * 1e9), inside, facts.ranks // facts.nodes)
    else:
        return None
    machine = machine_of(topology, gpu.architecture)
    found = predictions(machine, size_bytes)
    if facts.nvls is False:
        found = [one for one in found if not one.algorithm.startswith("NVLS")]
    busbw = size_bytes / (found[0].time_us * 1e3) * bus_factor("all_reduce", facts.ranks)
    low, high = (busbw * factor for factor in _MODEL_WIDTH)
    return Reference("model", size_bytes, busbw, low, high, f"NCCL's model, {found[0].algorithm}")


def published(facts: Facts, size_bytes: int, sources: Sequence[Source]) -> list[Reference]:
    """Return the rows of runs under the same conditions, interpolated between published sizes, never beyond them."""
    if facts.network == "sockets" and not any(_is_alike(facts, source) for source in sources):
        facts = replace(facts, network=None)  # compare with what the machine could do over its cards
    found = []
    for source in sources:
        if not _is_alike(facts, source):
            continue
        value = interpolated(source.rows, size_bytes)
        if value is not None:
            spread = next(width for least, width in _SPREAD if size_bytes >= least)
            spread *= _OTHER_CONDITIONS if _differs(facts, source) else 1.0
            low, high = value / (1 + spread), value * (1 + spread)
            kind = "baseline" if source.site else "published"
            told = f"{source.machine}, {source.library} {source.version}".strip(" ,")
            found.append(Reference(kind, size_bytes, value, low, high, told, source.url, source.date))
    return found


def interpolated(rows: Sequence[tuple[int, float]], size_bytes: int) -> float | None:
    """Return the bandwidth between two published sizes, straight in the logarithms; None outside of them."""
    for (size, value), (next_size, next_value) in pairwise(rows):
        if size <= size_bytes <= next_size:
            part = log(size_bytes / size) / log(next_size / size)
            return exp(log(value) + part * (log(next_value) - log(value)))
    return next((value for size, value in rows if size == size_bytes), None)


def merged(references: Iterable[Reference]) -> Reference | None:
    """Return the interval that holds all references of one kind, its value their geometric mean; None for none."""
    found = list(references)
    if not found:
        return None
    value = exp(sum(log(one.value) for one in found) / len(found))
    nearest = min(found, key=lambda one: abs(log(one.value / value)))
    return Reference(
        nearest.kind,
        nearest.size_bytes,
        value,
        min(one.low for one in found),
        max(one.high for one in found),
        nearest.source if len(found) == 1 else f"{len(found)} runs, such as {nearest.source}",
        nearest.url,
        nearest.date,
    )


def is_own_interval(reference: Reference) -> bool:
    """Return whether the interval of a reference to own runs has one of the widths that such intervals have."""
    narrow = next(width for least, width in _SPREAD if reference.size_bytes >= least)
    widths = (narrow, narrow * _OTHER_CONDITIONS)
    return any(
        isclose(reference.low * (1 + width), reference.value, rel_tol=RELATIVE)
        and isclose(reference.high, reference.value * (1 + width), rel_tol=RELATIVE)
        for width in widths
    )


def _is_alike(facts: Facts, source: Source) -> bool:
    """Return whether a published run is of the same kind: GPU, shape, collective, network and NVLS."""
    if gpu_class(facts.gpu) != gpu_class(source.gpu) or facts.collective != source.collective:
        return False
    if (facts.ranks, facts.nodes) != (source.ranks, source.nodes):
        return False
    if facts.nvls is not None and source.nvls is not None and facts.nvls is not source.nvls:
        return False
    if source.nodes == 1:
        return True
    networks = facts.network, source.network
    if None not in networks and networks[0] != networks[1]:
        return False
    cards = facts.cards and facts.card_gbit and facts.cards * facts.card_gbit
    theirs = source.cards and source.card_gbit and source.cards * source.card_gbit
    return not cards or not theirs or cards == theirs


def _differs(facts: Facts, source: Source) -> bool:
    """Return whether a condition that matters between nodes is known of only one of the runs."""
    return source.nodes > 1 and (facts.network is None or facts.card_gbit is None or source.card_gbit is None)
