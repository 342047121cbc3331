"""A short all-reduce among ranks of this machine, each result compared with the exact one."""

import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Failure, Measurement
from ringscope.rank.local import Run, run_local

SIZE = 1 << 20
_MOST_RANKS = 8
_ITERATIONS = 12  # iterations of a row, which is one measurement
_FEWEST_ROWS, _MOST_OVERTIME = 24, 2  # enough for an interval, within so many times the time given beyond it
_MOST_CYCLES = 10_000
_START_SECONDS = 60.0  # ranks that have not begun by then do not count as slow


@dataclass(frozen=True)
class Reduced:
    """The bus bandwidth of each row in GB/s, the number of wrong elements, and why the ranks failed, if they did."""

    rates: list[float]
    wrong: int
    ranks: int
    failure: str = ""


def reduced(seconds: float, cores: int, tuning: Path | None = None) -> Reduced:
    """Run an all-reduce for so long, counted from its first row. Raises UserError if there is no MPI."""
    ranks = max(2, min(cores, _MOST_RANKS))
    sweep = {
        "collective": "all_reduce",
        "algorithms": ["ring"],
        "device": "cpu",
        "min_bytes": SIZE,
        "max_bytes": SIZE,
        "cycles": _MOST_CYCLES,
        "iterations": _ITERATIONS,
        "warmup": 2,
    }
    job = JobSpec.model_validate({"kind": "benchmark", "benchmark": sweep, "placement": {"ranks": ranks}})
    rates: list[float] = []
    run, wrong, is_over = Run(), 0, False
    deadline = time.monotonic() + _START_SECONDS
    with closing(run_local(job, run, tuning)) as records:
        for record in records:
            if isinstance(record, Failure) and record.reason == "verification_failed":
                wrong = max(1, wrong)
            if isinstance(record, Measurement):
                if not rates:
                    deadline = time.monotonic() + seconds
                rates.append(record.busbw_gb_per_s)
                wrong += record.wrong or 0
            late = time.monotonic() - deadline
            if late >= (0.0 if not rates or len(rates) >= _FEWEST_ROWS else _MOST_OVERTIME * seconds):
                is_over = True
                break
    return Reduced(rates[2:], wrong, ranks, "" if is_over else run.reason)
