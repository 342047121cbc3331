"""The tests of this folder need a GPU, CuPy and mpi4py; where one is missing they are skipped, and say which."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda

HERE = Path(__file__).parent
DEADLINE_SECONDS = 240  # ranks that share a GPU take turns, and each compiles its kernels first

RunGang = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True, scope="session")
def _gpu() -> None:
    try:
        cuda.load()
    except EngineError as error:
        pytest.skip(str(error))


@pytest.fixture
def gang() -> RunGang:
    """``gang(ranks, program, *arguments)`` runs a program on ranks, as ``mpiexec`` of this Python's MPI does."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is missing; pip install 'ringscope[worker]'.")
    beside = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside) if beside.exists() else "mpiexec"

    def run(ranks: int, program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [mpiexec, "-n", str(ranks), sys.executable, str(program), *arguments],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )

    return run
