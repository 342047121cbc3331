"""Ranks of this machine start here, whatever batch job this process runs in."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.rank.test_foreign import LEAKING, USERS_OWN
from tests.ranks import run_ranks

from ringscope.rank import mpiexec
from ringscope.rank.mpiexec import start_ranks

# The launchers that Hydra and Open MPI would take inside a job of each batch system.
LAUNCHERS = ("srun", "ssh", "rsh", "blaunch", "pbs_tmrsh", "pbsdsh", "qrsh", "llspawn", "aprun", "flux", "prun")
TELL = """
import json, os, sys
from pathlib import Path
from mpi4py.MPI import COMM_WORLD as comm
Path(sys.argv[1], f"rank{comm.rank}").write_text(json.dumps([comm.size, dict(os.environ)]))
"""
DEADLINE_SECONDS = 60


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A batch job's environment, with false launchers first on PATH, which note here that they were called."""
    noted = tmp_path / "calls"
    for name in LAUNCHERS:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho $0 $* >> {noted}\nexit 1\n")
        program.chmod(0o755)
    for name, value in LEAKING.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return noted


def test_ranks_start_here_and_see_nothing_of_a_batch_job(calls: Path, tmp_path: Path) -> None:
    own = {name: USERS_OWN[name] for name in ("MY_DATA", "HYDRA_FULL_ERROR")}
    done = run_ranks(2, [sys.executable, "-c", TELL, str(tmp_path)], own, DEADLINE_SECONDS)
    assert (done.returncode, done.stderr, calls.exists()) == (0, "", False)
    told = [json.loads((tmp_path / f"rank{rank}").read_text()) for rank in range(2)]
    assert [size for size, _ in told] == [2, 2]
    for _, environment in told:
        assert own.items() <= environment.items()
        leaked = {name for name, value in LEAKING.items() if environment.get(name) == value}
        assert leaked <= {"PMI_RANK", "PMI_SIZE", "PMI_FD", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}  # Hydra's own ones


def test_bench_measures_inside_a_batch_job(calls: Path) -> None:
    ringscope = str(Path(sys.executable).with_name("ringscope"))
    command = [ringscope, "bench", "--ranks", "2", "-b", "8", "-e", "8", "-n", "2"]
    # The command itself is Python, which would look for its library where PYTHONHOME says.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS, env=environment)
    assert (done.returncode, calls.exists()) == (0, False), done.stderr
    assert "float" in done.stdout


def test_another_mpiexec_gets_no_option_of_hydra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "mpiexec"
    other.write_text("#!/bin/sh\nprintf '%s\\n' \"$*\"\n")
    other.chmod(0o755)
    monkeypatch.setattr(mpiexec, "find_mpiexec", lambda: other)
    options = ["-print-all-exitcodes"]
    with start_ranks(3, ["program"], os.environ, options, stdout=subprocess.PIPE, text=True) as process:
        assert process.communicate()[0] == "-n 3 program\n"
