"""What `ringscope up` refuses before anything runs, and how it watches its children."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Server, assert_refused, clean_environment, run_ringscope

from ringscope.cli.children import Child, ChildDiedError, Children
from ringscope.errors import UserError


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_port_in_use_is_one_line(tmp_path: Path, used_port: int) -> None:
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path))
    assert_refused(run_ringscope("up", "--port", str(used_port), environment=environment), f":{used_port}", "--port")


def test_a_data_dir_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path / "file" / "data"))
    for role in ("up", "server"):
        done = run_ringscope(role, "--port", "0", environment=environment)
        assert_refused(done, f"{tmp_path}/file/data", "cannot be written", "--data-dir")


def test_a_second_server_on_the_data_dir_is_one_line(server: Server) -> None:
    assert_refused(server.run("up", "--port", "0"), str(server.data_dir), "Another server")
    assert_refused(server.run("server", "--port", "0"), str(server.data_dir), "Another server")
    assert server.run("jobs").returncode == 0  # and the first one goes on


def test_up_without_mpi_starts_nothing(tmp_path: Path) -> None:
    without_mpi = "import sys; sys.modules['mpi4py'] = None; from ringscope.cli.main import main; main()"
    for command in ("up", "demo"):
        done = subprocess.run(
            [sys.executable, "-c", without_mpi, command, "--port", "0"],
            env=clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path / "data")),
            capture_output=True,
            text=True,
        )
        assert_refused(done, "MPI is missing (mpi4py was not found)")
    assert not (tmp_path / "data").exists()


@pytest.fixture
def crashing_role(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module ringscope_crash that children can run."""
    (tmp_path / "ringscope_crash.py").write_text(
        "import os, signal, sys\n"
        "if sys.argv[1] == 'kill':\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "if sys.argv[1] == 'wait':\n    signal.pause()\n"
        "print('crash: the value is bad; give another.', file=sys.stderr)\n"
        "sys.exit(int(sys.argv[1]))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "logs"


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ("2", UserError, "crash: the value is bad; give another."),
        ("7", ChildDiedError, "The crash ended with exit code 7"),
        ("kill", ChildDiedError, "The crash ended with signal SIGKILL"),
    ],
)
def test_the_death_of_a_child_is_told_and_ends_the_other(
    crashing_role: Path, how: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words), Children(crashing_role) as children:
        other = children.start("crash", ("wait",))
        children.start("crash", (how,))
        children.watch()
    assert other.exit_code == -signal.SIGTERM
    assert not _is_alive(other)


def _is_alive(child: Child) -> bool:
    try:
        os.kill(child.pid, 0)
    except ProcessLookupError:
        return False
    return True
