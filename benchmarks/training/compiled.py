"""Measure what ``compile: true`` gains on this machine: each model with and without torch.compile, in turns."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.command import exec_part
from benchmarks.report import Result, say, watched
from benchmarks.training.rounds import Comparison
from benchmarks.training.search_goal import MODELS, write_text
from benchmarks.training.strategies import show
from benchmarks.training.turns import Contender

_NAME = "compiled"


def comparison(folder: Path) -> Comparison:
    """Return the jobs of all models; ``folder`` has the text that gpt reads."""
    contenders: list[Contender] = []
    for model, fields in MODELS.items():
        dataset = fields["dataset"] | {"validation_percent": 1}  # an end of an epoch takes no turn
        if dataset["name"] == "text":
            dataset |= {"path": str(folder)}
        training: Mapping[str, Any] = {"model": model, **fields, "dataset": dataset}
        contenders.append(Contender(model, training))
        contenders.append(Contender(f"{model}, compiled", {**training, "compile": True}))
    return Comparison(_NAME, tuple(contenders), seconds=3.0)


def run() -> Result:
    """Hold the comparison. No target is set: whether compiling pays depends on the model and the machine."""
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as folder:
        write_text(Path(folder))
        with watched() as conditions:
            outcome = comparison(Path(folder)).run()
    show("2 ranks, mirrored", outcome)
    say(f"\ntraining_compiled ({conditions})")
    comparisons = {_NAME: outcome.document() | {"conditions": asdict(conditions)}}
    return Result("training_compiled", conditions, targets=[], details={"comparisons": comparisons})


if __name__ == "__main__":
    exec_part("training_compiled")
