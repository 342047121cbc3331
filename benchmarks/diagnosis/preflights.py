"""Gangs with a preflight on the hosts of a lab: healthy ones that are refused, slow hosts that are caught, added time.

    python -m benchmarks.diagnosis.preflights [--healthy N] [--degraded N] [--runs FILE]

Each job is a short benchmark. The healthy ones run on all 4 hosts, in turns with and without a preflight. In the others
a host of the first three has half of the rate, and the gang has three ranks, so that the next attempt has a host in
place of that one. A slow host counts as caught if the first attempt names it. Each job is a line of the file of runs at
once. Needs root.
"""

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis import planted
from benchmarks.diagnosis.page import runs_of
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import RESULTS, say

PREFLIGHTS = RESULTS / "diagnosis_preflights.jsonl"
HOSTS, RATE = 4, 200_000_000
_SWEEP = {"algorithms": ["ring"], "min_bytes": 64 << 10, "max_bytes": 64 << 10, "iterations": 5, "warmup": 1}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the gangs, and print what is found in all runs of the file; 0 whatever that is."""
    parser = Parser(__doc__)
    parser.add_argument("--healthy", type=count(0), default=50, metavar="N", help="healthy gangs; default: 50")
    parser.add_argument(
        "--degraded", type=count(0), default=20, metavar="N", help="gangs with a slow host; default: 20"
    )
    parser.add_argument(
        "--runs", type=Path, default=PREFLIGHTS, metavar="FILE", help=f"JSON lines; default: {PREFLIGHTS}"
    )
    asked = parser.parse_args(arguments)
    with lab_cluster(HOSTS, RATE) as cluster, asked.runs.open("a") as lines:
        names = [host.name for host in cluster.lab.hosts]
        for number in range(asked.healthy + asked.degraded):
            slow = None if number < asked.healthy else names[number % (HOSTS - 1)]
            for is_checked in (True, False) if slow is None else (True,):
                lines.write(json.dumps(ran(cluster, slow, is_checked)) + "\n")
                lines.flush()
    for line in summary(runs_of(asked.runs)):
        say(line)
    return 0


def ran(cluster: LabCluster, slow: str | None, is_checked: bool) -> dict[str, Any]:
    """Run one gang; return what was planted and how its first attempt ended."""
    load = os.getloadavg()[0]
    placement = {"ranks": HOSTS if slow is None else HOSTS - 1, "ranks_per_node": 1, "preflight": is_checked}
    with contextlib.ExitStack() as faults:
        if slow is not None:
            faults.enter_context(planted.degraded(cluster.lab, slow, RATE // 2))
        job = cluster.ended(cluster.client.submit({"benchmark": _SWEEP, "placement": placement, "max_attempts": 1}).id)
    first = job.attempts[0]
    refused = first.reason == "preflight_failed"
    assert job.started_at is not None and job.finished_at is not None
    return {
        "slow": slow,
        "checked": is_checked,
        "left_out": first.bad_node if refused else None,
        "message": first.message if refused else "",
        "seconds": round((job.finished_at - job.started_at).total_seconds(), 3),
        "load": round(load, 1),
    }


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how many healthy gangs were refused, how many slow hosts were caught, and the time that it added."""
    healthy = [run for run in runs if run["slow"] is None]
    checked = [run for run in healthy if run["checked"]]
    degraded = [run for run in runs if run["slow"] is not None]
    loads = sorted(run["load"] for run in runs)
    told = [f"{len(runs)} jobs at a load of {loads[0]:g} to {loads[-1]:g}"] if runs else []
    if checked:
        refused = [run for run in checked if run["left_out"]]
        told.append(f"healthy gangs refused: {len(refused)} of {len(checked)}")
        told += [f"  {run['message']}" for run in refused]
        took = [median([run["seconds"] for run in healthy if run["checked"] == it]) for it in (True, False)]
        told.append(f"a job takes {took[0]:.2f} s with a preflight and {took[1]:.2f} s without (medians)")
    if degraded:
        caught = sum(run["left_out"] == run["slow"] for run in degraded)
        told.append(f"slow hosts caught: {caught} of {len(degraded)}")
    return told


if __name__ == "__main__":
    exit_with(main)
