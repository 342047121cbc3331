"""Links of a lab that are measured again and again, as `ringscope check --nodes` judges them: false alarms and misses.

    python -m benchmarks.diagnosis.checks [--measurements N] [--runs FILE]

Every job measures all links of 8 hosts, and each direction is held against its baseline: the medians of the ends of the
newest healthy intervals before it in the file of runs, as a check of nodes does with each direction. Every third job
runs while all links have 90 % of their rate. Each job is a line of the file at once, with the intervals of all
directions, so that other margins can be tried on the same measurements. Needs root.
"""

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis import planted
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import RESULTS, say

from ringscope.contracts.diagnosis.earlier import FEWEST_MEASUREMENTS
from ringscope.preflight.intervals import Interval
from ringscope.preflight.judgement import FINE, LOW, MARGIN, UNKNOWN, word_of
from ringscope_server.diagnoses.earlier import NEWEST

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
        for number in range(asked.measurements):
            kind = LOSSY if number % _EVERY == _EVERY - 1 else HEALTHY
            load = os.getloadavg()[0]
            ways = measured(cluster, kind)
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
        job = cluster.run({"kind": "diagnosis", "diagnosis": spec, "placement": {"node_names": hosts}})
    ways: Ways = {}
    for pair in client.diagnosis(job.id).pairs:
        first, second = pair.nodes
        for source, destination, rate in ((first, second, pair.there), (second, first, pair.back)):
            if rate is not None:
                ways[f"{source} to {destination}"] = [rate.low, rate.high]
    return ways


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how the directions are judged, and how many other margins would call low."""
    told, held = [], list(_held(runs))
    for kind in (HEALTHY, LOSSY):
        ways = [(now, baseline) for planted_kind, now, baseline in held if planted_kind == kind]
        words = [word_of(now, baseline) for now, baseline in ways]
        counts = ", ".join(f"{words.count(word)} {word}" for word in (FINE, LOW, UNKNOWN))
        told.append(f"{kind}: {len(ways)} directions, {counts}")
        for margin in _MARGINS:
            low = sum(now.high < baseline.low * (1 - margin) for now, baseline in ways)
            told.append(f"  a margin of {margin:.2f}{' (ours)' if margin == MARGIN else ''} finds {low} of them low")
    return told


def _held(runs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Interval, Interval]]:
    """Yield what was planted, the interval and the baseline of each direction that has one."""
    healthy: defaultdict[str, list[Interval]] = defaultdict(list)
    for run in runs:
        for way, ends in run["ways"].items():
            now, newest = Interval(*ends), healthy[way][-NEWEST:]
            if len(newest) >= FEWEST_MEASUREMENTS:
                baseline = Interval(median(one.low for one in newest), median(one.high for one in newest))
                yield run["planted"], now, baseline
            if run["planted"] == HEALTHY:
                healthy[way].append(now)


if __name__ == "__main__":
    exit_with(main)
