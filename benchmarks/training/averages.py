"""Measure what local SGD saves on a slow link and costs in accuracy, on two hosts of a lab with 1 Gbit/s (root).

Jobs run through a server, one after another, and the variants take turns. ``local_sgd_link`` compares resnet18 with the
gradient sums of multi_worker_mirrored; ``averages`` trains on digits with more and more steps between two averages.
"""

from collections.abc import Mapping
from dataclasses import asdict
from statistics import median
from typing import Any

from benchmarks.command import exec_part
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.links import share_cores, trained
from benchmarks.training.rounds import Outcome
from benchmarks.training.strategies import show

from ringscope.lab.network import NetworkError, require_network

_HOSTS, _RATE_BIT_PER_S = 2, 1_000_000_000
_ROUNDS = 3
_EVERY_STEP, _EVERY_8 = "multi_worker_mirrored", "local_sgd, every 8 steps"
# The number of steps is a multiple of sync_every, so that the last average belongs to as many steps as the others.
_RESNET: dict[str, Any] = {
    "strategy": "multi_worker_mirrored",
    "model": "resnet18",
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 16,
    "max_steps": 24,
}
# An epoch of digits has 44 steps, so that 32 steps between two averages differ from one average per epoch.
_DIGITS: dict[str, Any] = {
    "strategy": "multi_worker_mirrored",
    "model": "mlp",
    "global_batch_size": 32,
    "target_accuracy": 0.97,
}
_LOCAL: dict[str, Any] = {"strategy": "local_sgd"}
COMPARISONS: Mapping[str, tuple[dict[str, Any], Mapping[str, Mapping[str, Any]]]] = {
    "local_sgd_link": (_RESNET, {_EVERY_STEP: {}, _EVERY_8: _LOCAL | {"sync_every": 8}}),
    "averages": (
        _DIGITS,
        {_EVERY_STEP: {}}
        | {
            f"local_sgd, every {'step' if steps == 1 else f'{steps} steps'}": _LOCAL | {"sync_every": steps}
            for steps in (1, 2, 8, 32)
        },
    ),
}


def run() -> Result | None:
    """Run all jobs; None where there can be no shaped links, after one line that says why."""
    try:
        require_network()
    except NetworkError as error:
        say(f"training_averages: left out. {error}")
        return None
    outcomes: dict[str, Outcome] = {}
    with watched() as conditions, lab_cluster(_HOSTS, _RATE_BIT_PER_S) as cluster:
        share_cores(cluster.lab)
        for name, (training, variants) in COMPARISONS.items():
            outcomes[name] = outcome = _compared(cluster, training, variants)
            show(f"{name}, {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s between them", outcome)
    # The lab's processes belong to the run only where the watch begins before them.
    documents = {name: outcome.document() | {"conditions": asdict(conditions)} for name, outcome in outcomes.items()}
    say(f"\ntraining_averages ({conditions})")
    targets = targets_of(outcomes)
    say_targets(targets)
    return Result("training_averages", conditions, targets=targets, details={"comparisons": documents})


def _compared(cluster: LabCluster, training: Mapping[str, Any], variants: Mapping[str, Mapping[str, Any]]) -> Outcome:
    """Run the variants in turns."""
    rounds: dict[str, dict[str, list[float]]] = {name: {} for name in variants}
    for _ in range(_ROUNDS):
        for name, options in variants.items():
            for figure, value in trained(cluster, name, {**training, **options}).items():
                rounds[name].setdefault(figure, []).append(value)
    return Outcome(rounds, {})


def targets_of(outcomes: Mapping[str, Outcome]) -> list[Target]:
    """Return what local SGD is held to."""
    link, digits = outcomes["local_sgd_link"], outcomes["averages"]
    exposed_ms = link.spread(_EVERY_8, "exposed_us").median / 1e3
    faster = link.ratio(_EVERY_8, _EVERY_STEP, "samples_per_second")
    assert faster is not None, "all variants took part"
    label = f"resnet18, {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s"
    worst = min(median(figures["validation_accuracy"]) for figures in digits.rounds.values())
    return [
        Target(f"{label}: exposed communication per step of {_EVERY_8}, ms", 60, exposed_ms, at_most=True),
        Target(f"{label}: samples/s of {_EVERY_8} / {_EVERY_STEP}", 1.7, faster.median),
        Target("digits, at any number of steps between two averages: share of the held-out told right", 0.97, worst),
    ]


if __name__ == "__main__":
    exec_part("training_averages")
