"""Short copies of memory, each in a new process: how well one tells slow memory, as a preflight would need it.

    python -m benchmarks.diagnosis.short_copies [--copies N] [--runs FILE]

The machine is healthy, so each copy that is called low is a false alarm. A copy is low if its whole interval is below
half of the lowest end of the intervals of the 20 copies before it, of which there must be five. The other work is
started by hand. Each copy is a line of the file of runs at once: the same command continues a series that was stopped.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis.page import runs_of
from benchmarks.report import RESULTS, say

from ringscope.engine.cores import own_cores
from ringscope.preflight.intervals import reached
from ringscope.rank.check.memory import copied
from ringscope.rank.load import MOST_OTHER_SHARE, LoadMeter

COPIES = RESULTS / "diagnosis_short_copies.jsonl"
_SECONDS = 0.03
_FEWEST, _NEWEST = 5, 20
_LOW = 0.5  # share of the earlier copies


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the copies that the file does not have yet, and count the false alarms; 0 whatever they are."""
    parser = Parser(__doc__)
    parser.add_argument("--copies", type=count(), default=200, metavar="N", help="in all; default: 200")
    parser.add_argument("--runs", type=Path, default=COPIES, metavar="FILE", help=f"JSON lines; default: {COPIES}")
    parser.add_argument("--one", action="store_true", help="copy once in this process, and print a line of the file")
    asked = parser.parse_args(arguments)
    if asked.one:
        say(json.dumps(one()))
        return 0
    for _ in range(len(runs_of(asked.runs)), asked.copies):
        run = [sys.executable, "-m", "benchmarks.diagnosis.short_copies", "--one"]
        line = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        with asked.runs.open("a") as lines:
            lines.write(line)
    for sentence in summary(runs_of(asked.runs)):
        say(sentence)
    return 0


def one() -> dict[str, Any]:
    """Copy once; return the interval in GB/s, the seconds with the memory's making, and the other load meanwhile."""
    meter, load, began = LoadMeter(), os.getloadavg()[0], time.monotonic()
    found = copied(_SECONDS, own_cores().at_once)
    seconds, interval = time.monotonic() - began, reached(found.rates)
    return {
        "low": interval and round(interval.low, 3),
        "high": interval and round(interval.high, 3),
        "seconds": round(seconds, 3),
        "other_share": round(meter.other_share(), 3),
        "load": round(load, 1),
    }


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how long the copies took, how many have an interval, and how many of those are low."""
    loads, seconds = sorted(run["load"] for run in runs), sorted(run["seconds"] for run in runs)
    known = [run for run in runs if run["low"] is not None]
    held = [
        (run, run["high"] < _LOW * min(earlier["low"] for earlier in known[max(0, place - _NEWEST) : place]))
        for place, run in enumerate(known)
        if place >= _FEWEST
    ]
    alone = [is_low for run, is_low in held if run["other_share"] <= MOST_OTHER_SHARE]
    return [
        f"{len(runs)} copies at a load of {loads[0]:g} to {loads[-1]:g}; each took {median(seconds):.2f} s (median), "
        f"95% at most {seconds[int(0.95 * (len(seconds) - 1))]:.2f} s",
        f"{len(known)} have an interval, from {min(run['low'] for run in known):.3g} to "
        f"{max(run['high'] for run in known):.3g} GB/s",
        f"low: {sum(is_low for _, is_low in held)} of {len(held)}; beside programs that used at most "
        f"{MOST_OTHER_SHARE:.0%} of the processors: {sum(alone)} of {len(alone)}",
    ]


if __name__ == "__main__":
    exit_with(main)
