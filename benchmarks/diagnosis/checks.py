"""`ringscope check --nodes` in a loop on a lab: false alarms on healthy links, and a loss of 10 % that it finds.

    python -m benchmarks.diagnosis.checks [--healthy N] [--every N] [--runs FILE]

After some healthy checks, a link gets 90 % of its rate for one check; the check after it is not counted, as its
earlier measurement is the slow one. Each check is a line of the file of runs at once, with the intervals of all
directions, so that another margin can be tried on the same measurements; the same command continues. Needs root.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis import planted
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.report import RESULTS, say

from ringscope.cli.checks.nodes import check_nodes
from ringscope.client import Job, Node
from ringscope.preflight.judgement import FINE, LOW, MARGIN, UNKNOWN

CHECKS = RESULTS / "diagnosis_checks.jsonl"
HOSTS, RATE, LOSS = 3, 200_000_000, 0.1
_SECONDS = 15  # --for
HEALTHY, LOSSY, AFTER = "healthy", "loss", "after"
_MARGINS = (0.03, 0.04, 0.05, 0.06)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check until so many healthy checks are in the file, and print what was found; 0 whatever that is."""
    parser = Parser(__doc__)
    parser.add_argument("--healthy", type=count(), default=300, metavar="N", help="healthy checks; default: 300")
    parser.add_argument("--every", type=count(2), default=5, metavar="N", help="healthy checks for a loss; default: 5")
    parser.add_argument("--at-most", type=count(), metavar="N", help="checks now; default: all that are left")
    parser.add_argument("--runs", type=Path, default=CHECKS, metavar="FILE", help=f"JSON lines; default: {CHECKS}")
    asked = parser.parse_args(arguments)
    runs = [json.loads(line) for line in asked.runs.read_text().splitlines()] if asked.runs.exists() else []
    healthy = sum(run["planted"] == HEALTHY for run in runs)
    with lab_cluster(HOSTS, RATE) as cluster, asked.runs.open("a") as lines:
        before: dict[str, list[float]] = {}
        made = 0
        while healthy < asked.healthy and (asked.at_most is None or made < asked.at_most):
            place = made % (asked.every + 2)
            kind = AFTER if place == 0 else HEALTHY if place <= asked.every else LOSSY
            run, before = checked(cluster, kind, before)
            runs.append(run)
            made, healthy = made + 1, healthy + (kind == HEALTHY)
            lines.write(json.dumps(run) + "\n")
            lines.flush()
    for line in summary(runs):
        say(line)
    return 0


def checked(
    cluster: LabCluster, kind: str, before: Mapping[str, list[float]]
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Check all hosts; return the run, and the intervals that its directions reached."""
    began, load = time.monotonic(), os.getloadavg()[0]
    client = cluster.client
    jobs: list[int] = []

    def run(nodes: Sequence[Node], body: dict[str, Any]) -> Job:
        jobs.append(client.submit(body).id)
        while not (job := client.job(jobs[-1])).is_finished:
            time.sleep(0.1)
        return job

    if kind == LOSSY:
        with planted.degraded(cluster.lab, "h2", round(RATE * (1 - LOSS))):
            outcome = check_nodes(client, client.nodes(), _SECONDS, run)
    else:
        outcome = check_nodes(client, client.nodes(), _SECONDS, run)
    now = {}
    for pair in client.diagnosis(jobs[-1]).pairs:
        first, second = pair.nodes
        for way, rate in ((f"{first} {second}", pair.there), (f"{second} {first}", pair.back)):
            if rate is not None:
                now[way] = [rate.low, rate.high]
    made = {
        "planted": kind,
        "word": outcome.word,
        "low": sorted(finding.name for finding in outcome.findings if finding.word == LOW),
        "sentences": [finding.sentence for finding in outcome.findings if finding.word != FINE],
        "seconds": round(time.monotonic() - began, 1),
        "load": round(load, 1),
        "ways": {way: [*interval, *before.get(way, [])] for way, interval in now.items()},
    }
    return made, {**before, **now}


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what was found, and what other margins would have found on the same intervals."""
    told = []
    for kind in (HEALTHY, LOSSY):
        of_kind = [run for run in runs if run["planted"] == kind]
        words = {word: sum(run["word"] == word for run in of_kind) for word in (FINE, LOW, UNKNOWN)}
        told.append(f"{kind}: {len(of_kind)} checks, {', '.join(f'{n} {word}' for word, n in words.items())}")
        for margin in _MARGINS:
            low = sum(any(_is_low(way, margin) for way in run["ways"].values()) for run in of_kind)
            told.append(f"  a margin of {margin:.2f}{' (ours)' if margin == MARGIN else ''} finds {low} of them low")
    return told


def _is_low(interval: Sequence[float], margin: float) -> bool:
    return len(interval) == 4 and interval[1] < interval[2] * (1 - margin)


if __name__ == "__main__":
    exit_with(main)
