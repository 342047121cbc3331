"""The tests of this folder need a GPU, CuPy and mpi4py; where one is missing they are skipped, and say which."""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.rank.mpiexec import start_ranks

DEADLINE_SECONDS = 60
LAST_SECONDS = 5  # that mpiexec gets to end its ranks

RunGang = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True, scope="session")
def _gpu() -> None:
    try:
        cuda.load()
    except EngineError as error:
        pytest.skip(str(error))


@pytest.fixture
def gang() -> RunGang:
    """``gang(ranks, program, *arguments)`` runs a program on ranks, as ``mpiexec`` of this Python's MPI does.

    What they say is in ``stdout``, errors too.
    """
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is missing; pip install 'ringscope[worker]'.")
    return run_gang


def run_gang(
    ranks: int, program: Path, *arguments: str, deadline_seconds: float = DEADLINE_SECONDS, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program as ``gang`` does.

    An exception of one rank ends all ranks, and so does the deadline; then their output is printed.
    """
    command = [sys.executable, "-m", "mpi4py", str(program), *arguments]
    with tempfile.TemporaryFile("w+") as said:  # a pipe would be waited for as long as any rank is left
        streams = {"stdout": said, "stderr": subprocess.STDOUT}
        process = start_ranks(ranks, command, os.environ | environment, start_new_session=True, **streams)
        late = ""
        try:
            process.wait(deadline_seconds)
        except subprocess.TimeoutExpired:
            late = f"{' '.join(command)} on {ranks} ranks was ended after {deadline_seconds:g} s.\n"
            _end(process)
        said.seek(0)
        text = said.read() + late
    if late:
        sys.stdout.write(text)
        sys.stdout.flush()
    return subprocess.CompletedProcess(command, process.returncode, text)


def _end(process: subprocess.Popen[bytes]) -> None:
    """mpiexec and its ranks; those that are stuck in a driver it cannot end alone."""
    process.terminate()
    try:
        process.wait(LAST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
