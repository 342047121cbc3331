"""A fork of the standby process is the rank for everybody who looks, and neither outlives the other."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ringscope.contracts.rank_process import PLACEHOLDER_VARIABLE, TOKEN_VARIABLE

TOKEN = "0123456789abcdef" * 2
RANK = (
    "import os, sys; from ringscope.rank import borrowed; "
    "code = borrowed.run(sys.argv[1]); os._exit({None: 99}.get(code, code))"
)
SECONDS = 30.0


@pytest.fixture
def standby() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process, and its name."""
    name = f"ringscope-test-{secrets.token_hex(8)}"
    environment = os.environ | {PLACEHOLDER_VARIABLE: "-" * len(TOKEN), "OF_THE_STANDBY": "1"}
    program = str(Path(__file__).with_name("standby_main.py"))
    process = subprocess.Popen([sys.executable, program, name], env=environment, start_new_session=True)
    yield process, name
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()


def rank(name: str, act: str, folder: Path, **more: Any) -> subprocess.Popen[str]:
    """A rank as Hydra starts it, once the standby process takes requests."""
    environment = {"PATH": os.environ["PATH"], "ACT": act, TOKEN_VARIABLE: TOKEN, **more.pop("environment", {})}
    deadline = time.monotonic() + SECONDS
    while f"@{name}" not in Path("/proc/net/unix").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    command = [sys.executable, "-c", RANK, name]
    return subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, **more)


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def test_a_fork_has_all_that_the_rank_has(standby: tuple[subprocess.Popen[bytes], str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"hello")
    with rank(
        standby[1], "end", tmp_path, environment={"PMI_FD": str(reading), "PMI_RANK": "2"}, pass_fds=[reading]
    ) as process:
        seen = told(process)
        assert process.wait(SECONDS) == 7
    os.close(reading)
    os.close(writing)
    assert seen["pid"] not in (process.pid, standby[0].pid)
    assert (seen["token"], seen["pmi"], seen["folder"]) == (TOKEN, "hello", str(tmp_path))
    assert seen["cores"] == sorted(os.sched_getaffinity(0))
    assert seen["environment"]["PMI_RANK"] == "2" and "OF_THE_STANDBY" not in seen["environment"]


def test_several_ranks_are_forked_beside_each_other(
    standby: tuple[subprocess.Popen[bytes], str], tmp_path: Path
) -> None:
    ranks = [rank(standby[1], "end", tmp_path) for _ in range(3)]
    assert len({told(process)["pid"] for process in ranks}) == 3
    for process in ranks:
        assert process.wait(SECONDS) == 7
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_fork_that_a_signal_ends_ends_its_rank_by_the_same_signal(
    standby: tuple[subprocess.Popen[bytes], str], tmp_path: Path, number: signal.Signals
) -> None:
    with rank(standby[1], "wait", tmp_path) as process:
        os.kill(told(process)["pid"], number)
        assert process.wait(SECONDS) == -number


@pytest.mark.parametrize("killed", ["rank", "standby"])
def test_a_fork_dies_with_its_rank_and_with_the_standby_process(
    standby: tuple[subprocess.Popen[bytes], str], tmp_path: Path, killed: str
) -> None:
    with rank(standby[1], "wait", tmp_path) as process:
        fork = psutil.Process(told(process)["pid"])
        (process if killed == "rank" else standby[0]).kill()
        assert process.wait(SECONDS) == -signal.SIGKILL
        standby[0].poll()
        psutil.wait_procs([fork], SECONDS)
        assert not fork.is_running()


def test_without_a_standby_process_the_rank_does_its_work_itself(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RANK, "ringscope-test-nobody"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 99
