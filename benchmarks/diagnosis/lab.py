"""Diagnoses of planted faults on a lab of hosts with shaped links: which were right, in how many rounds and seconds.

    python -m benchmarks.diagnosis.lab [--kinds KIND …] [--repeats N] [--hosts N]

A diagnosis is right if it names what was planted and nothing else. The results are added to results/diagnosis_lab.json,
whose table stands in docs/diagnosis.md; --fresh forgets the earlier ones. Needs root.
"""

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass

from benchmarks.command import Parser, count, exit_with, one_of
from benchmarks.diagnosis import planted
from benchmarks.diagnosis.page import LAB, fill
from benchmarks.experiments.lab_cluster import JOB_SECONDS, LabCluster, lab_cluster
from benchmarks.report import say, watched

RATE = 200_000_000  # bit/s
_LOOK_SECONDS = 0.2
_TURN_SECONDS = 2.0
Names = frozenset[frozenset[str]]
Fault = Callable[["Planting"], AbstractContextManager[None]]


@dataclass(frozen=True)
class Planting:
    """The lab, and whether the ranks of its diagnosis run."""

    cluster: LabCluster
    is_running: Callable[[], bool]


@dataclass(frozen=True)
class Kind:
    """A fault to plant, and the names that are right: of nodes, or of both ends of a link."""

    plant: Fault
    right: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Run:
    """One diagnosis."""

    kind: str
    right: bool
    named: list[list[str]]
    rounds: int
    seconds: float


def _two_nodes(planting: Planting) -> AbstractContextManager[None]:
    both = contextlib.ExitStack()
    for host in ("h3", "h6"):
        both.enter_context(planted.degraded(planting.cluster.lab, host, RATE // 2))
    return both


KINDS: dict[str, Kind] = {
    "half-rate": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE // 2), (("h5",),)),
    "0.8-rate": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE * 4 // 5), (("h5",),)),
    "sends-half": Kind(lambda it: planted.sends_slowly(it.cluster.lab, "h5", RATE // 2), (("h5",),)),
    "loss": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE, 0.05), (("h5",),)),
    "link-one-way": Kind(lambda it: planted.slow_one_way(it.cluster.lab, "h3", "h4", RATE // 2), (("h3", "h4"),)),
    "cut": Kind(lambda it: planted.cut_link(it.cluster.lab, "h3", "h4"), (("h3", "h4"),)),
    "cut-of-first": Kind(lambda it: planted.cut_link(it.cluster.lab, "h1", "h2"), (("h1", "h2"),)),
    "stopped": Kind(lambda it: planted.stopped_rank(it.cluster.lab, "h5", it.is_running), (("h5",),)),
    "busy-core": Kind(lambda it: planted.busy_core(it.cluster.lab, "h5"), (("h5",),)),
    "two-nodes": Kind(_two_nodes, (("h3",), ("h6",))),
    "at-times": Kind(lambda it: planted.slow_at_times(it.cluster.lab, "h5", RATE // 2, _TURN_SECONDS), (("h5",),)),
    "none": Kind(lambda it: contextlib.nullcontext(), ()),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the diagnoses; 0 whatever they name."""
    parser = Parser(__doc__)
    parser.add_argument("--kinds", nargs="+", type=one_of(KINDS), metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--repeats", type=count(), default=1, metavar="N", help="of each kind; default: 1")
    parser.add_argument("--hosts", type=count(7), default=8, metavar="N", help="of the lab; default: 8")
    parser.add_argument("--fresh", action="store_true", help="forget the results of earlier runs")
    asked = parser.parse_args(arguments)
    runs: list[Run] = []
    with watched() as conditions, lab_cluster(asked.hosts, RATE) as cluster:
        for name in (asked.kinds or list(KINDS)) * asked.repeats:
            runs.append(run := diagnosed(cluster, name, KINDS[name]))
            say(f"{name:14} {'right' if run.right else 'WRONG'} {run.named} {run.rounds} rounds {run.seconds:.0f} s")
    earlier = [] if asked.fresh or not LAB.exists() else json.loads(LAB.read_text())["runs"]
    document = {
        "name": "diagnosis_lab",
        "hosts": asked.hosts,
        "conditions": asdict(conditions),
        "runs": earlier + [asdict(run) for run in runs],
    }
    LAB.write_text(json.dumps(document, indent=1) + "\n")
    say(f"written: {LAB}, {fill()}")
    return 0


def diagnosed(cluster: LabCluster, name: str, kind: Kind) -> Run:
    """Plant a fault and diagnose all hosts; return what was named."""
    client, job_ids = cluster.client, list[int]()

    def is_running() -> bool:
        return bool(job_ids) and client.job(job_ids[0]).state == "running"

    hosts = [host.name for host in cluster.lab.hosts]
    began = time.monotonic()
    with kind.plant(Planting(cluster, is_running)):
        job_ids.append(client.submit({"kind": "diagnosis", "placement": {"node_names": hosts}}).id)
        while not client.job(job_ids[0]).is_finished:
            if time.monotonic() - began > JOB_SECONDS:
                client.cancel(job_ids[0])
                break
            time.sleep(_LOOK_SECONDS)
    seconds = time.monotonic() - began
    found = client.diagnosis(job_ids[0])
    named = frozenset(frozenset(each.names) for each in found.blamed)
    is_right = named == frozenset(map(frozenset, kind.right))
    return Run(name, is_right, sorted(map(sorted, named)), found.rounds or 0, round(seconds, 1))


if __name__ == "__main__":
    exit_with(main)
