"""The bubble of pipelines: measured beside its formula, for 1 to 16 micro-batches on 2 and 4 stages.

A stage needs a core of its own. This machine may have fewer, so forward and backward are padded: each sleeps until it
has taken 100 or 200 ms, which leaves the core to the other stages. So the schedule and the messages are measured, and
the computing is not. One pipeline that computes without pauses is measured beside them.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import exec_part
from benchmarks.engine.gangs import run_ranks
from benchmarks.report import Result, Target, say, say_targets, watched

_STAGES = (2, 4)
_MICRO_BATCHES = (1, 2, 4, 8, 16)
_SCHEDULES = ("gpipe", "1f1b", "interleaved")
_SMALL: dict[str, Any] = {
    "model_arguments": {"hidden": 16, "layers": 8},
    "dataset": {"name": "digits"},
    "global_batch_size": 16,
}
_GPT: dict[str, Any] = {
    "model": "gpt",
    "model_arguments": {"layers": 6},
    "dataset": {"name": "synthetic", "samples": 512},
}
_SAMPLES = 4  # of gpt, in each micro-batch
_WITHIN = 0.03
_PROGRAM = (
    "import sys, json; from benchmarks.training.pipeline_ranks import measure; "
    "measure(json.loads(sys.argv[1]), sys.argv[2])"
)
_HEADING = ("stages", "micro-batches", "(p-1)/(m+p-1)", "gpipe", "1f1b", "interleaved, formula", "interleaved")


def run() -> Result:
    """Measure all cases."""
    rows: list[dict[str, Any]] = []
    with watched() as conditions:
        for stages in _STAGES:
            rows += _measured(stages, list(_padded(stages)))
        with watched() as meanwhile:
            computed = _measured(
                2,
                [
                    _case("1f1b", count, _GPT | {"global_batch_size": _SAMPLES * count}, False)
                    for count in _MICRO_BATCHES
                ],
            )
    tables = {"pipeline_bubble": table(rows), "pipeline_computed": computed_table(computed)}
    say(f"\ntraining_pipeline ({conditions})")
    for heading, *lines in tables.values():
        for line in (heading, *lines):
            say("  ".join(f"{cell:>20}" for cell in line))
    targets = list(targets_of(rows))
    say_targets(targets)
    details = {"comparisons": {}, "rows": rows + computed, "tables": tables, "conditions_computed": asdict(meanwhile)}
    return Result("training_pipeline", conditions, targets=targets, details=details)


def targets_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[Target]:
    """Return what pipelines are held to."""
    for stages in _STAGES:
        for schedule in _SCHEDULES:
            found = [row for row in rows if (row["stages"], row["schedule"]) == (stages, schedule)]
            worst = max(abs(median(row["bubbles"]) - row["ideal"]) for row in found)
            yield Target(
                f"{schedule}, {stages} stages: largest distance of the bubble from its formula", _WITHIN, worst, True
            )
        kept = max(row["peak_activations"] for row in rows if (row["stages"], row["schedule"]) == (stages, "1f1b"))
        yield Target(f"1f1b, {stages} stages: micro-batches whose activations a stage keeps", stages, kept, True)


def table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the bubbles, a line for each number of stages and micro-batches; the first line has the headings."""
    found = {(row["stages"], row["micro_batches"], row["schedule"]): row for row in rows}
    lines = [[*_HEADING]]
    for stages in _STAGES:
        for count in _MICRO_BATCHES:
            plain, twice = found[stages, count, "1f1b"], found.get((stages, count, "interleaved"))
            lines.append(
                [
                    str(stages),
                    str(count),
                    f"{plain['ideal']:.3f}",
                    f"{median(found[stages, count, 'gpipe']['bubbles']):.3f}",
                    f"{median(plain['bubbles']):.3f}",
                    "" if twice is None else f"{twice['ideal']:.3f}",
                    "" if twice is None else f"{median(twice['bubbles']):.3f}",
                ]
            )
    return lines


def computed_table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the bubbles of the pipeline that computes without pauses; the first line has the headings."""
    lines = [["micro-batches", "(p-1)/(m+p-1)", "measured", "micro-batches kept"]]
    for row in rows:
        bubble = f"{median(row['bubbles']):.3f}"
        lines.append([str(row["micro_batches"]), f"{row['ideal']:.3f}", bubble, str(row["peak_activations"])])
    return lines


def _padded(stages: int) -> Iterator[dict[str, Any]]:
    for schedule in _SCHEDULES:
        for count in _MICRO_BATCHES:
            if schedule != "interleaved" or count % stages == 0:
                yield _case(schedule, count, _SMALL, True)


def _case(schedule: str, micro_batches: int, training: Mapping[str, Any], is_padded: bool) -> dict[str, Any]:
    return {"schedule": schedule, "micro_batches": micro_batches, "training": dict(training), "is_padded": is_padded}


def _measured(stages: int, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        command = [sys.executable, "-c", _PROGRAM, json.dumps(cases), str(path)]
        run_ranks(stages, command, os.environ | {"OMP_NUM_THREADS": "1"})
        rows: list[dict[str, Any]] = json.loads(path.read_text())
        return rows


if __name__ == "__main__":
    exec_part("training_pipeline")
