"""Links of a lab that are measured again and again, as `ringscope check --nodes` judges them: false alarms and misses.

    python -m benchmarks.diagnosis.checks [--measurements N] [--runs FILE]

Every job measures all links of 8 hosts, and each direction is held against the last healthy measurement of it: that
is what a check of nodes does with each direction. Every third job runs while all links have 90 % of their rate. Each
job is a line of the file of runs at once, with both intervals of all directions, so that other margins can be tried on
the same measurements. Needs root.
"""

import contextlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis import planted
from benchmarks.experiments.lab_cluster import JOB_SECONDS, LabCluster, lab_cluster
from benchmarks.report import RESULTS, say

from ringscope.preflight.intervals import Interval
from ringscope.preflight.judgement import FINE, LOW, MARGIN, UNKNOWN, word_of

CHECKS = RESULTS / "diagnosis_checks.jsonl"
HOSTS, RATE, LOSS = 8, 200_000_000, 0.1
HEALTHY, LOSSY = "healthy", "loss"
_EVERY = 3  # one job of so many is lossy
_SECONDS = 30  # for all rounds: each direction has as long as with a check of 10 s, which measures fewer links
_MARGINS = (0.03, 0.04, 0.05, 0.06)
Ways = dict[str, list[float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print what is found in all measurements of the file; 0 whatever that is."""
    parser = Parser(__doc__)
    parser.add_argument("--measurements", type=count(), default=12, metavar="N", help="jobs; default: 12")
    parser.add_argument("--runs", type=Path, default=CHECKS, metavar="FILE", help=f"JSON lines; default: {CHECKS}")
    asked = parser.parse_args(arguments)
    with lab_cluster(HOSTS, RATE) as cluster, asked.runs.open("a") as lines:
        before: Ways = {}
        for number in range(asked.measurements):
            kind = LOSSY if number % _EVERY == _EVERY - 1 else HEALTHY
            load = os.getloadavg()[0]
            now = measured(cluster, kind)
            ways = {way: [*interval, *before[way]] for way, interval in now.items() if way in before}
            if kind == HEALTHY:
                before |= now
            if ways:
                lines.write(json.dumps({"planted": kind, "load": round(load, 1), "ways": ways}) + "\n")
                lines.flush()
    for line in summary([json.loads(line) for line in asked.runs.read_text().splitlines()]):
        say(line)
    return 0


def measured(cluster: LabCluster, kind: str) -> Ways:
    """Measure all links; return the interval of each direction in bytes/s."""
    client, hosts = cluster.client, [host.name for host in cluster.lab.hosts]
    with contextlib.ExitStack() as faults:
        for host in hosts if kind == LOSSY else ():
            faults.enter_context(planted.degraded(cluster.lab, host, round(RATE * (1 - LOSS))))
        spec = {"measure": "links", "budget_seconds": _SECONDS}
        job_id = client.submit({"kind": "diagnosis", "diagnosis": spec, "placement": {"node_names": hosts}}).id
        deadline = time.monotonic() + JOB_SECONDS
        while not client.job(job_id).is_finished and time.monotonic() < deadline:
            time.sleep(0.2)
    ways: Ways = {}
    for pair in client.diagnosis(job_id).pairs:
        first, second = pair.nodes
        for source, destination, rate in ((first, second, pair.there), (second, first, pair.back)):
            if rate is not None:
                ways[f"{source} to {destination}"] = [rate.low, rate.high]
    return ways


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how the directions are judged, and how many other margins would call low."""
    told = []
    for kind in (HEALTHY, LOSSY):
        ways = [way for run in runs if run["planted"] == kind for way in run["ways"].values()]
        words = [word_of(Interval(*way[:2]), Interval(*way[2:])) for way in ways]
        counts = ", ".join(f"{words.count(word)} {word}" for word in (FINE, LOW, UNKNOWN))
        told.append(f"{kind}: {len(ways)} directions, {counts}")
        for margin in _MARGINS:
            low = sum(way[1] < way[2] * (1 - margin) for way in ways)
            told.append(f"  a margin of {margin:.2f}{' (ours)' if margin == MARGIN else ''} finds {low} of them low")
    return told


if __name__ == "__main__":
    exit_with(main)
