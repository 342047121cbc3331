"""`make test` and `make test-long`: run the tiers that can run on this machine, and say which cannot, and why.

    python scripts/test.py [--long] [TIER …]

With CI=true only the GPU tier may be skipped. A test that passed on a later try is green, and told as FLAKY. The last
line sums all tiers. Each tier's time stands beside its budget; to take longer fails nothing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tiers import ROOT, TIERS, Tier

BIN = ROOT / ".venv" / "bin"
OUTCOMES = ROOT / "test-results" / "outcomes"  # a file for each tier: what came of each test, and how long it took
GATE_BUDGET_SECONDS = 420  # everything, where the packages are there
SLOWEST = 10
NO_TESTS_CHOSEN = 5  # pytest's exit code


@dataclass
class Outcome:
    """What came of one test, or of one tool."""

    test: str
    outcome: str
    seconds: float
    tries: int = 1

    @property
    def is_flaky(self) -> bool:
        """Whether it passed, and not at once."""
        return self.outcome == "passed" and self.tries > 1


@dataclass
class Run:
    """What came of one tier."""

    tier: Tier
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)
    skipped: str | None = None

    @property
    def has_failed(self) -> bool:
        """Whether anything in it did."""
        return any(outcome.outcome == "failed" for outcome in self.outcomes)

    def line(self, is_long: bool) -> str:
        """The tier's line of the report."""
        if self.skipped:
            return f"SKIPPED {self.tier.name}: {self.skipped}"
        verdict = "FAILED" if self.has_failed else "PASSED"
        budget = "" if is_long else f" (budget {self.tier.budget_seconds} s)"
        return f"{verdict} {self.tier.name}: {_counts(self.outcomes)} in {self.seconds:.0f} s{budget}"


def main(arguments: list[str]) -> int:
    """Run the named tiers, or all; 0 if nothing failed."""
    names = [tier.name for tier in TIERS]
    parser = argparse.ArgumentParser(description="Run the tiers of tests.", usage="%(prog)s [--long] [TIER …]")
    parser.add_argument("--long", action="store_true", help="the long tests instead of the gate's")
    parser.add_argument("tiers", nargs="*", metavar="TIER", help=f"of {', '.join(names)}; all if none is named")
    options = parser.parse_args(arguments)
    unknown = set(options.tiers) - set(names)
    if unknown:
        parser.error(f"there is no tier {', '.join(sorted(unknown))}; choose of {', '.join(names)}")
    start = time.monotonic()
    if not options.tiers and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(("scripts/system-packages",), cwd=ROOT, check=False)
    runs = [run(tier, options.long) for tier in TIERS if not options.tiers or tier.name in options.tiers]
    say("", *report(runs, time.monotonic() - start, options.long))
    return 1 if any(run.has_failed for run in runs) else 0


def run(tier: Tier, is_long: bool) -> Run:
    """Run one tier to its end."""
    if is_long and not tier.folders:
        return Run(tier, skipped="it has no long part")
    reason = tier.missing()
    if reason is not None:
        if os.environ.get("CI") == "true" and tier.name != "gpu":
            what = f"{tier.name}: {reason}, and with CI=true this tier must run"
            return Run(tier, outcomes=[Outcome(what, "failed", 0.0)])
        return Run(tier, skipped=reason)
    say(f"--- {tier.name}")
    start = time.monotonic()
    outcomes = run_pytest(tier, is_long) if tier.folders else run_tools(tier.tools)
    return Run(tier, time.monotonic() - start, outcomes)


def run_tools(tools: Iterable[tuple[str, ...]]) -> list[Outcome]:
    """Run the tools, two at a time; each one's exit code is its outcome."""

    def run_tool(tool: tuple[str, ...]) -> Outcome:
        start = time.monotonic()
        done = subprocess.run(
            tool, cwd=ROOT, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        seconds = time.monotonic() - start
        if done.returncode:
            say(done.stdout, f"failed: {' '.join(tool)}")
        return Outcome(" ".join(tool), "failed" if done.returncode else "passed", seconds)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run_tool, tools))


def run_pytest(tier: Tier, is_long: bool) -> list[Outcome]:
    """Run the tier's tests; what came of each is told by the plugin tests/outcomes.py."""
    told = OUTCOMES / f"{tier.name}{'-long' if is_long else ''}.jsonl"
    told.unlink(missing_ok=True)
    chosen = ("-m", "long") if is_long else ("-m", "not long", "--hypothesis-profile=gate")
    plugin = ("-p", "tests.outcomes", "--outcomes", str(told))
    command = ("python", "-m", "pytest", "-q", "--no-header", *chosen, *plugin, *tier.options, *tier.folders)
    code = subprocess.run(command, cwd=ROOT, env=_environment()).returncode
    lines = told.read_text().splitlines() if told.exists() else []
    outcomes = [Outcome(**json.loads(line)) for line in lines]
    if code not in (0, NO_TESTS_CHOSEN) and all(outcome.outcome != "failed" for outcome in outcomes):
        outcomes.append(Outcome(f"{tier.name}: pytest ended with exit code {code}", "failed", 0.0))
    return outcomes


def report(runs: list[Run], seconds: float, is_long: bool) -> list[str]:
    """What a person reads at the end: tiers, slowest tests, what was flaky, what failed, and the sum."""
    outcomes = [outcome for run in runs for outcome in run.outcomes]
    tests = [outcome for run in runs if run.tier.folders for outcome in run.outcomes]
    slowest = sorted(tests, key=lambda outcome: -outcome.seconds)[:SLOWEST]
    budget = "" if is_long else f" (budget {GATE_BUDGET_SECONDS} s)"
    return [
        *([f"The {len(slowest)} slowest tests, with what they were the first to start:"] if slowest else []),
        *(f"{outcome.seconds:7.1f} s  {outcome.test}" for outcome in slowest),
        "",
        *(run.line(is_long) for run in runs),
        *(f"FLAKY {o.test}: passed on try {o.tries}" for o in outcomes if o.is_flaky),
        *(f"FAILED {o.test}" for o in outcomes if o.outcome == "failed"),
        f"{_counts(outcomes)} in {seconds:.0f} s{budget}",
    ]


def say(*lines: str) -> None:
    """Print lines at once, so that they stay in order with what the tools print."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _counts(outcomes: list[Outcome]) -> str:
    counts = Counter(outcome.outcome for outcome in outcomes)
    flaky = sum(outcome.is_flaky for outcome in outcomes)
    told = f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped"
    return f"{told}, {flaky} flaky" if flaky else told


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    # Tests start thousands of interpreters: each would compile the whole project again where no bytecode is kept.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    return environment


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
