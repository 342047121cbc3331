"""A rank that never comes, and one that stops in the middle: the others say so, in time, and nothing hangs."""

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cluster.engine.conftest import PROGRAMS

from ringscope.rank.mpiexec import start_ranks

DEADLINE_SECONDS = 120
CALLS = {"mpi_library": "MPI's all_reduce", "gloo": "gloo's all_reduce"}
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
LIBRARIES = pytest.mark.parametrize("library", ["mpi_library", pytest.param("gloo", marks=needs_torch)])
TRANSPORTS = pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
# They wait alike: transports/test_transports.py has each one's own.
ON_ONE_TRANSPORT = pytest.mark.parametrize("transport", ["shared_memory", pytest.param("mpi", marks=pytest.mark.long)])


@pytest.fixture
def sentences(tmp_path: Path) -> Iterator[socket.socket]:
    """Yield the socket to which ranks send their sentences."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "sentences"))
        receiver.settimeout(DEADLINE_SECONDS)
        yield receiver


@contextmanager
def started(ranks: int, sentences: socket.socket, way: str, end: str, *flags: str) -> Iterator[subprocess.Popen[bytes]]:
    program = [sys.executable, "-W", "error", str(PROGRAMS / "stall_main.py"), way, end]
    command = [*program, sentences.getsockname()]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with start_ranks(ranks, command, os.environ, flags, **quiet) as process:
        try:
            yield process
        finally:
            process.terminate()


@pytest.mark.long
@TRANSPORTS
def test_a_rank_that_never_calls_is_named_and_all_end(sentences, transport):
    with started(3, sentences, transport, "never") as process:
        said = sentences.recv(1000).decode()
        assert re.match(r"Rank [02] waited 1.5 s for rank 1 in step 0; check whether rank 1 still runs and makes", said)
        assert process.wait(DEADLINE_SECONDS) != 0


@pytest.mark.long
@pytest.mark.parametrize("way", ["plan", pytest.param("optimizer", marks=needs_torch)])
def test_a_rank_that_never_runs_what_all_prepared_is_named_and_all_end(sentences, way):
    with started(2, sentences, way, "never") as process:
        assert sentences.recv(1000).decode().startswith("Rank 0 waited 1.5 s for rank 1 in step ")
        assert process.wait(DEADLINE_SECONDS) != 0


@ON_ONE_TRANSPORT
def test_a_rank_that_stops_in_the_ring_is_named_with_the_step(sentences, transport):
    with started(4, sentences, transport, signal.SIGSTOP.name):
        said = sorted(sentences.recv(1000).decode().partition(";")[0] for _ in range(3))
    assert said[0].startswith("Rank 0 waited 1.5 s for rank 3 in step ")
    assert said[1:] == ["Rank 2 waited 1.5 s for rank 1 in step 2", "Rank 3 waited 1.5 s for rank 2 in step 3"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("library", "end"),
    [
        ("mpi_library", "never"),
        ("mpi_library", signal.SIGSTOP.name),
        pytest.param("gloo", "never", marks=needs_torch),
    ],
)
def test_a_rank_that_is_missing_in_a_librarys_call_is_named(sentences, library, end):
    with started(3, sentences, library, end) as process:
        said = sentences.recv(1000).decode()
        assert re.match(
            rf"Rank [02] waited 1.5 s for rank 1 in call 3 of {CALLS[library]}; check whether rank 1", said
        ), said
        if end == "never":  # mpiexec waits for ever for one that is stopped
            assert process.wait(DEADLINE_SECONDS) != 0


@pytest.mark.long
@TRANSPORTS
def test_a_process_that_ends_in_the_ring_is_missed_before_the_timeout(sentences, transport):
    with started(4, sentences, transport, "leave", "-disable-auto-cleanup"):
        said = sentences.recv(1000).decode()
    assert said.startswith("Rank 2 lost rank 1 in step 2: its process has ended; see the last output of rank 1, "), said


@pytest.mark.long
@LIBRARIES
def test_a_process_that_ends_before_a_librarys_call_is_missed_before_the_timeout(sentences, library):
    with started(3, sentences, library, "leave", "-disable-auto-cleanup"):
        said = sentences.recv(1000).decode()
    assert re.match(rf"Rank [02] lost rank 1 in call 3 of {CALLS[library]}: its process has ended; ", said), said


@pytest.mark.long  # the gate has it of `ringscope bench`, which names it as well: test_bench.py
@TRANSPORTS
def test_a_rank_that_is_killed_in_the_ring_ends_all(sentences, transport):
    with started(4, sentences, transport, signal.SIGKILL.name) as process:
        assert process.wait(DEADLINE_SECONDS) == signal.SIGKILL, "mpiexec passes on how it ended"


def test_an_exception_that_one_rank_does_not_catch_ends_all(gang):
    done = gang(2, "uncaught_main.py")
    assert done.returncode == 1
    assert "ValueError: a bad batch" in done.stderr
