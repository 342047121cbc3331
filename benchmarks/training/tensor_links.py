"""Tensor parallelism over a slow link: jobs on two hosts of a lab with 1 Gbit/s between them (root).

Each model trains on one host alone, as a replica on each host, and divided over both hosts, in turns. The figures are
those of the server's summary. Each host has a core of this machine, which also handles its traffic.
"""

from collections.abc import Mapping
from dataclasses import asdict

from benchmarks.command import exec_part
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import Result, say, watched
from benchmarks.training.links import share_cores
from benchmarks.training.rounds import Outcome
from benchmarks.training.strategies import show
from benchmarks.training.tensor import MODELS

from ringscope.lab.network import NetworkError, require_network

_HOSTS, _RATE_BIT_PER_S = 2, 1_000_000_000
_ROUNDS, _STEPS = 2, 8
_ALONE = "one host"
_CASES: Mapping[str, tuple[str, int]] = {
    _ALONE: ("multi_worker_mirrored", 1),
    "multi_worker_mirrored, 2 hosts": ("multi_worker_mirrored", _HOSTS),
    "tensor, 2 hosts": ("tensor", _HOSTS),
}


def run() -> Result | None:
    """Run all jobs; None where there can be no shaped links, after one line that says why."""
    try:
        require_network()
    except NetworkError as error:
        say(f"training_tensor_links: left out. {error}")
        return None
    rounds: dict[str, dict[str, dict[str, list[float]]]] = {model: {case: {} for case in _CASES} for model in MODELS}
    with watched() as conditions, lab_cluster(_HOSTS, _RATE_BIT_PER_S) as cluster:
        share_cores(cluster.lab)
        for _ in range(_ROUNDS):
            for model, cases in rounds.items():
                for case, figures in cases.items():
                    for figure, value in _figures(cluster, model, case).items():
                        figures.setdefault(figure, []).append(value)
    say(f"\ntraining_tensor_links ({conditions})")
    comparisons = {}
    for model, cases in rounds.items():
        outcome = Outcome(cases, {})
        show(f"{model} on {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s between them", outcome)
        comparisons[f"tensor_links_{model}"] = outcome.document() | {"conditions": asdict(conditions)}
    return Result("training_tensor_links", conditions, targets=[], details={"comparisons": comparisons})


def _figures(cluster: LabCluster, model: str, case: str) -> dict[str, float]:
    strategy, ranks = _CASES[case]
    training = MODELS[model] | {"strategy": strategy, "all_reduce": "ring", "max_steps": _STEPS, "epochs": 1}
    summary = cluster.run(
        {
            "name": f"{model}, {case}",
            "kind": "training",
            "training": training,
            "placement": {"ranks": ranks, "ranks_per_node": 1},
        }
    ).summary
    exposed_s, steps_s, rate = summary.exposed_communication_seconds, summary.step_seconds, summary.samples_per_second
    if exposed_s is None or steps_s is None or rate is None:
        raise RuntimeError(f"The server has no figures of the job {model}, {case}.")
    count = summary.steps_done - 1
    return {"step_us": steps_s / count * 1e6, "exposed_us": exposed_s / count * 1e6, "samples_per_second": rate}


if __name__ == "__main__":
    exec_part("training_tensor_links")
