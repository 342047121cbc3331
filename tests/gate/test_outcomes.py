"""The runner gets the outcome of each test, and the number of its tries, from a real run of pytest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import pathlib
import pytest

def test_good(): pass
def test_bad(): assert False
@pytest.mark.skip
def test_skipped(): pass
@pytest.fixture
def broken():
    yield
    raise OSError
def test_left_behind(broken): pass
def test_by_chance(tmp_path_factory):
    marker = tmp_path_factory.getbasetemp().parent / "tried"
    if not marker.exists():
        marker.touch()
        assert False
"""


@pytest.mark.parametrize("workers", ["2", pytest.param("0", marks=pytest.mark.long)])
def test_each_test_is_told_once_with_its_tries(tmp_path: Path, workers: str) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    told = tmp_path / "results" / "outcomes.jsonl"
    # To load the other plugins takes each process longer than its tests.
    plugins = ("tests.outcomes", "xdist.plugin", "pytest_rerunfailures")
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    options = [f"--outcomes={told}", "--reruns=2", f"--numprocesses={workers}"]
    where = ["-q", "-c", "/dev/null", f"--rootdir={tmp_path}", f"--basetemp={tmp_path / 'base' / 'temp'}"]
    (tmp_path / "base").mkdir()
    loaded = [word for plugin in plugins for word in ("-p", plugin)]
    command = [sys.executable, "-m", "pytest", *loaded, *options, *where, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert told.exists(), done.stdout + done.stderr
    outcomes = [json.loads(line) for line in told.read_text().splitlines()]
    assert {outcome["test"].partition("::")[2]: (outcome["outcome"], outcome["tries"]) for outcome in outcomes} == {
        "test_good": ("passed", 1),
        "test_bad": ("failed", 3),
        "test_skipped": ("skipped", 1),
        "test_left_behind": ("failed", 3),
        "test_by_chance": ("passed", 2),
    }
    [by_chance] = [outcome for outcome in outcomes if outcome["tries"] == 2]
    assert by_chance["before"] == "assert False"
