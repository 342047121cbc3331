"""Measure what overlap and buckets gain on a slow link, on two hosts of a lab with 1 Gbit/s between them (root).

Jobs run through a server, one after another, and the variants take turns; a job's figures are those of the server's
summary: of the mean rank, over all steps but the first. Each host has a core of this machine, which also handles its
traffic.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.command import exec_part
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import Result, Target, say, say_targets, watched
from benchmarks.training.rounds import Outcome
from benchmarks.training.strategies import WITHOUT_OVERLAP, show

from ringscope.lab.lab import Lab
from ringscope.lab.network import NetworkError, require_network

_MIB = 1 << 20
_HOSTS, _RATE_BIT_PER_S = 2, 1_000_000_000
_ROUNDS = 2
_DEFAULT = "25 MiB"
_TRAINING: dict[str, Any] = {
    "strategy": "multi_worker_mirrored",
    "model": "resnet18",
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 16,
    "max_steps": 10,
}
_VARIANTS: Mapping[str, dict[str, Any]] = {
    WITHOUT_OVERLAP: {"overlap": False},
    _DEFAULT: {},
    "8 MiB": {"bucket_bytes": 8 * _MIB},
    "2 MiB": {"bucket_bytes": 2 * _MIB},
}


def run() -> Result | None:
    """Run all jobs; None where there can be no shaped links, after one line that says why."""
    try:
        require_network()
    except NetworkError as error:
        say(f"training_links: left out. {error}")
        return None
    rounds: dict[str, dict[str, list[float]]] = {name: {} for name in _VARIANTS}
    with watched() as conditions, lab_cluster(_HOSTS, _RATE_BIT_PER_S) as cluster:
        share_cores(cluster.lab)
        for _ in range(_ROUNDS):
            for name, options in _VARIANTS.items():
                for figure, value in trained(cluster, name, _TRAINING | options).items():
                    rounds[name].setdefault(figure, []).append(value)
    outcome = Outcome(rounds, {})
    say(f"\ntraining_links ({conditions})")
    show(f"resnet18 on {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s between them", outcome)
    targets = targets_of(outcome)
    say_targets(targets)
    comparisons = {"links": outcome.document() | {"conditions": asdict(conditions)}}
    return Result("training_links", conditions, targets=targets, details={"comparisons": comparisons})


def share_cores(lab: Lab) -> None:
    """Bind each host to a core, as far as there are enough: PyTorch's threads of two hosts would fight for all."""
    cores = cycle(sorted(os.sched_getaffinity(0)))
    for host, core in zip(lab.hosts, cores, strict=False):
        for process in lab.processes(host.name):
            for thread in Path(f"/proc/{process}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {core})


def targets_of(outcome: Outcome) -> list[Target]:
    """Return the targets of the jobs."""
    ratio = outcome.ratio(_DEFAULT, WITHOUT_OVERLAP, "exposed_us")
    assert ratio is not None, "all variants took part"
    label = f"resnet18, {_HOSTS} hosts, {_RATE_BIT_PER_S / 1e9:g} Gbit/s: exposed communication / {WITHOUT_OVERLAP}"
    return [Target(label, 1.0, ratio.median, at_most=True)]


def trained(cluster: LabCluster, name: str, training: Mapping[str, Any]) -> dict[str, float]:
    """Run one job, with a rank on each host, and return its figures, with the bytes that a host has sent per step."""
    before = cluster.sent_bytes()
    body = {
        "name": name,
        "kind": "training",
        "training": training,
        "placement": {"ranks": len(before), "ranks_per_node": 1},
    }
    summary = cluster.run(body).summary
    sent = sum(after - start for start, after in zip(before, cluster.sent_bytes(), strict=True))
    exposed_s, steps_s, rate = summary.exposed_communication_seconds, summary.step_seconds, summary.samples_per_second
    if exposed_s is None or steps_s is None or rate is None:
        raise RuntimeError(f"The server has no figures of the job {name}.")
    count = summary.steps_done - 1
    found = {"step_us": steps_s / count * 1e6, "exposed_us": exposed_s / count * 1e6, "samples_per_second": rate}
    found["sent_bytes_per_step"] = sent / len(before) / summary.steps_done
    if "target_accuracy" in training and summary.validation_accuracy is not None:
        found["validation_accuracy"] = summary.validation_accuracy
    if (seconds := summary.seconds_to_target) is not None:
        found["seconds_to_target"] = seconds
    return found


if __name__ == "__main__":
    exec_part("training_links")
