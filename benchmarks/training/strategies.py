"""Training on this machine: our gradient sum beside PyTorch's and TensorFlow's, unequal workers, overlap, digits.

The jobs of a comparison take turns (see ``turns.py``); a ratio is taken within each round, and told as median and
quartiles over the rounds. One thread computes for each rank, and all are float32. The job on digits is one through a
server and an agent of its own, from its submission to its end.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.command import exec_part
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.rounds import Comparison, Outcome
from benchmarks.training.turns import Contender

from ringscope.cli.processes.stack import StackOptions, running_stack

_LOOK_SECONDS = 0.05
_OURS, _DDP, _TF = "mirrored", "torch_ddp", "tf_multi_worker_mirrored"
_DATASET = {"name": "synthetic", "validation_percent": 1}  # an end of an epoch takes no turn
MLP: dict[str, Any] = {
    "model": "mlp",
    "model_arguments": {"hidden": 2176, "layers": 3},  # 16.2 million parameters
    "dataset": _DATASET,
    "global_batch_size": 32,
}
RESNET: dict[str, Any] = {
    "model": "resnet18",
    "dataset": _DATASET,
    "global_batch_size": 16,
}
_CNN: dict[str, Any] = {"model": "cnn", "dataset": _DATASET, "global_batch_size": 128}
DIGITS: dict[str, Any] = {
    "name": "digits",
    "kind": "training",
    "training": {"model": "mlp", "target_accuracy": 0.97},
    "placement": {"ranks": 4},
}
WITHOUT_OVERLAP = "without overlap"
COMPARISONS = (
    Comparison(
        "mlp",
        (
            Contender(_OURS, MLP),
            Contender(WITHOUT_OVERLAP, MLP | {"overlap": False}),
            Contender(_DDP, MLP | {"strategy": _DDP}),
            Contender(_TF, MLP | {"strategy": _TF}),
        ),
    ),
    Comparison(
        "resnet18",
        (
            Contender(_OURS, RESNET),
            Contender("buckets of 4 MiB", RESNET | {"bucket_bytes": 4 << 20}),
            Contender(_DDP, RESNET | {"strategy": _DDP}),
        ),
        seconds=4.0,
    ),
    Comparison(
        "unequal",
        tuple(
            Contender(split, _CNN | {"batch_split": split}, fault="slow", warmup_steps=60)
            for split in ("equal", "speed")
        ),
        seconds=2.0,
    ),
)
_ASKED = (
    ("mlp, 2 ranks: step time / torch_ddp's", "mlp", _OURS, _DDP, "step_us", 0.7, True),
    ("mlp, 2 ranks: step time / tf_multi_worker_mirrored's", "mlp", _OURS, _TF, "step_us", 0.3, True),
    ("mlp, 2 ranks: exposed communication / without overlap", "mlp", _OURS, WITHOUT_OVERLAP, "exposed_us", 1.0, True),
    ("resnet18, 2 ranks: step time / torch_ddp's", "resnet18", _OURS, _DDP, "step_us", 1.0, True),
    ("a rank slowed 2x: samples/s by speed / equal", "unequal", "speed", "equal", "samples_per_second", 1.25, False),
)


def run() -> Result:
    """Run all comparisons, then train on digits."""
    outcomes: dict[str, Outcome] = {}
    comparisons: dict[str, Any] = {}
    with watched() as conditions:
        for comparison in COMPARISONS:
            with watched() as meanwhile:
                outcomes[comparison.name] = outcome = comparison.run()
            show(comparison.name, outcome)
            comparisons[comparison.name] = outcome.document() | {"conditions": asdict(meanwhile)}
        digits = trained_digits()
    say(f"\ntraining ({conditions})")
    targets = [*targets_of(outcomes), *_digits_targets(digits)]
    say_targets(targets)
    return Result("training", conditions, targets=targets, details={"comparisons": comparisons, "digits": digits})


def targets_of(outcomes: Mapping[str, Outcome]) -> Iterator[Target]:
    """Return the targets of the comparisons in which both sides took part."""
    for name, comparison, ours, other, figure, wanted, at_most in _ASKED:
        ratio = outcomes[comparison].ratio(ours, other, figure) if comparison in outcomes else None
        if ratio is not None:
            yield Target(name, wanted, ratio.median, at_most)


def trained_digits() -> dict[str, Any]:
    """The job on digits, through a server and an agent: seconds from its submission, and what came out."""
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as scratch, ExitStack() as started:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, DIGITS["placement"]["ranks"], 0)
        client = started.enter_context(running_stack(options)).client
        began = time.monotonic()
        job = client.submit(DIGITS)
        while not (job := client.job(job.id)).is_finished:
            time.sleep(_LOOK_SECONDS)
        seconds = time.monotonic() - began
    if job.state != "succeeded":
        raise RuntimeError(f"digits: the job {job.state}: {job.message}")
    summary = job.summary
    return {
        "seconds": round(seconds, 2),
        "seconds_to_target": summary.seconds_to_target,
        "validation_accuracy": summary.validation_accuracy,
        "epochs": summary.epochs_done,
        "ranks": DIGITS["placement"]["ranks"],
        "model": DIGITS["training"]["model"],
    }


def _digits_targets(digits: dict[str, Any]) -> Iterator[Target]:
    label = f"digits, {digits['model']}, {digits['ranks']} ranks"
    yield Target(f"{label}: share of the held-out told right", 0.97, digits["validation_accuracy"])
    yield Target(f"{label}: s from submission to end", 60, digits["seconds"], at_most=True)


def show(name: str, outcome: Outcome) -> None:
    """Print the comparison's table, and why some jobs took no part."""
    say(f"\n{name}: median (quartiles) over the rounds")
    say(f"{'':>26}{'step, ms':>26}{'exposed, ms':>26}{'samples/s':>26}")
    for contender in outcome.rounds:
        step, exposed = (outcome.spread(contender, figure).scaled(1e-3) for figure in ("step_us", "exposed_us"))
        say(f"{contender:>26}{step!s:>26}{exposed!s:>26}{outcome.spread(contender, 'samples_per_second')!s:>26}")
    for contender, sentence in outcome.left_out.items():
        say(f"{contender} is left out: {sentence}")


if __name__ == "__main__":
    exec_part("training")
