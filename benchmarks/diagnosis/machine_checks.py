"""The command `ringscope check --here`, again and again on a loaded machine: false alarms, and losses that were missed.

    python -m benchmarks.diagnosis.machine_checks --baseline
    python -m benchmarks.diagnosis.machine_checks [--checks N] [--for 4s] [--runs FILE]

`--baseline` makes the baseline while the machine is idle. Every fourth check holds the machine against a baseline whose
rates are a ninth higher: for that check it has lost 10 % of them. The other work is started by hand. Each check is a
line of the file of runs at once: the same command continues a series that was stopped.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.diagnosis.page import runs_of
from benchmarks.report import RESULTS, say

from ringscope.contracts.errors import UserError

CHECKS = RESULTS / "diagnosis_machine_checks.jsonl"
BASELINE = Path("build", "check-baseline.json")
HEALTHY, LOST = "healthy", "lost"
_EVERY, _LOSS = 4, 0.1
_WORDS = {0: "fine", 1: "low", 2: "wrong", 3: "not judged"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks that the file does not have yet, and count what they said; 0 whatever that is."""
    parser = Parser(__doc__)
    parser.add_argument("--baseline", action="store_true", help="make the baseline, and nothing else")
    parser.add_argument("--checks", type=count(), default=400, metavar="N", help="in all; default: 400")
    parser.add_argument("--for", dest="duration", default="4s", metavar="TIME", help="of each check; default: 4s")
    parser.add_argument("--runs", type=Path, default=CHECKS, metavar="FILE", help=f"JSON lines; default: {CHECKS}")
    asked = parser.parse_args(arguments)
    if asked.baseline:
        BASELINE.parent.mkdir(exist_ok=True)
        return subprocess.call([*_command(BASELINE), "--baseline"])
    if not BASELINE.exists():
        raise UserError(f"There is no baseline in {BASELINE}; make it with --baseline while the machine is idle.")
    higher = BASELINE.with_name("check-baseline-higher.json")
    higher.write_text(json.dumps(scaled(json.loads(BASELINE.read_text()), 1 / (1 - _LOSS))))
    for number in range(len(runs_of(asked.runs)), asked.checks):
        kind = LOST if number % _EVERY == _EVERY - 1 else HEALTHY
        run = checked(kind, higher if kind == LOST else BASELINE, asked.duration)
        with asked.runs.open("a") as lines:
            lines.write(json.dumps(run) + "\n")
    for line in summary(runs_of(asked.runs)):
        say(line)
    return 0


def scaled(baseline: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return a baseline with all rates so much higher."""
    rates = {name: {end: value * factor for end, value in span.items()} for name, span in baseline["rates"].items()}
    return baseline | {"rates": rates}


def checked(kind: str, baseline: Path, duration: str) -> dict[str, Any]:
    """Run the command once; return its exit code, what it said and the load before it."""
    load, began = os.getloadavg()[0], time.monotonic()
    run = subprocess.run([*_command(baseline), "--for", duration], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    said = run.stdout.strip() or run.stderr.strip()
    return {
        "planted": kind,
        "exit_code": run.returncode,
        "load": round(load, 1),
        "seconds": round(seconds, 1),
        "said": said,
    }


def summary(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how often each kind ended how."""
    told = []
    for kind in (HEALTHY, LOST):
        of_kind = [run for run in runs if run["planted"] == kind]
        counts = Counter(_WORDS.get(run["exit_code"], "failed") for run in of_kind)
        loads = sorted(run["load"] for run in of_kind) or [0.0]
        words = ", ".join(f"{number} {word}" for word, number in counts.most_common())
        told.append(f"{kind}: {len(of_kind)} checks at a load of {loads[0]:g} to {loads[-1]:g}: {words}")
    return told


def _command(baseline: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("ringscope")), "check", "--here", "--baseline-file", str(baseline)]


if __name__ == "__main__":
    exit_with(main)
