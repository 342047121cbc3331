"""nccl-tests' formulas, table and JSON, so that numbers compare one to one with the field's benchmark. Pure.

Columns, widths and rounding follow nccl-tests 2.18; sizes are binary, GB/s means 1e9 bytes per second.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Any

from ringscope import __version__
from ringscope.algorithms import ROOTED
from ringscope.record import Hello, Measurement
from ringscope.spec import SIMULATED, BenchmarkSpec
from ringscope.units import format_size

PER_RANK = frozenset({"reduce_scatter", "all_gather", "alltoall"})
UNCHECKED_IN_PLACE = frozenset({"alltoall", "sendrecv"})
_TYPES = {"float16": "half", "float32": "float", "float64": "double"}  # where nccl-tests has names of its own
_LEFT = "  {:>12}  {:>8}  {:>6}  {:>6}"
_RIGHT = "  {:>7}  {:>6}  {:>6}  {:>6}"
_HEADER = (
    "#",
    "# " + " " * 10 + _LEFT.format("", "", "", "") + " " * 11 + "out-of-place" + " " * 23 + "in-place" + " " * 10,
    "# "
    + f"{'size':>10}"
    + _LEFT.format("count", "type", "redop", "root")
    + _RIGHT.format("time", "algbw", "busbw", "#wrong") * 2
    + " ",
    "# "
    + f"{'(B)':>10}"
    + _LEFT.format("(elements)", "", "", "")
    + _RIGHT.format("(us)", "(GB/s)", "(GB/s)", "") * 2
    + " ",
)
_Pair = tuple[Measurement | None, Measurement | None]


def dtype_named(name: str) -> str:
    """Our name of a dtype, for nccl-tests' or for our own; unknown names come back as they are."""
    ours = {theirs: ours for ours, theirs in _TYPES.items()} | {"int": "int32"}
    return ours.get(name, name)


def bus_factor(collective: str, ranks: int) -> float:
    """What algbw is multiplied by to count bytes on the bus (nccl-tests doc/PERFORMANCE.md)."""
    match collective:
        case "all_reduce":
            return 2 * (ranks - 1) / ranks
        case "reduce_scatter" | "all_gather" | "alltoall":
            return (ranks - 1) / ranks
        case "broadcast" | "reduce" | "sendrecv":
            return 1.0
    raise ValueError(f"{collective}: there is no bus factor for it.")


def elements(collective: str, size_bytes: int, itemsize: int, ranks: int) -> tuple[int, int]:
    """What a size means: (the count column, the elements of the larger of input and result).

    Collectives with a part per rank count that part, in whole pieces of 16 bytes, so that small sizes become 0.
    """
    if collective in PER_RANK:
        count = size_bytes // itemsize // ranks & -(16 // itemsize)
        return count, count * ranks
    return size_bytes // itemsize, size_bytes // itemsize


def render_table(
    measurements: Sequence[Measurement], spec: BenchmarkSpec | None = None, ranks: Iterable[Hello] = ()
) -> str:
    """One table per algorithm in nccl-tests' text format; ``spec`` and ``ranks`` complete the header."""
    devices = sorted(ranks, key=lambda hello: hello.rank)
    return "\n\n".join(
        "\n".join(_table(algorithm, rows, spec, devices)) for algorithm, rows in _by_algorithm(measurements).items()
    )


def to_json(
    spec: BenchmarkSpec,
    measurements: Sequence[Measurement],
    ranks: Iterable[Hello],
    arguments: Sequence[str],
    start_time: str,
    end_time: str,
) -> dict[str, Any]:
    """The run in nccl-tests' JSON version 3 (its booleans are strings), with ``algorithm`` in each result.

    ``simulated`` is the described cluster whose model times the results are; null for a measurement.
    """
    failed = _failed_checks(measurements)
    return {
        "version": 3,
        "start_time": start_time,
        "args": list(arguments),
        "env": [],
        "ringscope_version": __version__,
        "collective": spec.collective,
        "config": _config(spec, sorted(ranks, key=lambda hello: hello.rank)),
        "simulated": None if spec.topology is None else spec.topology.model_dump(),
        "results": [
            _result(pair, _root(spec)) for rows in _by_algorithm(measurements).values() for pair in _placements(rows)
        ],
        "out_of_bounds": {"count": failed, "okay": _boolean(not failed)},
        "average_bus_bandwidth": {"bandwidth": round(_mean_busbw(measurements), 6), "okay": "unchecked"},
        "errors": [],
        "end_time": end_time,
    }


# the table


def _table(
    algorithm: str, rows: list[Measurement], spec: BenchmarkSpec | None, devices: Sequence[Hello]
) -> Iterable[str]:
    failed = _failed_checks(rows)
    transports = ",".join(dict.fromkeys(row.transport for row in rows))
    yield f"# ringscope version {__version__}"
    yield (
        f"# Collective test starting: {_collective(spec)} algorithm: {algorithm} transport: {transports} "
        f"ranks: {rows[0].ranks}"
    )
    yield _parameters(rows, spec)
    if rows[0].transport == SIMULATED:
        cluster = f" ({spec.topology})" if spec and spec.topology else ""
        yield f"# SIMULATED: times of the cost model for a described cluster{cluster}; nothing was measured"
    if devices:
        yield "#"
        yield "# Using devices"
        yield from (f"#  Rank {d.rank:2d} Group  0 Pid {d.pid:6d} on {d.host:>10} device  {d.device}" for d in devices)
    yield from _HEADER
    yield from (_row(pair, _root(spec)) for pair in _placements(rows))
    yield f"# Out of bounds values : {failed} {'FAILED' if failed else 'OK'}"
    yield f"# Avg bus bandwidth    : {_mean_busbw(rows):g} "
    yield "#"
    yield f"# Collective test concluded: {_collective(spec)}"
    yield from _choices(rows)


def _choices(rows: Sequence[Measurement]) -> Iterable[str]:
    """What auto took, as comments that parsers pass over: a line for each range of sizes with one choice."""
    for place, in_place in (("out of place", False), ("in place", True)):
        chosen = [row for row in rows if row.chosen_algorithm is not None and row.in_place is in_place]
        for name, group in groupby(chosen, key=lambda row: row.chosen_algorithm):
            same = list(group)
            sizes = dict.fromkeys(format_size(row.size_bytes) for row in (same[0], same[-1]))
            yield f"# auto took {name}, {place}, {' to '.join(sizes)}; {same[0].chosen_because}"


def _parameters(rows: Sequence[Measurement], spec: BenchmarkSpec | None) -> str:
    smallest, largest = (
        (spec.min_bytes, spec.max_bytes)
        if spec
        else (min(row.size_bytes for row in rows), max(row.size_bytes for row in rows))
    )
    steps = f"step: {spec.step_factor}(factor) warmup iters: {spec.warmup} " if spec else ""
    checked = int(spec.check and not spec.is_simulated if spec else rows[0].wrong is not None)
    return (
        f"# nThread 1 nGpus 1 minBytes {smallest} maxBytes {largest} {steps}iters: {rows[0].iterations} "
        f"agg iters: 1 validation: {checked} graph: 0"
    )


def _collective(spec: BenchmarkSpec | None) -> str:
    return spec.collective if spec else "all_reduce"


def _root(spec: BenchmarkSpec | None) -> int:
    return spec.root if spec and spec.collective in ROOTED else -1


def _row(pair: _Pair, root: int) -> str:
    row = pair[0] or pair[1]
    assert row is not None
    left = f"{row.size_bytes:12d}" + _LEFT.format(row.count, _TYPES.get(row.dtype, row.dtype), row.op, root)
    return left + "".join(map(_columns, pair))


def _columns(row: Measurement | None) -> str:
    if row is None:  # the sweep ended before it got there
        return _RIGHT.format("N/A", "N/A", "N/A", "N/A")
    wrong = "N/A" if row.wrong is None else f"{row.wrong:g}"
    return _RIGHT.format(_fitted(row.time_us, 7), _fitted(row.algbw_gb_per_s, 6), _fitted(row.busbw_gb_per_s, 6), wrong)


def _fitted(value: float, width: int) -> str:
    """As many decimals as nccl-tests finds room for."""
    digits = len(str(int(value))) if value >= 1 else 0
    if digits > width:
        return f"{value:.1e}"
    return f"{value:.{2 if digits < width - 2 else 1 if digits < width - 1 else 0}f}"


def _placements(rows: Sequence[Measurement]) -> list[_Pair]:
    """(out of place, in place) in the order of the sweep."""
    return list(zip_longest([r for r in rows if not r.in_place], [r for r in rows if r.in_place]))


def _by_algorithm(measurements: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    found: dict[str, list[Measurement]] = {}
    for row in measurements:
        found.setdefault(row.algorithm, []).append(row)
    return found


def _failed_checks(rows: Sequence[Measurement]) -> int:
    return sum(bool(row.wrong) for row in rows)


def _mean_busbw(rows: Sequence[Measurement]) -> float:
    return sum(row.busbw_gb_per_s for row in rows) / len(rows) if rows else 0.0


# JSON


def _config(spec: BenchmarkSpec, devices: Sequence[Hello]) -> dict[str, Any]:
    return {
        "nthreads": 1,
        "ngpus": 1,
        "minimum_bytes": spec.min_bytes,
        "maximum_bytes": spec.max_bytes,
        "step_factor": spec.step_factor,
        "warmup_iters": spec.warmup,
        "iterations": spec.iterations,
        "aggregated_iterations": 1,
        "validation": int(spec.check and not spec.is_simulated),
        "graph": 0,
        "blocking_collectives": _boolean(False),
        "devices": [
            {"rank": d.rank, "group": 0, "pid": d.pid, "hostname": d.host, "device": d.local_rank}
            | {"device_info": d.device}
            for d in devices
        ],
    }


def _result(pair: _Pair, root: int) -> dict[str, Any]:
    row = pair[0] or pair[1]
    assert row is not None
    result: dict[str, Any] = {
        "size": row.size_bytes,
        "count": row.count,
        "type": _TYPES.get(row.dtype, row.dtype),
        "redop": row.op,
        "root": f"{root:>6}",
        "algorithm": row.algorithm,
        "transport": row.transport,
        "ranks": row.ranks,
    }
    for name, placement in zip(("out_of_place", "in_place"), pair, strict=True):
        if placement is not None:
            result[name] = {
                "time": round(placement.time_us, 6),
                "alg_bw": round(placement.algbw_gb_per_s, 6),
                "bus_bw": round(placement.busbw_gb_per_s, 6),
                "nwrong": "N/A" if placement.wrong is None else placement.wrong,
            } | _choice(placement)
            result[f"{name}_per_iter"] = {
                f"{key}_us": round(getattr(placement, f"{key}_us"), 6) for key in ("min", "p50", "p99", "max")
            }
    return result | {"actual_iterations": row.iterations}


def _choice(row: Measurement) -> dict[str, str | None]:
    """Only in rows of auto, where nccl-tests has nothing to compare with."""
    if row.chosen_algorithm is None:
        return {}
    return {"chosen_algorithm": row.chosen_algorithm, "chosen_because": row.chosen_because}


def _boolean(value: bool) -> str:
    return "true" if value else "false"
