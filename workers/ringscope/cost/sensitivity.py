"""Sensitivity of a collective's time: its price again, with one parameter of the links changed. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.fitting.regimes import Regime
from ringscope.cost.nccl_model import Architecture
from ringscope.cost.prices import prices


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """If ``figure`` is multiplied by a factor, ``time_s`` becomes ``changed_time_s``; ``change`` is the relative
    increase.
    """

    algorithm: str
    figure: str
    time_s: float
    changed_time_s: float
    change: float


def sensitivities(
    algorithms: Sequence[str],
    size_bytes: int,
    topology: Topology,
    factor: float,
    servers: int = 1,
    architecture: Architecture | None = None,
    collective: str = "all_reduce",
    regimes: Sequence[Regime] = (),
) -> Iterator[Sensitivity]:
    """Yield the change of each algorithm's time if one parameter of the links is ``factor`` times as large.

    Raises ValueError as ``prices`` does.
    """

    def times(size_bytes: int, topology: Topology, regimes: Sequence[Regime]) -> list[float]:
        found = prices(algorithms, size_bytes, topology, servers, architecture, collective, regimes)
        return [price.time_s for price in found]

    before = times(size_bytes, topology, regimes)
    for figure in figures(topology, regimes):
        if figure == "size":
            after = times(round(size_bytes * factor), topology, regimes)
        elif regimes:
            after = times(size_bytes, topology, [_of_regime(regime, figure, factor) for regime in regimes])
        else:
            after = times(size_bytes, _of_topology(topology, figure, factor), ())
        for algorithm, old, new in zip(algorithms, before, after, strict=True):
            yield Sensitivity(algorithm, figure, old, new, new / old - 1 if old else 0.0)


def figures(topology: Topology, regimes: Sequence[Regime] = ()) -> list[str]:
    """List the parameters that can be changed, by the cluster's field names, without those that are zero."""
    has_inside = topology.ranks_per_node > 1
    if regimes:
        known = {
            "latency": any(regime.latency_s for regime in regimes),
            "bandwidth": True,
            "intra_latency": has_inside and any(regime.intra_latency_s for regime in regimes),
            "intra_bandwidth": has_inside and any(regime.intra_send_s_per_byte for regime in regimes),
            "adding": any(regime.reduce_s_per_byte for regime in regimes),
        }
    else:
        known = {
            "latency": bool(topology.inter.latency_s),
            "bandwidth": True,
            "intra_latency": has_inside and topology.intra is not None and bool(topology.intra.latency_s),
            "intra_bandwidth": has_inside,
            "adding": topology.reduce_bytes_per_s is not None,
        }
    return [*(name for name, is_there in known.items() if is_there), "size"]


def _of_topology(topology: Topology, figure: str, factor: float) -> Topology:
    inter, intra = topology.inter, topology.intra or Link(0.0, 1.0)
    match figure:
        case "latency":
            return replace(topology, inter=inter._replace(latency_s=inter.latency_s * factor))
        case "bandwidth":
            return replace(topology, inter=inter._replace(bytes_per_s=inter.bytes_per_s * factor))
        case "intra_latency":
            return replace(topology, intra=intra._replace(latency_s=intra.latency_s * factor))
        case "intra_bandwidth":
            return replace(topology, intra=intra._replace(bytes_per_s=intra.bytes_per_s * factor))
        case _:
            return replace(topology, reduce_bytes_per_s=(topology.reduce_bytes_per_s or 0.0) * factor)


def _of_regime(regime: Regime, figure: str, factor: float) -> Regime:
    match figure:
        case "latency":
            return replace(regime, latency_s=regime.latency_s * factor)
        case "bandwidth":
            return replace(regime, send_s_per_byte=regime.send_s_per_byte / factor)
        case "intra_latency":
            return replace(regime, intra_latency_s=(regime.intra_latency_s or 0.0) * factor)
        case "intra_bandwidth":
            return replace(regime, intra_send_s_per_byte=(regime.intra_send_s_per_byte or 0.0) / factor)
        case _:
            return replace(regime, reduce_s_per_byte=(regime.reduce_s_per_byte or 0.0) / factor)
