"""A real server process without agents: one node is registered by hand and never runs anything."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import httpx
import pytest
from tests.cli.fake_api import FakeApi, serving

from ringscope.cli.main import main
from ringscope.contracts.inventory import Inventory
from ringscope.contracts.protocol import Registration

SLOTS = 4
DEADLINE_SECONDS = 60


T = TypeVar("T")


def eventually(look: Callable[[], T | None], what: str) -> T:
    """Call ``look`` until it returns a true value, and return that value."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {DEADLINE_SECONDS} s")


def clean_environment(**variables: str) -> dict[str, str]:
    """Return this environment without the caller's RINGSCOPE_* settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    return kept | variables


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a real server have a second chance, as those of the tiers with processes have."""
    for item in items:
        if Path(__file__).parent in item.path.parents and "server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=2))


@dataclass(frozen=True)
class Server:
    """A server process and the directory it serves."""

    url: str
    data_dir: Path

    @property
    def admin_token(self) -> str:
        return (self.data_dir / "admin-token").read_text().strip()

    def run(self, *arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one `ringscope` command to its end."""
        environment = clean_environment(RINGSCOPE_DATA_DIR=str(self.data_dir)) | variables
        return run_ringscope(*arguments, environment=environment, stdin=stdin)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one `ringscope` command that continues to run."""
        return subprocess.Popen(
            ringscope_command(*arguments),
            env=clean_environment(RINGSCOPE_DATA_DIR=str(self.data_dir)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def ringscope_command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from ringscope.cli.main import main; main()", *arguments]


def run_ringscope(*arguments: str, environment: dict[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one command in this process to its end: starting Python takes longer than most of them."""
    said, told = StringIO(), StringIO()
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "argv", ["ringscope", *arguments]),
        patch.object(sys, "stdin", StringIO(stdin)),
        redirect_stdout(said),
        redirect_stderr(told),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return subprocess.CompletedProcess(["ringscope", *arguments], code, said.getvalue(), told.getvalue())


def run_process(*arguments: str, environment: dict[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one command in a process of its own, as commands need that start others."""
    return subprocess.run(
        ringscope_command(*arguments),
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )


def assert_refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Exit code 2, nothing on stdout, one line on stderr that holds the words; a busy machine may be waited for."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("Waiting for "))
    for word in words:
        assert word in line


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data_dir = tmp_path_factory.mktemp("server")
    process = subprocess.Popen(
        [sys.executable, "-m", "ringscope_server", "--data-dir", str(data_dir), "--port", "0"],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
    )
    try:
        facts = data_dir / "server.json"
        eventually(lambda: facts.exists() and facts.read_text().endswith("\n"), "server.json")
        url = json.loads(facts.read_text())["url"]
        eventually(lambda: _is_ready(url), "the server's readiness")
        _register_node(url, (data_dir / "join-token").read_text().strip())
        yield Server(url, data_dir)
    finally:
        process.terminate()
        process.wait(DEADLINE_SECONDS)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _register_node(url: str, join_token: str) -> None:
    registration = Registration(
        name="paper",
        address="127.0.0.1",
        slots=SLOTS,
        metrics_address="127.0.0.1:1",
        inventory=Inventory(hostname="paper", os="Linux", cpu_model="none", cores=SLOTS, memory_bytes=1 << 30),
        versions={},
    )
    with httpx.Client(base_url=f"{url}/api/v1/agents") as agent:
        joined = agent.post("/join", json={"name": "paper"}, headers={"Authorization": f"Bearer {join_token}"})
        headers = {"Authorization": f"Bearer {joined.raise_for_status().json()['token']}"}
        agent.post("/register", json=registration.model_dump(mode="json"), headers=headers).raise_for_status()


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[FakeApi]:
    with serving(monkeypatch, capsys) as fake:
        yield fake
