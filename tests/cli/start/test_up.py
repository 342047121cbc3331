"""`ringscope up` refuses bad settings before it starts anything, and watches the processes that it starts."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.conftest import Server, assert_refused, clean_environment, run_process, run_ringscope
from tests.cli.fake_api import FakeApi, items
from tests.cli.nodes.test_nodes import node

from ringscope.cli.processes.children import Child, ChildDiedError, Children
from ringscope.cli.processes.prometheus import write_configuration
from ringscope.cli.processes.stack import wait_for_node
from ringscope.client import Client
from ringscope.contracts.errors import UserError

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.long  # tests/server/start/test_start.py has the sentence; two tests below, that `up` prints it
def test_a_port_in_use_is_one_line(tmp_path: Path, used_port: int) -> None:
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path))
    assert_refused(run_process("up", "--port", str(used_port), environment=environment), f":{used_port}", "--port")


@pytest.mark.parametrize(
    ("run", "role"),
    # What the server says of it in its own process: tests/server/start/test_start.py.
    [(run_ringscope, "up"), pytest.param(run_process, "server", marks=pytest.mark.long)],
)
def test_a_data_dir_that_cannot_be_made_is_one_line(tmp_path: Path, run: Run, role: str) -> None:
    (tmp_path / "file").write_text("")
    data_dir = tmp_path / "file" / "data"
    done = run(role, "--port", "0", "--data-dir", str(data_dir), environment=clean_environment())
    assert_refused(done, f"{tmp_path}/file/data", "cannot be written", "--data-dir")


def test_a_data_dir_that_is_made_is_for_nobody_else(tmp_path: Path) -> None:
    with Children(tmp_path / "data" / "logs") as children:
        children.run("true", ("true",))
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_second_server_on_the_data_dir_is_one_line(server: Server) -> None:
    assert_refused(server.run("up", "--port", "0"), str(server.data_dir), "Another server")
    assert server.run("jobs").returncode == 0  # and the first one goes on


def test_up_without_mpi_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    for command in ("up", "demo"):
        environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path / "data"))
        done = run_ringscope(command, "--port", "0", environment=environment)
        assert_refused(done, "MPI is missing (mpi4py was not found)")
    assert not (tmp_path / "data").exists()


def test_a_missing_prometheus_is_one_line_and_starts_nothing(tmp_path: Path) -> None:
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path / "data"), PATH=str(tmp_path))
    done = run_ringscope("up", "--port", "0", "--prometheus", environment=environment)
    assert_refused(done, "Prometheus was not found", "install it")
    assert not (tmp_path / "data").exists()


def test_a_port_that_prometheus_cannot_have_is_one_line(tmp_path: Path, used_port: int) -> None:
    program = tmp_path / "prometheus"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path / "data"), PATH=path)
    words = ("up", "--port", "0", "--prometheus", "--prometheus-port", str(used_port))
    assert_refused(run_ringscope(*words, environment=environment), f":{used_port}", "--prometheus-port")
    assert not (tmp_path / "data").exists()


def test_prometheus_calls_the_cluster_as_the_server_does(tmp_path: Path) -> None:
    config = write_configuration("127.0.0.1:9", "http://127.0.0.1:7", tmp_path, 'the "big" one')
    [server] = [job for job in yaml.safe_load(config.read_text())["scrape_configs"] if "server" in job["job_name"]]
    assert server["static_configs"] == [{"targets": ["127.0.0.1:7"], "labels": {"cluster": 'the "big" one'}}]


def test_prometheus_gets_the_shipped_files_with_two_other_addresses(tmp_path: Path) -> None:
    (tmp_path / "admin-token").write_text("secret\n")
    folder = tmp_path / "prometheus"
    for _ in range(2):  # the second time over what the first one left
        config = write_configuration("127.0.0.1:9", "http://127.0.0.1:7", folder)
    shipped = Path(__file__).parents[3] / "deploy" / "prometheus"
    expected = (shipped / "prometheus.yml").read_text().replace("127.0.0.1:8000", "127.0.0.1:7")
    assert config.read_text() == expected.replace("127.0.0.1:9090", "127.0.0.1:9")
    assert "127.0.0.1:7" in config.read_text() and '127.0.0.1:9"' in config.read_text()
    assert (folder / "admin-token").read_text() == "secret\n"
    rules = sorted((shipped / "rules").glob("*.yml"))
    assert [(folder / "rules" / path.name).read_text() for path in rules] == [path.read_text() for path in rules]


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


def test_what_the_server_warns_of_at_its_start_is_said_again(tmp_path: Path) -> None:
    lines = ("2026-01-01 12:00:00,000 INFO a.b: quiet", "2026-01-01 12:00:00,000 WARNING a.b: Tokens: new.")
    with Children(tmp_path) as children:
        child = children.run("server", ("printf", r"%s\n", *lines))
        with pytest.raises(ChildDiedError):
            children.watch()
    assert child.warnings == ["Tokens: new."]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ""),
        (
            {"observed": "degraded", "observed_reason": "It has 2 of 4 slots; resume the node to take it as it is."},
            "Node n1 is degraded: It has 2 of 4 slots; resume the node to take it as it is.\n",
        ),
        (
            {"desired": "drain", "desired_reason": "new DIMM", "slots_busy": 0},
            "Node n1 is ready, drained: new DIMM.\n",
        ),
    ],
)
def test_what_keeps_the_node_from_work_is_said_and_not_waited_for(
    api: FakeApi, tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: dict[str, Any], said: str
) -> None:
    long_ago = node(heartbeat_age_seconds=3600.0)
    api.answers["GET /nodes"] = [items(), items(long_ago), items(node(heartbeat_age_seconds=0.0) | fields)]
    with Children(tmp_path) as children, Client(api.url, "secret") as client:
        wait_for_node(children, client, children.run("agent", ("sleep", "60")), "n1")
    assert capsys.readouterr().err == said


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


@pytest.mark.parametrize("end", ["exit", "wait"])
def test_what_a_role_leaves_behind_ends_before_up_does(tmp_path: Path, end: str) -> None:
    left, told = tmp_path / "left", tmp_path / "told"
    os.mkfifo(told)
    with pytest.raises(ChildDiedError) if end == "exit" else nullcontext(), Children(tmp_path / "logs") as children:
        children.run("server", ("sh", "-c", f"sleep 600 & echo $! > {left}; echo > {told}; {end}"))
        told.read_text()  # it has begun
        pid = int(left.read_text())
        assert _runs(pid) or end == "exit"
        if end == "exit":
            children.watch()
    assert not _runs(pid)


def _is_alive(child: Child) -> bool:
    return _runs(child.pid)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
