"""The scripts in benchmarks/ are started alike: what they take, what they refuse, with which exit code they end."""

import importlib
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

from ringscope.contracts.errors import UserError

ROOT = Path(__file__).parents[2]
START = 'if __name__ == "__main__":\n'
STARTED = {
    ".".join(path.relative_to(ROOT / "benchmarks").with_suffix("").parts): path.read_text()
    for path in sorted((ROOT / "benchmarks").rglob("*.py"))
    if START in path.read_text()
}
PART_END = re.compile(START + r'    exec_part\("(\w+)"\)\n\Z')
PARTS = {name: found[1] for name, text in STARTED.items() if (found := PART_END.search(text))}
LAUNCHED = {"training.ddp_script"}  # somebody's training, which launchers.py starts and no person
SCRIPTS = [name for name in STARTED if name not in PARTS and name not in LAUNCHED]
RANK = "engine.measure"  # which mpiexec starts


def load(name: str) -> ModuleType:
    """Return a module of benchmarks/ by its name within the folder."""
    return importlib.import_module(f"benchmarks.{name}")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_explains_itself(capsys, name):
    script = load(name)
    with pytest.raises(SystemExit) as ended:
        script.main(["--help"])
    told = capsys.readouterr()
    assert (ended.value.code, told.err) == (0, "")
    assert script.__doc__.splitlines()[0] in told.out.splitlines()


@pytest.mark.parametrize("wrong", ["--no-such-option", "no-such-thing"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_refuses_what_it_does_not_know_in_one_line(capsys, name, wrong):
    with pytest.raises(SystemExit) as ended:
        load(name).main([wrong])
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    (line,) = told.err.splitlines()
    assert wrong in line or name == RANK


@pytest.mark.parametrize("name", sorted({*SCRIPTS} - {RANK}))
def test_a_script_ends_with_what_its_targets_say(name):
    assert STARTED[name].endswith(f"{START}    exit_with(main)\n")
    assert "return judged(" in STARTED[name] or "Target" not in STARTED[name]


def test_every_part_is_started_as_a_part():
    parts = load("__main__").PARTS
    assert {name: run.__module__ for name, run in parts.items()} == {
        part: f"benchmarks.{name}" for name, part in PARTS.items()
    }


@pytest.mark.parametrize(("text", "least"), [("0", 1), ("-3", 0), ("1.5", 1), ("many", 1), ("²", 1), ("", 1)])
def test_a_count_is_a_whole_number(text, least):
    with pytest.raises(load("command").argparse.ArgumentTypeError, match="whole number"):
        load("command").count(least)(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "long"])
def test_a_quantity_is_above_its_least(text):
    with pytest.raises(load("command").argparse.ArgumentTypeError, match="number above 0"):
        load("command").quantity()(text)


@pytest.mark.parametrize(("got", "code"), [((1.0, 2.0), 0), ((1.0, 2.1), 1), ((float("nan"), 1.0), 1), ((), 0)])
def test_a_missed_target_and_only_that_is_exit_code_1(capsys, got, code):
    report = load("report")
    assert report.judged([report.Target("ms", 2.0, value, at_most=True) for value in got]) == code
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(got) + code
    assert not code or lines[-1].startswith("1 of 2 targets was missed: exit code 1.")


def test_the_whole_of_it_tells_all_targets_and_ends_with_1_on_a_miss(capsys, monkeypatch):
    whole, report = load("__main__"), load("report")
    met, missed = report.Target("good", 1, 2), report.Target("bad", 2, 1)
    results = {name: report.Result(name, None, targets=[target]) for name, target in (("a", met), ("b", missed))}
    monkeypatch.setattr(report.Result, "save", lambda result: None)
    monkeypatch.setattr(whole.plot, "draw", lambda: None)
    monkeypatch.setattr(whole.training_numbers, "fill", lambda: None)
    monkeypatch.setattr(whole.diagnosis_numbers, "fill", lambda: None)
    parts = {"a": lambda: results["a"], "b": lambda: results["b"], "without root": lambda: None}
    monkeypatch.setattr(whole, "PARTS", parts)
    assert whole.main(["a", "without root"]) == 0
    assert whole.main([]) == 1
    told = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split()[0] for line in told] == ["met", "MISSED", "1"]


@pytest.mark.parametrize(("got", "code"), [(0.05, 0), (0.5, 1)])
def test_a_script_with_a_target_of_its_own_ends_with_1_on_a_miss(monkeypatch, got, code):
    page_heap, control_plane, target = load("page.heap"), load("server.control_plane"), load("report").Target

    async def part(server: object) -> list[object]:
        return [target("ms", 0.1, got, at_most=True)]

    monkeypatch.setenv("CHROMIUM", "chromium")
    monkeypatch.setattr(page_heap, "slope_of", lambda kind, count: got)
    monkeypatch.setattr(control_plane, "serving", nullcontext)
    monkeypatch.setattr(control_plane, "PARTS", {"some": part})
    assert page_heap.main(["1"]) == control_plane.main([]) == code


def test_the_heap_without_a_browser_is_one_sentence(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="Chromium is not installed: apt-get install chromium"):
        load("page.heap").main(["1"])


def test_insights_are_held_to_the_slowest_and_to_none_false():
    insights = load("server.insights")
    assert [target.met for target in insights.targets_of([1.0, 5.0], insights.Counter())] == [True, True]
    assert [target.met for target in insights.targets_of([1.0, 5.1], insights.Counter(hang=2))] == [False, False]
    assert [target.met for target in insights.targets_of([], insights.Counter(hang=2))] == [False]


def test_without_what_starts_postgresql_one_sentence_says_so(monkeypatch):
    page_answers = load("page.answers")
    monkeypatch.setitem(sys.modules, "tests.postgres", None)
    with pytest.raises(UserError, match=r"group postgres`, or name sqlite alone\.$"):
        page_answers.main(["postgresql"])


ENDS = {
    "met": (0, 0, ""),
    "missed": (1, 1, ""),
    "not here": (UserError("There is no lab.", "Be root."), 2, "There is no lab. Be root.\n"),
    "interrupted": (KeyboardInterrupt(), 130, "interrupted.\n"),
    "a fault": (ValueError("amiss"), 2, "ValueError: amiss\n"),
}


@pytest.mark.parametrize(("outcome", "code", "told"), ENDS.values(), ids=ENDS)
def test_each_way_to_end_has_an_exit_code(capsys, monkeypatch, outcome, code, told):
    def main() -> int:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(load("command").signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ended:
        load("command").exit_with(main)
    assert ended.value.code == code
    said = capsys.readouterr().err
    assert said.endswith(told)
    assert ("Traceback" in said) == isinstance(outcome, ValueError)


TOLD_TWICE = """
import os, signal
from benchmarks.command import exit_with

def main():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        print("nothing is left")

exit_with(main)
"""


def test_a_script_that_is_told_twice_to_stop_still_cleans_up():
    """`timeout` tells the program, and then its process group."""
    done = subprocess.run([sys.executable, "-c", TOLD_TWICE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (143, "nothing is left\n", "")


@pytest.mark.long
@pytest.mark.parametrize("name", [*SCRIPTS, *PARTS])
def test_a_program_of_its_own_refuses_it_as_well(name):
    command = [sys.executable, "-m", f"benchmarks.{name}".removesuffix(".__main__"), "--no-such-option"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
