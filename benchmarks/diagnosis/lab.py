"""Diagnoses of planted faults on labs of hosts with shaped links: which were right, in how many rounds and seconds.

    python -m benchmarks.diagnosis.lab [--kinds KIND …] [--repeats N] [--at-most N] [--runs FILE]

A diagnosis is right if it names what was planted and nothing else. Each one has a server and a lab of its own, so that
no earlier measurement is a baseline. Each repetition runs every kind once, in a random order, and each result is a line
of the file of runs at once: the same command continues a run that was stopped, and leaves out what the file has.
`python -m benchmarks.diagnosis.page --lab FILE` puts the table of the file into docs/diagnosis.md. Needs root.
"""

import contextlib
import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with, one_of
from benchmarks.diagnosis import planted
from benchmarks.diagnosis.page import LAB, runs_of
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import say

from ringscope.client import Diagnosis

HOSTS = 8
RATE = 200_000_000  # bit/s
HEALTHY = "none"
_TURN_SECONDS = 2.0
_FIRST_MESSAGE_BYTES = 4 << 20
_BUSY_SHARE = 0.03  # of a core, which is left to the rank; at 200 Mbit/s it needs more
Fault = Callable[["Planting"], AbstractContextManager[object]]


@dataclass(frozen=True)
class Planting:
    """The lab, and whether the rank on a host has begun to measure, as the bytes that its card has sent show."""

    cluster: LabCluster
    is_measuring: Callable[[str], bool]


@dataclass(frozen=True)
class Kind:
    """A fault to plant, and the names that are right: of nodes, of both ends of a link, or of racks."""

    plant: Fault
    right: tuple[tuple[str, ...], ...]
    racks: int = 1


@dataclass(frozen=True)
class Run:
    """One diagnosis; ``pairs`` is what was measured if the verdict is wrong."""

    kind: str
    repeat: int
    right: bool
    named: list[list[str]]
    decided: bool
    rounds: int
    seconds: float
    hosts: int
    started_at: str
    load: float
    sentence: str
    pairs: list[list[Any]]


def _two_nodes(planting: Planting) -> AbstractContextManager[object]:
    both = contextlib.ExitStack()
    for host in ("h3", "h6"):
        both.enter_context(planted.degraded(planting.cluster.lab, host, RATE // 2))
    return both


def _stopped(planting: Planting) -> AbstractContextManager[object]:
    return planted.stopped_rank(planting.cluster.lab, "h5", lambda: planting.is_measuring("h5"))


def _busy_core(planting: Planting) -> AbstractContextManager[object]:
    return planted.busy_core(planting.cluster.lab, "h5", _BUSY_SHARE, lambda: planting.is_measuring("h5"))


KINDS: dict[str, Kind] = {
    "half-rate": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE // 2), (("h5",),)),
    "0.8-rate": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE * 4 // 5), (("h5",),)),
    "sends-half": Kind(lambda it: planted.sends_slowly(it.cluster.lab, "h5", RATE // 2), (("h5",),)),
    "link-one-way": Kind(lambda it: planted.slow_one_way(it.cluster.lab, "h3", "h4", RATE // 2), (("h3", "h4"),)),
    "loss": Kind(lambda it: planted.degraded(it.cluster.lab, "h5", RATE, 0.05), (("h5",),)),
    "cut": Kind(lambda it: planted.cut_link(it.cluster.lab, "h3", "h4"), (("h3", "h4"),)),
    "cut-of-first": Kind(lambda it: planted.cut_link(it.cluster.lab, "h1", "h2"), (("h1", "h2"),)),
    "stopped": Kind(_stopped, (("h5",),)),
    "busy-core": Kind(_busy_core, (("h5",),)),
    "rack-uplink": Kind(lambda it: planted.slow_uplink(it.cluster.lab, 1, 0.5), (("rack1", "rack2"),), racks=2),
    "two-nodes": Kind(_two_nodes, (("h3",), ("h6",))),
    "at-times": Kind(lambda it: planted.slow_at_times(it.cluster.lab, "h5", RATE // 2, _TURN_SECONDS), (("h5",),)),
    HEALTHY: Kind(lambda it: contextlib.nullcontext(), ()),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the diagnoses that the file does not have yet; 0 whatever they name."""
    parser = Parser(__doc__)
    parser.add_argument("--kinds", nargs="+", type=one_of(KINDS), metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--repeats", type=count(), default=1, metavar="N", help="of each kind; default: 1")
    parser.add_argument("--at-most", type=count(), metavar="N", help="diagnoses now; default: all that are left")
    parser.add_argument("--hosts", type=count(7), default=HOSTS, metavar="N", help=f"of the lab; default: {HOSTS}")
    parser.add_argument("--runs", type=Path, default=LAB, metavar="FILE", help=f"JSON lines; default: {LAB}")
    asked = parser.parse_args(arguments)
    done = runs_of(asked.runs)
    left = planned(asked.kinds or list(KINDS), asked.repeats, done)
    for repeat, name in left[: asked.at_most]:
        with lab_cluster(asked.hosts, RATE, racks=KINDS[name].racks) as cluster:
            run = diagnosed(cluster, repeat, name)
        with asked.runs.open("a") as lines:
            lines.write(json.dumps(asdict(run)) + "\n")
        say(f"{name:14} {'right' if run.right else 'WRONG'} {run.named} {run.rounds} rounds {run.seconds:.0f} s")
    say(f"{len(left[asked.at_most :]) if asked.at_most else 0} diagnoses are left. The runs are in {asked.runs}.")
    return 0


def planned(kinds: Sequence[str], repeats: int, done: Sequence[dict[str, Any]]) -> list[tuple[int, str]]:
    """Return which diagnoses are left, as repetition and kind, every repetition in a random order of its own."""
    had = {(run["repeat"], run["kind"]) for run in done}
    order = []
    for repeat in range(repeats):
        shuffled = sorted(kinds)
        random.Random(repeat).shuffle(shuffled)
        order += [(repeat, kind) for kind in shuffled if (repeat, kind) not in had]
    return order


def diagnosed(cluster: LabCluster, repeat: int, name: str) -> Run:
    """Plant a fault and diagnose all hosts; return what was named."""
    client, kind, before = cluster.client, KINDS[name], cluster.sent_bytes()

    def is_measuring(host: str) -> bool:
        number = hosts.index(host)
        return cluster.sent_bytes()[number] > before[number] + _FIRST_MESSAGE_BYTES

    hosts = [host.name for host in cluster.lab.hosts]
    started_at, load = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"), os.getloadavg()[0]
    began = time.monotonic()
    with kind.plant(Planting(cluster, is_measuring)):
        job = cluster.ended(client.submit({"kind": "diagnosis", "placement": {"node_names": hosts}}).id)
    seconds = time.monotonic() - began
    found = client.diagnosis(job.id)
    named = sorted(sorted(each.names) for each in found.blamed)
    is_right = named == sorted(sorted(names) for names in kind.right)
    return Run(
        kind=name,
        repeat=repeat,
        right=is_right,
        named=named,
        decided=bool(found.decided),
        rounds=found.rounds or 0,
        seconds=round(seconds, 1),
        hosts=len(hosts),
        started_at=started_at,
        load=round(load, 1),
        sentence=found.sentence,
        pairs=[] if is_right else list(_pairs(found)),
    )


def _pairs(found: Diagnosis) -> Iterator[list[Any]]:
    for pair in found.pairs:
        rates = [rate and [round(rate.low / 1e6, 2), round(rate.high / 1e6, 2)] for rate in (pair.there, pair.back)]
        yield [pair.round, *pair.nodes, pair.ending, *rates]


if __name__ == "__main__":
    exit_with(main)
