"""The cost model against this machine: parameters from every other size, predictions for the sizes between.

One fit for each transport, of the ring between two ranks (``ringscope.cost.fitting.fit``); an error is ln(model /
measured).
"""

from statistics import median

import numpy as np
from benchmarks.command import exec_part
from benchmarks.engine.gangs import on_this_machine
from benchmarks.engine.measure import MeasurePlan, Series
from benchmarks.report import Result, Target, say, say_targets, watched

from ringscope.bench.timing import spread
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.units import format_size
from ringscope.cost.fitting.fit import held_out

TRANSPORTS = ("mpi", "shared_memory")
_SIZES = tuple(1 << power for power in range(3, 27))
_ROUNDS = 9
_MAX_REGIMES = 4
_ITEMSIZE = 4


def run() -> Result:
    """Measure, fit and predict, for each transport."""
    plans = {name: MeasurePlan(("ring",), _SIZES, _ROUNDS, name) for name in TRANSPORTS}
    with watched() as conditions:
        series = {name: on_this_machine(2, plan) for name, plan in plans.items()}
    say(f"\nmodel ({conditions})")
    targets, predictions = [], {}
    for name, rows in series.items():
        measurements = [_measurement(row) for row in rows]
        found, errors = held_out(measurements, _MAX_REGIMES)
        error = median(map(abs, errors))
        targets.append(Target(f"2 ranks, ring over {name}: median error of the sizes left out", 0.15, error, True))
        predictions[name] = [
            found.seconds(row.algorithm, row.ranks, row.count, _ITEMSIZE) * 1e6 for row in measurements
        ]
        for regime in found.regimes:
            say(
                f"  {name}, messages below {_size(regime.below_bytes)}: {regime.latency_s * 1e6:.2f} µs, "
                f"{regime.send_s_per_byte * 1e9:.3f} ns per byte"
            )
    say_targets(targets)
    details = {"predicted_us": predictions, "sizes_bytes": _SIZES, "left_out_bytes": _SIZES[1::2]}
    return Result("model", conditions, [row for rows in series.values() for row in rows], targets, details)


def _size(below_bytes: float) -> str:
    return "any size" if below_bytes == float("inf") else format_size(round(below_bytes))


def _measurement(row: Series) -> Measurement:
    algbw = row.size_bytes / row.time_us / 1e3
    return Measurement(
        collective="all_reduce",
        algorithm=row.algorithm,
        transport=row.transport,
        in_place=False,
        size_bytes=row.size_bytes,
        count=row.size_bytes // _ITEMSIZE,
        dtype=row.dtype,
        op="sum",
        ranks=row.ranks,
        time_us=row.time_us,
        algbw_gb_per_s=algbw,
        busbw_gb_per_s=row.busbw_gb_per_s,
        wrong=None,
        **spread(np.array(row.times_us)) | {"p50_us": row.time_us},
        iterations=row.iterations,
        time_ns=0,
    )


if __name__ == "__main__":
    exec_part("model")
