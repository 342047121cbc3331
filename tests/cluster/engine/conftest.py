"""Starting ranks: MPI tests run their asserts inside a gang of their own, in a subprocess with a deadline."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.fakes.fixture import cupy as cupy

HERE = Path(__file__).parent
DEADLINE_SECONDS = 120

RunGang = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def gang() -> RunGang:
    """``gang(ranks, "main.py", *arguments, **environment)`` runs a program of this folder, or a module, on ranks."""

    def run(
        ranks: int, program: str, *arguments: str, deadline_seconds: float = DEADLINE_SECONDS, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        python = [sys.executable, "-W", "error"]
        target = [str(HERE / program)] if program.endswith(".py") else ["-m", program]
        return subprocess.run(
            [str(Path(sys.executable).with_name("mpiexec")), "-n", str(ranks), *python, *target, *arguments],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=deadline_seconds,
            check=False,
        )

    return run
