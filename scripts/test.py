"""`make test` and `make test-long`: run the tiers that can run on this machine, and say which cannot, and why.

    python -m scripts.test [--long] [TIER …]

With CI=true only the GPU tier may be skipped. A test that passed on a later try is green, and told as FLAKY. The last
line sums all tiers. Each tier's time stands beside its budget; to take longer fails nothing. The gate's runs of pytest
go side by side, three on two cores, and the tiers of one run share its time by that of their tests.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase

from scripts import cleanup as leftovers
from scripts import lengths
from scripts.running_processes import neighbours
from scripts.tiers import ROOT, TIERS, Tier

BIN = Path(sys.executable).parent  # of .venv, or of another Python's environment (scripts/pythons)
OUTCOMES = ROOT / "test-results" / "outcomes"  # a file for each tier: what came of each test, and how long it took
GATE_BUDGET_SECONDS = 600  # everything, where the packages are there, on two cores that do nothing else
LANES = 3  # runs of pytest side by side: two left a third of two cores idle
SLOWEST = 10
PROGRESS = re.compile(r"^\S+ +\[ *\d+%\]$")  # a line of pytest's dots
LONG_ONLY = "it has only a long part (make test-long)"
NO_TESTS_CHOSEN = 5  # pytest's exit code


@dataclass
class Outcome:
    """The outcome of one test, or of one tool."""

    test: str
    outcome: str
    seconds: float
    tries: int = 1
    before: str = ""  # what the last try that failed said

    @property
    def is_flaky(self) -> bool:
        """True if it passed, but not at the first try."""
        return self.outcome == "passed" and self.tries > 1


@dataclass
class Run:
    """The outcomes of one tier."""

    tier: Tier
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)
    skipped: str | None = None

    @property
    def has_failed(self) -> bool:
        """True if anything in the tier failed."""
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
    if others := neighbours():
        say("Already running here, and may slow the tests down:", *(f"  {other}" for other in others))
    if cleared := leftovers.clear_dead_folders():
        say("Cleared away what killed runs of the tests had left:", *(f"  {run_folder}" for run_folder in cleared))
    leftovers.remove_segments()
    chosen = [tier for tier in TIERS if not options.tiers or tier.name in options.tiers]
    companies = [list(tiers) for _, tiers in groupby(chosen, _company)]
    runs = run_all([company for company in companies if company[0].tools], options.long, 1)
    testing = [company for company in companies if not company[0].tools]
    runs += run_all(testing, options.long, 1 if options.long else LANES)
    leftovers.remove_segments()
    runs.sort(key=lambda run: TIERS.index(run.tier))
    say("", *report(runs, time.monotonic() - start, options.long))
    return 1 if any(run.has_failed for run in runs) else 0


def run_all(companies: list[list[Tier]], is_long: bool, lanes: int) -> list[Run]:
    """Run companies, so many side by side: those first that take longest, so that all lanes end together.

    An interrupt ends those that run, and no other one begins.
    """
    ordered = sorted(companies, key=_budget_seconds, reverse=True) if lanes > 1 else companies
    pool = ThreadPoolExecutor(lanes)
    futures = [
        pool.submit(run_together, company, is_long, ascii_lowercase[number]) for number, company in enumerate(ordered)
    ]
    try:
        return [run for future in futures for run in future.result()]
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        # The terminal interrupts all of them, but an agent that a test has started in its own process hears it instead.
        for run_folder in leftovers.own_folders():
            leftovers.end_processes(run_folder)
        raise
    finally:
        pool.shutdown()


def run_together(tiers: list[Tier], is_long: bool, letter: str) -> list[Run]:
    """Run tiers of one company to their end, those that can run here; ``letter`` tells its folder from the others'."""
    reasons = {tier.name: _why_not(tier, is_long) for tier in tiers}
    able = [tier for tier in tiers if reasons[tier.name] is None]
    start = time.monotonic()
    outcomes = run_in_room(able, is_long, letter) if able else []
    seconds = time.monotonic() - start
    of_tiers: dict[str, list[Outcome]] = {tier.name: [] for tier in tiers}
    for outcome in outcomes:
        of_tiers[_owner(outcome.test, able).name].append(outcome)
    worked = sum(outcome.seconds for outcome in outcomes) or 1.0
    runs = []
    for tier in tiers:
        mine, reason = of_tiers[tier.name], reasons[tier.name]
        may_be_absent = tier.name == "gpu" or reason == LONG_ONLY
        if reason and os.environ.get("CI") == "true" and tier.folders and not may_be_absent:
            mine, reason = [Outcome(f"{tier.name}: {reason}, and with CI=true it must run", "failed", 0.0)], None
        runs.append(Run(tier, seconds * sum(outcome.seconds for outcome in mine) / worked, mine, reason))
    return runs


def run_in_room(tiers: list[Tier], is_long: bool, letter: str) -> list[Outcome]:
    """Run the tiers' tools or tests; what outlives them is ended and told, and nothing of their folder is left."""
    way = tiers[0].way
    # What is long may store more than memory holds.
    run_folder = leftovers.make_folder(letter, in_memory=way is not None and way.is_in_memory and not is_long)
    environment = _environment(is_long) | leftovers.environment(run_folder)
    tools = [tool for tier in tiers for tool in (tier.long_tools if is_long else tier.tools)]
    if tools:
        say(f"--- {_names(tiers)}", *lengths.told(lengths.lines_of()))
    try:
        outcomes = run_tools(tools, environment) if tools else run_pytest(tiers, is_long, environment)
        if left := leftovers.end_processes(run_folder):
            say(f"LEFT BEHIND by {_names(tiers)}, and ended:", *(f"  {command}" for command in left))
    finally:
        leftovers.clear(run_folder)
    return outcomes


def run_tools(tools: Iterable[tuple[str, ...]], environment: dict[str, str]) -> list[Outcome]:
    """Run the tools, two at a time; each one's exit code is its outcome."""

    def run_tool(tool: tuple[str, ...]) -> Outcome:
        start = time.monotonic()
        done = subprocess.run(
            tool, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        seconds = time.monotonic() - start
        if done.returncode:
            say(done.stdout, f"failed: {' '.join(tool)}")
        return Outcome(" ".join(tool), "failed" if done.returncode else "passed", seconds)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run_tool, tools))


def run_pytest(tiers: list[Tier], is_long: bool, environment: dict[str, str]) -> list[Outcome]:
    """Run the tiers' tests; what came of each is told by the plugin tests/outcomes.py.

    How far it has come is printed at once, behind the tiers' names; everything else at its end, in one piece.
    """
    names = "-".join(tier.name for tier in tiers)
    told = OUTCOMES / f"{names}{'-long' if is_long else ''}.jsonl"
    told.unlink(missing_ok=True)
    # Of what Hypothesis searches for the gate tries a part of the examples.
    chosen = ("-m", "long or hypothesis") if is_long else ("-m", "not long", "--hypothesis-profile=gate")
    plugin = ("-p", "tests.outcomes", "--outcomes", str(told))
    folders = [folder for tier in tiers for folder in tier.folders]
    foreign = [folder for tier in TIERS if tier not in tiers for folder in tier.folders if _lies_in(folder, folders)]
    ignored = [f"--ignore={folder}" for folder in foreign]
    way = tiers[0].way
    assert way is not None
    options = (*way.options, *(way.long_options if is_long else ()), *ignored)
    command = ("python", "-m", "pytest", "-q", "--no-header", *chosen, *plugin, *options, *folders)
    said = []
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if PROGRESS.search(line):
                say(f"{_names(tiers)}: {line.rstrip()}")
            else:
                said.append(line)
    code = run.returncode
    say(f"--- {_names(tiers)}", "".join(said).strip("\n"))
    lines = told.read_text().splitlines() if told.exists() else []
    outcomes = [Outcome(**json.loads(line)) for line in lines]
    if code not in (0, NO_TESTS_CHOSEN) and all(outcome.outcome != "failed" for outcome in outcomes):
        outcomes.append(Outcome(f"{folders[0]}: pytest ended with exit code {code}", "failed", 0.0))
    return outcomes


def report(runs: list[Run], seconds: float, is_long: bool) -> list[str]:
    """Return the lines of the report: slowest tests, tiers, flaky tests, failed tests, and the sum."""
    outcomes = [outcome for run in runs for outcome in run.outcomes]
    tests = [outcome for run in runs if run.tier.folders for outcome in run.outcomes]
    slowest = sorted(tests, key=lambda outcome: -outcome.seconds)[:SLOWEST]
    budget = "" if is_long else f" (budget {GATE_BUDGET_SECONDS} s)"
    return [
        *([f"The {len(slowest)} slowest tests, with what they were the first to start:"] if slowest else []),
        *(f"{outcome.seconds:7.1f} s  {outcome.test}" for outcome in slowest),
        "",
        *(run.line(is_long) for run in runs),
        *(f"FLAKY {o.test}: passed on try {o.tries}; before: {o.before}" for o in outcomes if o.is_flaky),
        *(f"FAILED {o.test}" for o in outcomes if o.outcome == "failed"),
        f"{_counts(outcomes)} in {seconds:.0f} s{budget}",
    ]


def say(*lines: str) -> None:
    """Print lines at once, so that they stay in order with what the tools print."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _names(tiers: Iterable[Tier]) -> str:
    return ", ".join(tier.name for tier in tiers)


def _budget_seconds(tiers: list[Tier]) -> int:
    return sum(tier.budget_seconds for tier in tiers)


def _company(tier: Tier) -> object:
    return tier.way or tier.name


def _why_not(tier: Tier, is_long: bool) -> str | None:
    if tier.is_long_only and not is_long:
        return LONG_ONLY
    return "it has no long part" if is_long and not (tier.folders or tier.long_tools) else tier.missing()


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _owner(test: str, tiers: list[Tier]) -> Tier:
    """Return the tier of the test: of all tiers with a folder around it, that with the innermost one."""

    def depth(tier: Tier) -> int:
        return max((len(folder) for folder in tier.folders if _lies_in(test.partition("::")[0], [folder])), default=0)

    return max(tiers, key=depth)


def _counts(outcomes: list[Outcome]) -> str:
    counts = Counter(outcome.outcome for outcome in outcomes)
    flaky = sum(outcome.is_flaky for outcome in outcomes)
    told = f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped"
    return f"{told}, {flaky} flaky" if flaky else told


def _environment(is_long: bool) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    # Tests start thousands of interpreters: each would compile the whole project again where no bytecode is kept.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    if is_long:
        environment["SCREENSHOTS"] = "1"  # there is time for pictures of the pages
    return environment


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Interrupted; what the tests had started is ended.")
