"""Measure what the optimizer in shares costs and sends: sharded beside mirrored and PyTorch's FSDP.

On this machine the jobs of a comparison take turns, as in ``strategies.py``. If links can be shaped (root), two hosts
of a lab with 1 Gbit/s between them also measure how much a rank sends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchmarks.command import exec_part
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.links import share_cores, trained
from benchmarks.training.rounds import Comparison, Outcome
from benchmarks.training.strategies import MLP, RESNET, show
from benchmarks.training.turns import Contender

from ringscope.lab.network import NetworkError, require_network

_MIRRORED, _SHARDED, _FSDP = "mirrored", "sharded", "torch_fsdp"
_OVER_LINKS = "multi_worker_mirrored"
_ADAM: dict[str, Any] = {"optimizer": "adam", "learning_rate": 1e-4}
_HOSTS, _RATE_BIT_PER_S = 2, 1_000_000_000
_LINK_ROUNDS = 2
_LINK = RESNET | {"all_reduce": "ring"}
_FEW_STEPS, _MANY_STEPS = 8, 24


def _by(training: Mapping[str, Any], *strategies: str) -> tuple[Contender, ...]:
    return tuple(Contender(name, {**training, "strategy": name}) for name in strategies)


COMPARISONS = (
    Comparison("shares_mlp", _by(MLP, _MIRRORED, _SHARDED, _FSDP), rounds=3, seconds=3.0),
    Comparison("shares_mlp_adam", _by(MLP | _ADAM, _MIRRORED, _SHARDED), rounds=3, seconds=3.0),
    Comparison("shares_resnet18", _by(RESNET, _MIRRORED, _SHARDED, _FSDP), rounds=3, seconds=5.0),
)


def run() -> Result:
    """Run all comparisons."""
    outcomes: dict[str, Outcome] = {}
    documents: dict[str, Any] = {}
    with watched() as conditions:
        for comparison in COMPARISONS:
            with watched() as meanwhile:
                outcomes[comparison.name] = outcome = comparison.run()
            show(comparison.name, outcome)
            documents[comparison.name] = outcome.document() | {"conditions": asdict(meanwhile)}
        try:
            require_network()
        except NetworkError as error:
            say(f"training_shares: the bytes on a link are left out. {error}")
        else:
            outcomes["shares_link"] = outcome = _over_links()
            show(f"resnet18 on {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s between them", outcome)
    if "shares_link" in outcomes:  # the lab's processes belong to the run only where the watch begins before them
        documents["shares_link"] = outcomes["shares_link"].document() | {"conditions": asdict(conditions)}
    say(f"\ntraining_shares ({conditions})")
    targets = list(targets_of(outcomes))
    say_targets(targets)
    return Result("training_shares", conditions, targets=targets, details={"comparisons": documents})


def targets_of(outcomes: Mapping[str, Outcome]) -> Iterator[Target]:
    """Return what sharded is held to in the comparisons that took place."""
    for name, label in (("shares_mlp", "mlp"), ("shares_mlp_adam", "mlp with adam"), ("shares_resnet18", "resnet18")):
        for other, wanted in ((_MIRRORED, 1.05), (_FSDP, 1.0)):
            if (ratio := outcomes[name].ratio(_SHARDED, other)) is not None:
                yield Target(f"{label}, 2 ranks: step time of sharded / {other}'s", wanted, ratio.median, at_most=True)
    if "shares_link" in outcomes:
        ratio = outcomes["shares_link"].ratio(_SHARDED, _OVER_LINKS, "sent_bytes_per_step")
        assert ratio is not None, "both took part"
        label = f"resnet18, {_HOSTS} hosts: bytes sent per rank and step by sharded / {_OVER_LINKS}"
        yield Target(label, 1.01, ratio.median, at_most=True)


def _over_links() -> Outcome:
    rounds: dict[str, dict[str, list[float]]] = {_OVER_LINKS: {}, _SHARDED: {}}
    with lab_cluster(_HOSTS, _RATE_BIT_PER_S) as cluster:
        share_cores(cluster.lab)
        for _ in range(_LINK_ROUNDS):
            for name, figures in rounds.items():
                for figure, value in _figures(cluster, name).items():
                    figures.setdefault(figure, []).append(value)
    return Outcome(rounds, {})


def _figures(cluster: LabCluster, strategy: str) -> dict[str, float]:
    """Return the figures of a job. What is sent once, such as the state in the last checkpoint, counts for no step."""
    few, many = (
        trained(cluster, strategy, {**_LINK, "strategy": strategy, "max_steps": steps})
        for steps in (_FEW_STEPS, _MANY_STEPS)
    )
    sent = many["sent_bytes_per_step"] * _MANY_STEPS - few["sent_bytes_per_step"] * _FEW_STEPS
    return many | {"sent_bytes_per_step": sent / (_MANY_STEPS - _FEW_STEPS)}


if __name__ == "__main__":
    exec_part("training_shares")
