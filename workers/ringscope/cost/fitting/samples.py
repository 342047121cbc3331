"""Measured rows for a fit, read from the JSON that `ringscope bench` and nccl-tests write. Pure."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.devices import SIMULATED, usual_channels
from ringscope.contracts.words.machine import shared_cores
from ringscope.contracts.words.units import plural
from ringscope.cost.fitting.measured_rows import MeasuredRow, Nodes

_PLACEMENTS = ("out_of_place", "in_place")
_PROGRAM = re.compile(r"(\w+)_perf(?:_mpi)?$")


@dataclass(frozen=True, slots=True)
class Sample:
    """One row: the median time of a call, or its mean if the file has no median."""

    collective: str
    algorithm: str
    ranks: int
    size_bytes: int
    count: int
    p50_us: float


@dataclass(frozen=True, slots=True)
class Samples:
    """The rows of one run that have a schedule, over one transport; ``left_out`` are the algorithms that have none.

    ``nodes`` is the placement of its ranks on nodes; None if unknown. ``doubts`` are the reasons, as far as the rows
    contain them, why the rows may not describe the links.
    """

    rows: tuple[MeasuredRow, ...]
    transport: str
    nodes: Nodes | None
    left_out: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def read(document: Any, algorithm: str | None = None) -> Samples:
    """Return the rows of a run; ``algorithm`` applies to rows that do not name theirs, such as those of nccl-tests.

    ValueError with a sentence for a document of another kind, without rows for a fit, or with rows in another than the
    default number of channels.
    """
    try:
        results, config, simulated = document["results"], document["config"], document.get("simulated")
        collective = document.get("collective") or _collective(document["args"])
        nodes = (
            simulated_nodes(ClusterSpec.model_validate(simulated))
            if simulated
            else _nodes([d["hostname"] for d in config["devices"]])
        )
        asked = None if simulated else _other_channels(results, [d["hostname"] for d in config["devices"]])
        samples = [sample for result in results for sample in _samples(result, collective, algorithm, config)]
        transports = {str(result.get("transport", "nccl")) for result in results if _is_ours(collective, result)}
        known = [*doubts("completed", _crowd(results), None, _wrong(results)), *_untimed(results)]
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError("it holds no sweep; give JSON of `ringscope bench --json` or of nccl-tests.") from error
    if asked is not None:
        raise ValueError(_refused("its rows are in", asked))
    return replace(chosen(samples, transports, nodes), doubts=tuple(known))


def chosen(rows: Sequence[MeasuredRow], transports: set[str], nodes: Nodes | None) -> Samples:
    """Select the rows with a schedule; ValueError if there is none, or if the transports differ."""
    with_schedule = [row for row in rows if row.algorithm in SCHEDULED.get(row.collective, ())]
    left_out = tuple(sorted({row.algorithm for row in rows} - {row.algorithm for row in with_schedule}))
    if not with_schedule:
        raise ValueError(
            f"no row has an algorithm with a schedule ({', '.join(left_out) or 'there is none'}); "
            "measure ring, direct or another one of ours."
        )
    if len(transports) > 1:
        raise ValueError(f"{' and '.join(sorted(transports))} move data over different links; give rows of one.")
    transport = next(iter(transports), SIMULATED)
    if nodes is not None and transport != SIMULATED:
        nodes = on_transport(nodes, transport)
    return Samples(tuple(with_schedule), transport, nodes, left_out)


def of_job(spec: JobSpec, node_count: int, rows: Sequence[MeasuredRow], transports: set[str]) -> Samples:
    """Read the rows of a job that ran on ``node_count`` nodes; ValueError if a fit can use none of them."""
    if spec.benchmark is None:
        raise ValueError(f"a job of kind {spec.kind} measures no rows; name a benchmark.")
    if spec.benchmark.channels is not None:
        raise ValueError(_refused("it asked for", spec.benchmark.channels))
    placement, simulated = spec.placement, spec.benchmark.topology
    if simulated is not None:
        nodes: Nodes | None = simulated_nodes(simulated)
    else:
        is_even = node_count == 1 or placement.node_count or placement.ranks_per_node
        nodes = even([placement.ranks // node_count] * node_count) if is_even else None
    return chosen(rows, transports, nodes)


def doubts(reason: str | None, crowded: str, disturbed_by: str | None, wrong: int) -> list[str]:
    """Return the reasons to doubt a fit to a job's rows, in sentences.

    Args: reason: why the attempt that made them ended; None: it is running. crowded: "4 ranks on 2 cores"
    (``words.machine.shared_cores``); empty: each rank had a core. disturbed_by: a sentence; None: undisturbed. wrong:
    elements over all rows.
    """
    ended = "it has not ended yet" if reason is None else f"it ended as {reason}"
    return [
        *([] if reason == "completed" else [f"The job has not succeeded: {ended}."]),
        *([f"{plural(wrong, 'element')} of its rows {'was' if wrong == 1 else 'were'} wrong."] if wrong else []),
        *([f"{crowded}: the ranks shared cores, which affects every time."] if crowded else []),
        *([disturbed_by] if disturbed_by else []),
    ]


def even(ranks_of_nodes: Sequence[int]) -> Nodes | None:
    """Return nodes of equal size; None if their sizes differ. On one node all links are equal."""
    if len(ranks_of_nodes) < 2:
        return Nodes()
    return Nodes(ranks_of_nodes[0]) if len(set(ranks_of_nodes)) == 1 else None


def on_transport(nodes: Nodes, transport: str) -> Nodes:
    """Set the default channels of measured rings and trees on this transport; on one node all links are equal."""
    return nodes._replace(channels=usual_channels([nodes.ranks_per_node] * 2, transport))


def simulated_nodes(cluster: ClusterSpec) -> Nodes:
    """Return the placement in a described cluster; all links are equal with one node, or one rank per node."""
    topology = cluster.topology
    if 1 in (topology.node_count, topology.ranks_per_node):
        return Nodes()
    return Nodes(topology.ranks_per_node, topology.nics_per_node, topology.rails)


def _samples(
    result: Mapping[str, Any], collective: str, algorithm: str | None, config: Mapping[str, Any]
) -> Iterator[Sample]:
    ranks = int(result.get("ranks") or len(config["devices"]))
    for place in _PLACEMENTS:
        if place not in result:
            continue
        row, spread = result[place], result.get(f"{place}_per_iter", {})
        name = row.get("chosen_algorithm") or result.get("algorithm") or algorithm
        if name is None:
            raise ValueError("its rows do not name the algorithm; name it, such as --algorithm ring.")
        time_us = _time_us(row, spread)
        if not math.isfinite(time_us):
            continue
        yield Sample(collective, name, ranks, int(result["size"]), int(result["count"]), time_us)


def _time_us(row: Mapping[str, Any], spread: Mapping[str, Any]) -> float:
    return float(spread["p50_us"] if "p50_us" in spread else row["time"])


def _untimed(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence that counts the rows left out, if any."""
    every = [(result, place) for result in results for place in _PLACEMENTS if place in result]
    rows = [(result[place], result.get(f"{place}_per_iter", {})) for result, place in every]
    count = sum(not math.isfinite(_time_us(*row)) for row in rows)
    return [f"Left out: {plural(count, 'row')} without a time (inf or nan)."] if count else []


def _crowd(results: Sequence[Mapping[str, Any]]) -> str:
    """Describe the core sharing of the first row whose ranks shared cores; empty if none did or it is unknown."""
    return next((found for row in results if (found := shared_cores(int(row.get("ranks") or 0), row.get("cores")))), "")


def _wrong(results: Sequence[Mapping[str, Any]]) -> int:
    """Return the wrong elements over all rows that were checked."""
    found = (result[place].get("nwrong") for result in results for place in _PLACEMENTS if place in result)
    return sum(wrong for wrong in found if isinstance(wrong, int))


def _other_channels(results: Sequence[Mapping[str, Any]], hosts: Sequence[str]) -> int | None:
    """Return the channel count of the first row that deviates from the default; None if none does."""
    ranks_of_nodes = list(Counter(hosts).values())
    told = ((result.get("channels"), str(result.get("transport", "nccl"))) for result in results)
    return next((n for n, transport in told if n and n != usual_channels(ranks_of_nodes, transport)), None)


def _refused(what: str, channels: int) -> str:
    return f"{what} {plural(channels, 'channel')}; use a run with the default number."


def _is_ours(collective: str, result: Mapping[str, Any]) -> bool:
    return "algorithm" not in result or result["algorithm"] in SCHEDULED.get(collective, ())


def _collective(arguments: Sequence[str]) -> str:
    """Return the collective in the name of an nccl-tests program, such as all_reduce_perf."""
    found = _PROGRAM.search(arguments[0])
    if found is None or found[1] not in SCHEDULED:
        raise ValueError(f"{arguments[0]!r} is not a collective with a schedule; use one of {', '.join(SCHEDULED)}.")
    return found[1]


def _nodes(hosts: Sequence[str]) -> Nodes | None:
    return even(list(Counter(hosts).values()))
