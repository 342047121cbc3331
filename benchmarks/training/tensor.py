"""Tensor parallelism beside replicas and beside one process: step time, time of its sums, and bytes on the link.

The ranks of a gang train each case for a few steps in turns, so that the machine's speed hits all cases alike; ratios
are taken within each round. While one process trains alone, the other ranks wait. All ranks are on this machine.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import exec_part
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.rounds import Spread
from benchmarks.training.strategies import MLP
from benchmarks.training.tensor_ranks import ALONE

from ringscope.contracts.training import TENSOR, TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.words.collectives import bus_factor
from ringscope.rank.mpiexec import start_ranks
from ringscope.rank.parent_death import end_with_parent

_RANKS = (2, 4)
_DEADLINE_SECONDS = 300
_PROGRAM = (
    "import sys, json; from benchmarks.training.tensor_ranks import measure; "
    "measure(json.loads(sys.argv[1]), sys.argv[2])"
)
MODELS: dict[str, dict[str, Any]] = {
    "gpt": {
        "model": "gpt",
        "model_arguments": {"layers": 2, "width": 256},
        "dataset": {"name": "synthetic", "validation_percent": 1},
        "global_batch_size": 8,
    },
    "mlp": MLP,
}


def run() -> Result:
    """Measure all cases."""
    with watched() as conditions:
        rows = [row for ranks in _RANKS for row in _measured(ranks)]
    lines = table(rows)
    say(f"\ntraining_tensor ({conditions})")
    for line in lines:
        say("  ".join(f"{cell:>24}" for cell in line))
    targets = list(targets_of(rows))
    say_targets(targets)
    details = {"comparisons": {}, "rows": rows, "tables": {"tensor_steps": lines}}
    return Result("training_tensor", conditions, targets=targets, details=details)


def targets_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[Target]:
    """Return what tensor is held to: on two ranks its sums take less than half of a step."""
    for row in rows:
        if row["case"] == "tensor" and row["ranks"] == _RANKS[0]:
            share = Spread.of(_ratios(row["exposed_us"], row["step_us"])).median
            yield Target(f"{row['model']}, 2 ranks: share of a step of tensor in sums", 0.5, share, at_most=True)


def table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return a line for each case; the first line has the headings."""
    alone = {(row["model"], row["ranks"]): row["step_us"] for row in rows if row["case"] == ALONE}
    lines = [["", "step, ms", "of it waiting for sums, ms", "step / one process", "sent by a rank per step, KiB"]]
    for row in rows:
        model, ranks = row["model"], row["ranks"]
        is_alone = row["case"] == ALONE
        if is_alone and ranks != _RANKS[0]:
            continue
        lines.append(
            [
                f"{model}, {row['case']}" + ("" if is_alone else f", {ranks} ranks"),
                str(Spread.of(row["step_us"]).scaled(1e-3)),
                "" if is_alone else str(Spread.of(row["exposed_us"]).scaled(1e-3)),
                "" if is_alone else str(Spread.of(_ratios(row["step_us"], alone[model, ranks]))),
                "" if is_alone else f"{sent_bytes(model, row['case'], ranks) / 1024:.0f}",
            ]
        )
    return lines


def sent_bytes(model: str, strategy: str, ranks: int) -> float:
    """Return what a rank sends in a step; all sums are rings."""
    training = TrainingSpec.model_validate({**MODELS[model], "strategy": strategy})
    size_bytes = training_size.gradient_bytes(training)
    if strategy in TENSOR:
        size_bytes = sum(size * count for size, count in training_size.activation_sums(training).items())
    assert size_bytes is not None, f"the parameters of {model} are counted"
    return size_bytes * bus_factor("all_reduce", ranks)


def _ratios(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [first / second for first, second in zip(one, other, strict=True)]


def _measured(ranks: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        command = [sys.executable, "-c", _PROGRAM, json.dumps(MODELS), str(path)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        with start_ranks(ranks, command, environment, preexec_fn=end_with_parent) as process:
            try:
                code = process.wait(_DEADLINE_SECONDS)
            except BaseException:
                process.kill()
                raise
        if code:
            raise subprocess.CalledProcessError(code, command)
        rows: list[dict[str, Any]] = json.loads(path.read_text())
        return rows


if __name__ == "__main__":
    exec_part("training_tensor")
