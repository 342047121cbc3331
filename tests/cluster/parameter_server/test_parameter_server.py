"""Parameter servers among real ranks: sync is one process's training, the others converge, and the bound holds."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.ranks import run_ranks

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "servers_main.py"
RANKS, DEADLINE_SECONDS = 4, 240


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, Any]]:
    """Run the program and return the lines that the first worker printed, by name."""
    program = [sys.executable, "-W", "error", str(PROGRAM)]
    done = run_ranks(RANKS, program, {"OMP_NUM_THREADS": "1"}, DEADLINE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", ["one server", "two servers", "three servers", "plain sgd", "adam", "adamw"])
def test_sync_equals_one_process_also_with_new_servers_halfway(told: dict[str, Any], name: str) -> None:
    """The parameters and the optimizer's state are compared after 50 steps in float32."""
    found = told[name]
    assert found["moved"] > 100 * 1e-5
    assert found["parameters"] < 1e-5 and found["state"] < 1e-5
    assert (found["lag"], found["steps"]) == (0, 50)


@pytest.mark.parametrize("name", ["ssp", "async"])
def test_ssp_and_async_learn_the_digits_and_end_with_equal_parameters(told: dict[str, Any], name: str) -> None:
    found = told[name]
    assert found["accuracy"] > 0.95
    assert found["are_equal"] and found["pushes"] == found["steps"], "every gradient is applied once"
    assert name == "async" or found["lag"] <= 2


def test_ssp_is_held_by_its_bound_and_async_by_nothing(told: dict[str, Any]) -> None:
    """One of three workers is slow; of each rank the most steps that it was ahead."""
    assert max(told["ssp, one slow"]["lags"]) == 2
    assert max(told["async, one slow"]["lags"]) > 4
