"""nccl-tests' formulas, table and JSON, so that numbers compare one to one with the field's benchmark. Pure.

Columns, widths and rounding follow nccl-tests 2.19; sizes are binary, GB/s means 1e9 bytes per second.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby, zip_longest
from typing import Any

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.collectives import ROOTED
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.record import Environment, Hello, Measurement
from ringscope.contracts.units import format_size
from ringscope.contracts.version import __version__

_TYPES = {"float16": "half", "float32": "float", "float64": "double"}  # where nccl-tests has names of its own
_LEFT = "  {:>12}  {:>8}  {:>6}  {:>6}"
_RIGHT = "  {:>7}  {:>6}  {:>6}  {:>6}"
_ITERATIONS = "  {:>7}  {:>7}  {:>7}  {:>7}"
_TIME = "%Y-%m-%d %H:%M:%S"
_BLOCKING = {
    1: "wait and barrier after each inner iteration (-m) ",
    2: "wait after each inner iteration (-m), no barrier ",
    3: "wait and barrier after each outer iteration (-n); time excludes barrier ",
}
_Pair = tuple[Measurement | None, Measurement | None]


def dtype_named(name: str) -> str:
    """Our name of a dtype, for nccl-tests' or for our own; unknown names come back as they are."""
    ours = {theirs: ours for ours, theirs in _TYPES.items()} | {"int": "int32"}
    return ours.get(name, name)


def render_table(
    measurements: Sequence[Measurement],
    spec: BenchmarkSpec | None = None,
    ranks: Iterable[Hello] = (),
    timestamps: bool = False,
) -> str:
    """One table per algorithm in nccl-tests' text format; ``spec`` and ``ranks`` complete the header.

    ``timestamps`` ends each row with the time (UTC) at which its last block began.
    """
    devices = sorted(ranks, key=lambda hello: hello.rank)
    return "\n\n".join(
        "\n".join(_table(algorithm, rows, spec, devices, timestamps))
        for algorithm, rows in _by_algorithm(measurements).items()
    )


def to_json(
    spec: BenchmarkSpec,
    measurements: Sequence[Measurement],
    ranks: Iterable[Hello],
    arguments: Sequence[str],
    start_time: str,
    end_time: str,
    environments: Iterable[Environment] = (),
    errors: Sequence[str] = (),
) -> dict[str, Any]:
    """The run in nccl-tests' JSON version 3 (its booleans are strings), with ``algorithm`` in each result.

    ``simulated`` is the described cluster whose model times the results are; null for a measurement. What nccl-tests
    has no place for stands under ``ringscope``: the whole benchmark, every node, every rank's binding.
    """
    failed = _failed_checks(measurements)
    devices = sorted(ranks, key=lambda hello: hello.rank)
    nodes = sorted(environments, key=lambda environment: environment.rank)
    return {
        "version": 3,
        "start_time": start_time,
        "args": list(arguments),
        "env": [f"{name}={value}" for name, value in sorted(nodes[0].variables.items())] if nodes else [],
        **_nccl_version(nodes),
        "ringscope": {
            "version": __version__,
            "benchmark": spec.model_dump(mode="json"),
            "nodes": [node.model_dump(exclude={"type"}) for node in nodes],
            "ranks": [device.model_dump(exclude={"type"}) for device in devices],
        },
        "collective": spec.collective,
        "config": _config(spec, devices),
        "simulated": None if spec.topology is None else spec.topology.model_dump(),
        "results": [_result(pair, spec) for rows in _by_algorithm(measurements).values() for pair in _placements(rows)],
        "out_of_bounds": {"count": failed, "okay": _boolean(not failed)},
        "average_bus_bandwidth": {"bandwidth": round(_mean_busbw(measurements), 6), "okay": "unchecked"},
        "errors": list(errors),
        "end_time": end_time,
    }


# the table


def _table(
    algorithm: str, rows: list[Measurement], spec: BenchmarkSpec | None, devices: Sequence[Hello], timestamps: bool
) -> Iterable[str]:
    failed, per_iteration = _failed_checks(rows), spec is not None and spec.per_iteration
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
    if spec and spec.blocking:
        yield f"# Blocking Enabled: {_BLOCKING[spec.blocking]}"
    if spec and spec.per_iteration:
        skipped = f"; summary skips first {spec.skip_iterations} iterations" if spec.skip_iterations else ""
        yield f"# Per-Iteration Report: host clock timing; i_* uses max over process rows{skipped} "
    if devices:
        yield "#"
        yield "# Using devices"
        yield from (f"#  Rank {d.rank:2d} Group  0 Pid {d.pid:6d} on {d.host:>10} device  {d.device}" for d in devices)
    yield from _header(per_iteration, timestamps)
    for pair in _placements(rows):
        yield _row(pair, _root(spec), per_iteration) + (_timestamp(pair) if timestamps else "")
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
    steps = f"step: {_step(spec)} warmup iters: {spec.warmup} " if spec else ""
    checked = int(spec.check and not spec.is_simulated if spec else rows[0].wrong is not None)
    return (
        f"# nThread 1 nGpus 1 minBytes {smallest} maxBytes {largest} {steps}iters: {rows[0].iterations} "
        f"agg iters: {spec.aggregate if spec else 1} validation: {checked} graph: 0 unalign: 0"
    )


def _step(spec: BenchmarkSpec) -> str:
    return f"{spec.step_factor}(factor)" if spec.step_factor else f"{spec.step_bytes}(bytes)"


def _header(per_iteration: bool, timestamps: bool) -> Iterable[str]:
    before, between, after = (14, 32, 0) if per_iteration else (11, 23, 10)
    note = " (+ per-iteration)" if per_iteration else ""
    stamp, form = (" " + "timestamp".rjust(19), " " + _TIME.rjust(19)) if timestamps else (" ", " ")
    columns = _RIGHT.format("time", "algbw", "busbw", "#wrong")
    units = _RIGHT.format("(us)", "(GB/s)", "(GB/s)", "")
    if per_iteration:
        columns += _ITERATIONS.format("i_min", "i_max", "i_p99", "i_cv%")
        units += _ITERATIONS.format("(us)", "(us)", "(us)", "(%)")
    places = " " * before + "out-of-place" + note + " " * between + "in-place" + note + " " * after
    yield "#"
    yield "# " + " " * 10 + _LEFT.format("", "", "", "") + places
    yield "# " + f"{'size':>10}" + _LEFT.format("count", "type", "redop", "root") + columns * 2 + stamp
    yield "# " + f"{'(B)':>10}" + _LEFT.format("(elements)", "", "", "") + units * 2 + form


def _collective(spec: BenchmarkSpec | None) -> str:
    return spec.collective if spec else "all_reduce"


def _root(spec: BenchmarkSpec | None) -> int:
    return spec.root if spec and spec.collective in ROOTED else -1


def _row(pair: _Pair, root: int, per_iteration: bool) -> str:
    row = pair[0] or pair[1]
    assert row is not None
    left = f"{row.size_bytes:12d}" + _LEFT.format(row.count, _TYPES.get(row.dtype, row.dtype), row.op, root)
    return left + "".join(_columns(placement, per_iteration) for placement in pair)


def _columns(row: Measurement | None, per_iteration: bool) -> str:
    if row is None:  # the sweep ended before it got there
        return _RIGHT.format(*["N/A"] * 4) + (_ITERATIONS.format(*["N/A"] * 4) if per_iteration else "")
    wrong = "N/A" if row.wrong is None else f"{row.wrong:g}"
    rates = _fitted(row.algbw_gb_per_s, 6), _fitted(row.busbw_gb_per_s, 6)
    columns = _RIGHT.format(_fitted(row.time_us, 7), *rates, wrong)
    if per_iteration:
        columns += _ITERATIONS.format(*(_fitted(v, 7) for v in (row.min_us, row.max_us, row.p99_us, row.cv_percent)))
    return columns


def _timestamp(pair: _Pair) -> str:
    last = max(row.time_ns for row in pair if row is not None)
    return datetime.fromtimestamp(last // 10**9, UTC).strftime(_TIME).rjust(21)


def _fitted(value: float, width: int) -> str:
    """As many decimals as fit into the width, as nccl-tests' getFloatStr finds them."""
    texts = (f"{value:.{digits}f}" for digits in (2, 1, 0))
    return next((text for text in texts if len(text) <= width), f"{value:.{1 if width >= 7 else 0}e}")


def _placements(rows: Sequence[Measurement]) -> list[_Pair]:
    """(out of place, in place) in the order of the sweep, cycle by cycle."""
    cycles = ([row for row in rows if row.cycle == cycle] for cycle in sorted({row.cycle for row in rows}))
    return [
        pair
        for cycle in cycles
        for pair in zip_longest([r for r in cycle if not r.in_place], [r for r in cycle if r.in_place])
    ]


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
    step = {"step_factor": spec.step_factor} if spec.step_factor else {"step_bytes": spec.step_bytes}
    return {
        "nthreads": 1,
        "ngpus": 1,
        "minimum_bytes": spec.min_bytes,
        "maximum_bytes": spec.max_bytes,
        **step,
        "warmup_iters": spec.warmup,
        "iterations": spec.iterations,
        "aggregated_iterations": spec.aggregate,
        "validation": int(spec.check and not spec.is_simulated),
        "graph": 0,
        "blocking_collectives": _boolean(bool(spec.blocking)),
        "per_iter_timing": _boolean(spec.per_iteration),
        "per_iter_skip": spec.skip_iterations,
        "parallel_init": _boolean(False),
        "average": spec.average,
        "run_cycles": spec.cycles,
        "devices": [_device(device) for device in devices],
    }


def _device(hello: Hello) -> dict[str, Any]:
    _, _, address = hello.device.partition("[")
    return {
        "rank": hello.rank,
        "group": 0,
        "pid": hello.pid,
        "hostname": hello.host,
        "device": hello.local_rank,
        "device_hex": address.rstrip("]"),
        "device_info": hello.device,
    }


def _nccl_version(nodes: Sequence[Environment]) -> dict[str, int]:
    """As NCCL's own number, 22703 for 2.27.3; nothing where no NCCL is installed."""
    parts = nodes[0].versions.get("nccl", "").split(".") if nodes else []
    if len(parts) < 3:
        return {}
    major, minor, patch = map(int, parts[:3])
    return {"nccl_version": major * 10_000 + minor * 100 + patch}


def _result(pair: _Pair, spec: BenchmarkSpec) -> dict[str, Any]:
    row = pair[0] or pair[1]
    assert row is not None
    result: dict[str, Any] = {
        "size": row.size_bytes,
        "count": row.count,
        "type": _TYPES.get(row.dtype, row.dtype),
        "redop": row.op,
        "root": f"{_root(spec):>6}",
        "algorithm": row.algorithm,
        "transport": row.transport,
        "ranks": row.ranks,
        "cycle": row.cycle,
    }
    for name, placement in zip(("out_of_place", "in_place"), pair, strict=True):
        if placement is not None:
            result[name] = {
                "time": round(placement.time_us, 6),
                "alg_bw": round(placement.algbw_gb_per_s, 6),
                "bus_bw": round(placement.busbw_gb_per_s, 6),
                "nwrong": placement.wrong,
            } | _choice(placement)
            result[f"{name}_per_iter"] = _per_iteration(placement, spec.skip_iterations)
    return result | {"actual_iterations": row.iterations, "experiment_name": row.algorithm}


def _per_iteration(row: Measurement, skipped: int) -> dict[str, Any]:
    told = {name: getattr(row, field) for name, field in _PER_ITERATION.items()}
    fields = {name: round(value, 6) for name, value in told.items() if value is not None}
    times = {} if row.times_us is None else {"times_us": [round(time_us, 6) for time_us in row.times_us]}
    return {"skipped_iterations": skipped} | fields | times


_PER_ITERATION = {
    "min_us": "min_us",
    "max_us": "max_us",
    "avg_us": "mean_us",
    "p10_us": "p10_us",
    "p50_us": "p50_us",
    "p90_us": "p90_us",
    "p95_us": "p95_us",
    "p99_us": "p99_us",
    "stdev_us": "stdev_us",
    "cv_pct": "cv_percent",
}


def _choice(row: Measurement) -> dict[str, str | None]:
    """Only in rows of auto, where nccl-tests has nothing to compare with."""
    if row.chosen_algorithm is None:
        return {}
    return {"chosen_algorithm": row.chosen_algorithm, "chosen_because": row.chosen_because}


def _boolean(value: bool) -> str:
    return "true" if value else "false"
