"""nccl-tests' JSON, version 3, with additional values under ``ringscope``. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any

from ringscope.bench.nccl_tests.dtypes import THEIR_DTYPES
from ringscope.bench.nccl_tests.pairs import Pair, by_algorithm, failed_checks, mean_busbw, placements, root_of
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Environment, Hello, Measurement
from ringscope.contracts.words.version import __version__

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
    """Return the run in nccl-tests' JSON version 3 (its booleans are strings), with ``algorithm`` in each result.

    ``simulated`` is the described cluster of a simulation; null for a measurement. Values that nccl-tests has no field
    for are under ``ringscope``: the whole benchmark, every node, every rank's binding.
    """
    failed = failed_checks(measurements)
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
        "results": [_result(pair, spec) for rows in by_algorithm(measurements).values() for pair in placements(rows)],
        "out_of_bounds": {"count": failed, "okay": _boolean(not failed)},
        "average_bus_bandwidth": {"bandwidth": round(mean_busbw(measurements), 6), "okay": "unchecked"},
        "errors": list(errors),
        "end_time": end_time,
    }


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
        "graph": spec.cuda_graph_launches,
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
    """Return the version as NCCL's own number, 22703 for 2.27.3; empty if no NCCL is installed."""
    parts = nodes[0].versions.get("nccl", "").split(".") if nodes else []
    if len(parts) < 3:
        return {}
    major, minor, patch = map(int, parts[:3])
    return {"nccl_version": major * 10_000 + minor * 100 + patch}


def _result(pair: Pair, spec: BenchmarkSpec) -> dict[str, Any]:
    row = pair[0] or pair[1]
    assert row is not None
    result: dict[str, Any] = {
        "size": row.size_bytes,
        "count": row.count,
        "type": THEIR_DTYPES.get(row.dtype, row.dtype),
        "redop": row.op,
        "root": f"{root_of(spec):>6}",
        "algorithm": row.algorithm,
        "transport": row.transport,
        "ranks": row.ranks,
        "cores": row.cores,
        "channels": row.channels,
        "cycle": row.cycle,
    }
    if row.library_function is not None:
        result["library_function"] = row.library_function
    if row.lowered_max_bytes is not None:
        result["lowered_max_bytes"] = row.lowered_max_bytes
    if row.nccl_report is not None:
        result["nccl_report"] = row.nccl_report
    for name, placement in zip(("out_of_place", "in_place"), pair, strict=True):
        if placement is not None:
            result[name] = {
                "time": round(placement.time_us, 6),
                "alg_bw": round(placement.algbw_gb_per_s, 6),
                "bus_bw": round(placement.busbw_gb_per_s, 6),
                "nwrong": placement.wrong,
            } | _choice(placement)
            if placement.device_time_us is not None:
                result[name]["device_time"] = round(placement.device_time_us, 6)
            result[f"{name}_per_iter"] = _per_iteration(placement, spec.skip_iterations)
    return result | {"actual_iterations": row.iterations, "experiment_name": row.algorithm}


def _per_iteration(row: Measurement, skipped: int) -> dict[str, Any]:
    told = {name: getattr(row, field) for name, field in _PER_ITERATION.items()}
    fields = {name: round(value, 6) for name, value in told.items() if value is not None}
    times = {} if row.times_us is None else {"times_us": [round(time_us, 6) for time_us in row.times_us]}
    return {"skipped_iterations": skipped} | fields | times


def _choice(row: Measurement) -> dict[str, str | None]:
    """Return auto's choice; empty for other rows, because nccl-tests has no such fields."""
    if row.chosen_algorithm is None:
        return {}
    return {"chosen_algorithm": row.chosen_algorithm, "chosen_because": row.chosen_because}


def _boolean(value: bool) -> str:
    return "true" if value else "false"
