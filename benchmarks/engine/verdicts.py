"""Measure how often a verdict is right on a busy machine: for equal candidates, and for one with a planted slowdown.

    python -m benchmarks.engine.verdicts [--sweeps N] [--busy N] [--iterations N]

Each sweep times ``ring`` and a second candidate that is the same ring, on 2 ranks, while other processes keep all cores
busy. In every other sweep the second candidate waits after each operation, half as long as the operation takes
undisturbed: it takes 1.5 times as long. The rows and the rule that judges them are those of a job.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say

from ringscope.bench.sweep import Sweep
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Measurement, Record
from ringscope.engine.communicator import Communicator
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.winners import Winners
from ringscope.rank.mpiexec import start_ranks
from ringscope.rank.parent_death import end_with_parent

RANKS = 2
FACTOR = 1.5
EQUAL, SLOWER = "ring", "halving_doubling"  # the second name stands for the same ring, planted or not
_TRIES = 5
_LOOP = "while True: pass"


class _Planted:
    """The plan of a ring that waits after each operation."""

    def __init__(self, plan: Any, comm: Communicator, factor: float) -> None:
        self._plan = plan
        tries_ns = [self._timed() for _ in range(_TRIES)]
        agreed_ns = comm.maximum(np.array([float(min(tries_ns))]))[0]
        self._wait_ns = int(agreed_ns * (factor - 1))

    def _timed(self) -> int:
        began = time.perf_counter_ns()
        self._plan.run()
        return time.perf_counter_ns() - began

    def run(self) -> None:
        """Run the operation, then keep the core busy."""
        self._plan.run()
        until = time.perf_counter_ns() + self._wait_ns
        while time.perf_counter_ns() < until:
            pass

    def free(self) -> None:
        """Give back what the plan holds."""
        self._plan.free()


def run_rank(spec: BenchmarkSpec, factor: float, result: Path) -> None:
    """Run the sweep on this rank; rank 0 writes its rows, one a line."""
    end_with_parent()
    comm = Communicator(spec.transport)
    plan: Callable[..., Any] = comm.plan

    def same_ring(algorithm: str, *rest: Any) -> Any:
        made = plan(EQUAL, *rest)
        return _Planted(made, comm, factor) if algorithm == SLOWER and factor != 1.0 else made

    comm.plan = same_ring  # type: ignore[method-assign, assignment]
    rows: list[Record] = []
    Sweep(comm, spec, rows.append).run()
    if comm.rank == 0:
        lines = (row.model_dump_json() for row in rows if isinstance(row, Measurement))
        result.write_text("\n".join(lines))
    comm.free()


def measured(spec: BenchmarkSpec, factor: float) -> list[Measurement]:
    """Return the rows of a sweep with 2 ranks on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "rows"
        command = [sys.executable, "-m", "benchmarks.engine.verdicts", "--rank", spec.model_dump_json()]
        with start_ranks(RANKS, [*command, "--factor", str(factor), "--result", str(result)], os.environ) as process:
            if process.wait():
                raise RuntimeError(f"the ranks ended with exit code {process.returncode}")
        return [Measurement.model_validate_json(line) for line in result.read_text().splitlines()]


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the cores busy with that many loops."""
    loops = [subprocess.Popen([sys.executable, "-c", _LOOP], preexec_fn=end_with_parent) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def sizes_found(rows: Sequence[Measurement]) -> tuple[int, int, int]:
    """Return at how many sizes and placements the ring wins, at how many it loses, and how many there are."""
    comparison = SweepComparison.of(rows)
    winners = Winners(comparison)
    unbeaten = [winners.at(size, in_place) for size in comparison.sizes() for in_place in (False, True)]
    return unbeaten.count([EQUAL]), unbeaten.count([SLOWER]), len(unbeaten)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("--sweeps", type=count(1), default=20, help="of each kind (%(default)s)")
    parser.add_argument("--busy", type=count(0), default=8, help="loops beside the ranks (%(default)s)")
    parser.add_argument("--iterations", type=count(1), default=20, help="of each cycle (%(default)s)")
    parser.add_argument("--cycles", type=count(1), default=5, help="of each sweep (%(default)s)")
    parser.add_argument("--keep", type=Path, help="a file for the rows of all sweeps")
    parser.add_argument("--rank", help="for the ranks: the sweep as JSON")
    parser.add_argument("--factor", type=float)
    parser.add_argument("--result", type=Path)
    options = parser.parse_args(arguments)
    if options.rank:
        run_rank(BenchmarkSpec.model_validate_json(options.rank), options.factor, options.result)
        return 0
    spec = BenchmarkSpec(
        algorithms=(EQUAL, SLOWER),
        min_bytes=16,
        max_bytes=4 << 20,
        step_factor=4,
        iterations=options.iterations,
        cycles=options.cycles,
        check=False,
    )
    named = won = of = 0
    with busy(options.busy):
        for number in range(options.sweeps):
            began = time.monotonic()
            equals, planted = measured(spec, 1.0), measured(spec, FACTOR)
            found, lost, all_ = sizes_found(equals)
            named += found + lost > 0
            right, wrong, _ = sizes_found(planted)
            won, of = won + right, of + all_
            seconds = time.monotonic() - began
            say(
                f"{number + 1:3}: of equals {found + lost} of {all_} named; {FACTOR}x found at {right}, "
                f"the wrong way round at {wrong} ({seconds:.0f} s)"
            )
            if options.keep:
                with options.keep.open("a") as file:
                    for kind, rows in (("equal", equals), ("planted", planted)):
                        file.write(json.dumps({"kind": kind, "rows": [row.model_dump() for row in rows]}) + "\n")
    return judged(
        [
            Target(f"sweeps of equals with a winner, of {options.sweeps}", 0.05 * options.sweeps, named, at_most=True),
            Target(f"{FACTOR}x found, % of {of} sizes and placements", 95, 100 * won / of),
        ]
    )


if __name__ == "__main__":
    exit_with(main)
