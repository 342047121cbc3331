"""Gangs that train: MPI tests run in a subprocess with a deadline, and tell what came of it as lines of JSON."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.ranks import run_ranks

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
DEADLINE_SECONDS = 600  # three ranks on two busy cores need several minutes for all variants

RunGang = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def gang() -> RunGang:
    """``gang(ranks, "main.py")`` runs a program of this folder and gives what rank 0 told, by name."""

    def run(ranks: int, program: str, *arguments: str) -> dict[str, dict[str, Any]]:
        python = [sys.executable, "-W", "error", str(HERE / program), *arguments]
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))  # programs share helpers
        done = run_ranks(ranks, python, {"OMP_NUM_THREADS": "1", "PYTHONPATH": paths}, DEADLINE_SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return {result["name"]: result for result in told}

    return run
