"""Starting ranks: MPI tests run their asserts inside a gang of their own, in a subprocess with a deadline.

And one rank of NCCL's on the fake CuPy, in this process.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.fakes.fixture import OneOf
from tests.engine.fakes.fixture import cupy as cupy
from tests.ranks import run_ranks

from ringscope.engine.memory.cuda import Gpu
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.waiting.watchdog import Watchdog

PROGRAMS = Path(__file__).parent / "programs"
DEADLINE_SECONDS = 120
NCCL_TIMEOUT_SECONDS = 0.2

RunGang = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def gang() -> RunGang:
    """``gang(ranks, "main.py", *arguments, **environment)`` runs one of ``programs``, or a module, on ranks."""

    def run(
        ranks: int, program: str, *arguments: str, deadline_seconds: float = DEADLINE_SECONDS, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        python = [sys.executable, "-W", "error"]
        target = [str(PROGRAMS / program)] if program.endswith(".py") else ["-m", program]
        return run_ranks(ranks, [*python, *target, *arguments], environment, deadline_seconds)

    return run


@pytest.fixture
def watchdog(cupy):
    """Let the watchdog release what the fake blocks, where a real one ends the gang."""
    made = Watchdog(lambda: cupy.fake.goes_on.set(), NCCL_TIMEOUT_SECONDS)
    yield made
    made.close()


@pytest.fixture
def nccl(cupy, watchdog):
    """``nccl(rank, size)`` is that rank's transport; what its peers say comes as ``OneOf`` has it."""
    made = []

    def make(rank, size, gpu=None, ended=list, registration=0, **keywords):
        gpu = gpu or Gpu(0, "0000:00:00.0", (rank,))
        one = OneOf(rank, size, **keywords)
        made.append(NcclTransport(one, gpu, watchdog, NCCL_TIMEOUT_SECONDS, ended, registration))
        return made[-1]

    yield make
    cupy.fake.reset()
    for one in made:
        one.free()
