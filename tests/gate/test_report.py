"""The report of `make test` names failed, flaky and slow tests; tiers run in parallel."""

import os
import signal
import subprocess

import pytest
from scripts import cleanup as leftovers
from scripts import test
from scripts.test import GATE_BUDGET_SECONDS, LANES, Outcome, Run, report, run_all
from scripts.tiers import TIERS

FAST, CLUSTER = (next(tier for tier in TIERS if tier.name == name) for name in ("fast", "cluster"))


def lines(*runs: Run) -> list[str]:
    return report(list(runs), 61.0, is_long=False)


def test_a_flaky_test_is_green_and_named():
    said = lines(Run(CLUSTER, 5.0, [Outcome("a::b", "passed", 5.0, tries=2, before="late")]))
    assert f"PASSED cluster: 1 passed, 0 failed, 0 skipped, 1 flaky in 5 s (budget {CLUSTER.budget_seconds} s)" in said
    assert "FLAKY a::b: passed on try 2; before: late" in said
    assert said[-1] == "1 passed, 0 failed, 0 skipped, 1 flaky in 61 s (budget 600 s)"


def test_the_budgets_of_the_tiers_fit_into_that_of_the_gate():
    of_tools = sum(tier.budget_seconds for tier in TIERS if tier.tools)
    of_tests = sum(tier.budget_seconds for tier in TIERS if tier.folders and tier.name != "gpu")
    assert of_tools + of_tests / LANES <= GATE_BUDGET_SECONDS


def test_a_failed_test_is_named_behind_its_tier():
    said = lines(Run(FAST, 2.0, [Outcome("a::b", "failed", 1.0), Outcome("a::c", "passed", 1.0)]))
    assert f"FAILED fast: 1 passed, 1 failed, 0 skipped in 2 s (budget {FAST.budget_seconds} s)" in said
    assert "FAILED a::b" in said


def test_a_tier_that_cannot_run_says_why():
    assert "SKIPPED fast: no tools" in lines(Run(FAST, skipped="no tools"))


def test_the_slowest_come_first_and_are_ten():
    outcomes = [Outcome(f"a::t{number}", "passed", float(number)) for number in range(20)]
    said = lines(Run(FAST, 1.0, outcomes))
    assert [line.split()[-1] for line in said if line.endswith(tuple("0123456789")) and " s  a::t" in line] == [
        f"a::t{number}" for number in range(19, 9, -1)
    ]


@pytest.mark.parametrize("is_long", [False, True])
def test_the_long_ones_leave_pictures_of_the_pages(monkeypatch: pytest.MonkeyPatch, is_long: bool):
    given = []

    def take(tiers, is_long, environment):
        given.append(environment.get("SCREENSHOTS"))
        return []

    monkeypatch.delenv("SCREENSHOTS", raising=False)
    monkeypatch.setattr(test, "run_pytest", take)
    test.run_in_room([FAST], is_long, "p")
    assert given == ["1" if is_long else None]


COMPANIES = [[tier] for tier in TIERS if tier.folders]


def test_every_run_is_made_once_in_a_room_of_its_own(monkeypatch: pytest.MonkeyPatch):
    letters = []

    def made(tiers, is_long, letter):
        letters.append(letter)
        return [Run(tier) for tier in tiers]

    monkeypatch.setattr(test, "run_together", made)
    assert {run.tier.name for run in run_all(COMPANIES, False, 2)} == {tier.name for [tier] in COMPANIES}
    assert len(letters) == len(set(letters)) == len(COMPANIES)


def test_an_interrupt_ends_the_runs_and_no_other_one_begins(monkeypatch: pytest.MonkeyPatch):
    begun = []

    def endless(tiers, is_long, letter):
        run_folder = leftovers.make_folder(letter)
        with subprocess.Popen(["sleep", "infinity"], env=os.environ | leftovers.environment(run_folder)) as process:
            begun.append(process)
            if len(begun) == 2:
                os.kill(os.getpid(), signal.SIGINT)
        leftovers.clear(run_folder)
        return []

    monkeypatch.setattr(test, "run_together", endless)
    # A shell starts what goes to the background with interrupts ignored, and the tests may have been.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_all(COMPANIES, False, 2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [process.poll() is None for process in begun] == [False, False]
