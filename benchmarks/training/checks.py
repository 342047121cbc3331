"""Measure the cost of comparing the ranks' sums (``verify_every``): the same training with and without it, in turns."""

from dataclasses import asdict
from typing import Any

from benchmarks.command import exec_part
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.rounds import Comparison
from benchmarks.training.strategies import show
from benchmarks.training.turns import Contender

_PLAIN, _CHECKED = "mirrored", "mirrored, sums compared every 50 steps"
_DATASET = {"name": "synthetic", "validation_percent": 1}
_RESNET: dict[str, Any] = {"model": "resnet18", "dataset": _DATASET, "global_batch_size": 16}
COMPARISON = Comparison(
    "checks",
    (Contender(_PLAIN, _RESNET), Contender(_CHECKED, _RESNET | {"verify_every": 50})),
    rounds=7,
    seconds=5.0,
)


def run() -> Result:
    """Hold the comparison."""
    with watched() as conditions:
        outcome = COMPARISON.run()
    say(f"\ntraining_checks ({conditions})")
    show("resnet18, 2 ranks", outcome)
    ratio = outcome.ratio(_CHECKED, _PLAIN)
    assert ratio is not None, "both took part"
    targets = [
        Target("resnet18, 2 ranks: step time with sums compared every 50 steps / without", 1.01, ratio.median, True)
    ]
    say_targets(targets)
    comparisons = {COMPARISON.name: outcome.document() | {"conditions": asdict(conditions)}}
    return Result("training_checks", conditions, targets=targets, details={"comparisons": comparisons})


if __name__ == "__main__":
    exec_part("training_checks")
