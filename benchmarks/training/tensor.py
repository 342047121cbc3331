"""Tensor parallelism beside replicas and beside one process: step time, time of its sums, and bytes on the link.

The jobs of a comparison take turns, as in ``strategies.py``. All ranks are on this machine; with more ranks than cores,
they share the cores.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchmarks.command import exec_part
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.rounds import Comparison, Outcome
from benchmarks.training.strategies import MLP, show
from benchmarks.training.turns import Contender

from ringscope.contracts import training_size
from ringscope.contracts.training import TENSOR, TrainingSpec
from ringscope.contracts.words.collectives import bus_factor

ALONE = "one process"
_RANKS = (2, 4)
_STRATEGIES = ("mirrored", "tensor")
GPT: dict[str, Any] = {
    "model": "gpt",
    "model_arguments": {"layers": 2, "width": 256},
    "dataset": {"name": "synthetic", "validation_percent": 1},
    "global_batch_size": 8,
}


def _comparison(name: str, training: Mapping[str, Any]) -> Comparison:
    others = tuple(
        Contender(f"{strategy}, {ranks} ranks", {**training, "strategy": strategy, "all_reduce": "ring"}, ranks)
        for ranks in _RANKS
        for strategy in _STRATEGIES
    )
    return Comparison(name, (Contender(ALONE, training, ranks=1), *others), rounds=4, seconds=1.2)


COMPARISONS = {"gpt": _comparison("tensor_gpt", GPT), "mlp": _comparison("tensor_mlp", MLP)}


def run() -> Result:
    """Run both comparisons."""
    outcomes: dict[str, Outcome] = {}
    documents: dict[str, Any] = {}
    with watched() as conditions:
        for model, comparison in COMPARISONS.items():
            with watched() as meanwhile:
                outcomes[model] = outcome = with_bytes(comparison, comparison.run())
            show(comparison.name, outcome)
            documents[comparison.name] = outcome.document() | {"conditions": asdict(meanwhile)}
    say(f"\ntraining_tensor ({conditions})")
    targets = list(targets_of(outcomes))
    say_targets(targets)
    details = {"comparisons": documents, "tables": {"tensor_ratios": ratios(outcomes)}}
    return Result("training_tensor", conditions, targets=targets, details=details)


def targets_of(outcomes: Mapping[str, Outcome]) -> Iterator[Target]:
    """Return what tensor is held to: with as many ranks as cores, its sums take less than half of a step."""
    for model, outcome in outcomes.items():
        exposed = outcome.spread("tensor, 2 ranks", "exposed_us").median
        share = exposed / outcome.spread("tensor, 2 ranks", "step_us").median
        yield Target(f"{model}, 2 ranks: share of a step in which tensor waits for sums", 0.5, share, at_most=True)


def ratios(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    """Return the ratios of step times, taken within each round; the first line has the headings."""
    lines = [["model", "ranks", "tensor / one process", "tensor / mirrored", "mirrored / one process"]]
    for model, outcome in outcomes.items():
        for ranks in _RANKS:
            mirrored, tensor = (f"{strategy}, {ranks} ranks" for strategy in _STRATEGIES)
            pairs = ((tensor, ALONE), (tensor, mirrored), (mirrored, ALONE))
            lines.append([model, str(ranks), *(str(outcome.ratio(*pair) or "") for pair in pairs)])
    return lines


def with_bytes(comparison: Comparison, outcome: Outcome) -> Outcome:
    """Add what a rank sends in a step, which size and algorithm determine: all sums are rings."""
    rounds = {name: dict(found) for name, found in outcome.rounds.items()}
    for contender in comparison.contenders:
        if contender.name in rounds:
            training = contender.spec.training
            assert training is not None
            sent_bytes = summed_bytes(training) * bus_factor("all_reduce", contender.ranks)
            rounds[contender.name]["sent_bytes_per_step"] = [sent_bytes] * comparison.rounds
    return Outcome(rounds, outcome.left_out)


def summed_bytes(training: TrainingSpec) -> int:
    """Return the bytes that every rank contributes to the sums of a step."""
    if training.strategy in TENSOR:
        return sum(size_bytes * count for size_bytes, count in training_size.activation_sums(training).items())
    return training_size.gradient_bytes(training)


if __name__ == "__main__":
    exec_part("training_tensor")
