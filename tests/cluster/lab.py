"""Real processes for the cluster tests: `ringscope up`, or server and agent apart, on free ports."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import httpx
import psutil
from tests.cli.conftest import run_ringscope

from ringscope.cli.connection import served_url, token
from ringscope.client import Client, Job, is_ready
from ringscope.engine import positions

DEADLINE_SECONDS = 120.0
LAST_LINES = 50  # of each log, for who reads of a test that failed
SLOTS = 4
PORTS = range(10_000, 32_768)  # to choose from
T = TypeVar("T")


def eventually(
    look: Callable[[], T | None], what: str, within_seconds: float = DEADLINE_SECONDS, every_seconds: float = 0.1
) -> T:
    """Call ``look`` until it returns a true value, and return that value.

    Most looks send a request to a server that has other clients, so they are ``every_seconds`` apart.
    """
    deadline = time.monotonic() + within_seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(every_seconds)
    raise AssertionError(f"{what} did not happen within {within_seconds:g} s")


class Lab:
    """A data directory, and everything that runs on it."""

    def __init__(self, data_dir: Path, **variables: str) -> None:
        LABS.add(self)
        self.data_dir = data_dir
        self._logs: dict[int, Path] = {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
        # Other tests run beside this one, which would disturb every benchmark.
        usual = {"RINGSCOPE_DATA_DIR": str(data_dir), "RINGSCOPE_MOST_OTHER_LOAD_PERCENT": "1000000"}
        self.environment = kept | usual | variables

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a `ringscope` command; its standard error is a log of this lab."""
        return self.start_program(arguments[0], ringscope(*arguments))

    def start_program(self, name: str, command: Sequence[str]) -> subprocess.Popen[str]:
        """The same of any other command line."""
        folder = self.data_dir / "said"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{len(self._logs)}-{name}.log"
        with path.open("w") as log:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._logs[process.pid] = path
        return process

    def said(self, process: subprocess.Popen[str]) -> str:
        """Return what a started command has written to standard error so far."""
        return self._logs[process.pid].read_text()

    def last_words(self) -> Iterator[tuple[str, str]]:
        """The end of everything that was logged below the data directory: a title and lines each."""
        for path in sorted(self.data_dir.rglob("*.log")):
            with contextlib.suppress(OSError):
                lines = path.read_text(errors="replace").splitlines()[-LAST_LINES:]
                if lines:
                    yield f"the end of {path.relative_to(self.data_dir)}", "\n".join(lines)

    def run(self, *arguments: str, seconds: float = 2 * DEADLINE_SECONDS) -> subprocess.CompletedProcess[str]:
        """Run a `ringscope` command to its end, for at most ``seconds``."""
        return subprocess.run(
            ringscope(*arguments),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def run_copied(self, line: str) -> subprocess.CompletedProcess[str]:
        """A line that the page shows, in a shell that knows nothing of this lab."""
        named = {name: value for name, value in self.environment.items() if name != "RINGSCOPE_DATA_DIR"}
        return subprocess.run(
            ["sh", "-c", line],
            env=named,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * DEADLINE_SECONDS,
        )

    def run_here(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same in this process, for tests of what the command brings about: starting Python takes longer."""
        return run_ringscope(*arguments, environment=self.environment)

    @property
    def url(self) -> str:
        return eventually(lambda: served_url(self.data_dir), "server.json")

    def client(self) -> Client:
        return Client(self.url, token(self.data_dir))

    def wait_for_node(self) -> None:
        """Wait until a node can take work."""
        eventually(lambda: is_ready(self.url), "the server's readiness")
        with self.client() as client:
            eventually(lambda: any(node.observed == "ready" for node in client.nodes()), "the node's readiness")

    def job(self, job_id: int) -> Job:
        with self.client() as client:
            return client.job(job_id)

    def wait_for_state(self, job_id: int, *states: str) -> Job:
        """Wait until the job is in one of the states, and return it."""
        with self.client() as client:

            def look() -> Job | None:
                job = client.job(job_id)
                assert not job.is_finished or job.state in states, f"{job.state}: {job.reason} {job.message}"
                return job if job.state in states else None

            return eventually(look, f"job {job_id} in {' or '.join(states)}")

    def everything(self, job_id: int, what: str) -> list[dict[str, Any]]:
        """All rows of measurements, steps, log or events of a job, over all pages."""
        rows: list[dict[str, Any]] = []
        query: dict[str, str | int] = {"limit": 1000}
        headers = {"Authorization": f"Bearer {token(self.data_dir)}"}
        while True:
            answer = httpx.get(f"{self.url}/api/v1/jobs/{job_id}/{what}", params=query, headers=headers, timeout=60)
            page = answer.raise_for_status().json()
            rows += page["items"]
            if page["next"] is None:
                return rows
            query["cursor"] = page["next"]

    def processes(self, *words: str) -> list[psutil.Process]:
        """Living processes of this lab: the data directory stands in their command line or environment."""
        found = []
        for process in psutil.process_iter():
            try:
                command = " ".join(process.cmdline())
                traces = command + "".join(process.environ().values())
                is_alive = process.status() != psutil.STATUS_ZOMBIE
            except psutil.Error:
                continue
            if is_alive and str(self.data_dir) in traces and all(word in command for word in words):
                found.append(process)
        return found

    def ranks(self) -> list[psutil.Process]:
        return self.processes("ringscope.rank")

    def yield_to_others(self, niceness: int = 19) -> None:
        """Let the ranks that run take little more than what others leave of the cores: they are there to be seen."""
        for rank in self.ranks():
            with contextlib.suppress(psutil.NoSuchProcess):
                rank.nice(niceness)

    def start_endless_job(self, ranks: int, **more: Any) -> tuple[int, list[psutil.Process]]:
        """A job that runs until it is ended, with more fields of its own, and its rank processes."""
        sweep = {"algorithms": ["ring"], "min_bytes": 1 << 20, "max_bytes": 1 << 20, "iterations": 1_000_000}
        with self.client() as client:
            job_id = client.submit({"benchmark": sweep, "placement": {"ranks": ranks}} | more).id
        self.wait_for_state(job_id, "running")
        return job_id, self._rank_programs(ranks)

    def _rank_programs(self, count: int) -> list[psutil.Process]:
        # mpiexec and its proxy name the module as well, but run no Python

        def look() -> list[psutil.Process] | None:
            ranks = [process for process in self.ranks() if "python" in program_name(process)]
            return ranks if len(ranks) == count else None

        return eventually(look, f"{count} ranks")


LABS: WeakSet[Lab] = WeakSet()  # those that may have something to say of a test that failed


def program_name(process: psutil.Process) -> str:
    """Return the name of the process's program without its folder; empty once the process has ended."""
    try:
        command = process.cmdline()
    except psutil.NoSuchProcess:
        return ""
    return Path(command[0]).name if command else ""


def kill_in_a_call(rank: psutil.Process) -> None:
    """Kill a rank program while it executes a schedule, and not between two calls."""

    def stopped_in_a_call() -> bool:
        maps = [mapped.path for mapped in rank.memory_maps() if Path(mapped.path).name == "positions"]
        rank.suspend()
        if maps and int(rank.environ()["PMI_RANK"]) in positions.steps(Path(maps[0])):
            return True
        rank.resume()
        return False

    eventually(stopped_in_a_call, "a call of a schedule", every_seconds=0.02)
    rank.kill()


def free_port() -> int:
    """A port that was free a moment ago: a server that is started again must come back under its URL.

    Below those that the system gives out itself, so that no connection and no listener on port 0 takes it meanwhile.
    """
    while True:
        port = secrets.choice(PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def ringscope(*arguments: str) -> list[str]:
    """The command line of a `ringscope` command."""
    return [sys.executable, "-c", "from ringscope.cli.main import main; main()", *arguments]


def agent_apart(lab: Lab, *more: str) -> subprocess.Popen[str]:
    """An agent apart from its server."""
    data_dir = str(lab.data_dir / "agent")
    join = more or ("--join-token-file", str(lab.data_dir / "join-token"))
    eventually(lambda: (lab.data_dir / "join-token").exists(), "the server's tokens")
    flags = ("--server", lab.url, "--name", "apart", "--slots", str(SLOTS), "--metrics-port", "0")
    return lab.start("agent", *flags, "--data-dir", data_dir, *join)


@contextmanager
def running(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """Ends the process, at the latest, when the context is left."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE_SECONDS)


@contextmanager
def running_lab(data_dir: Path, *options: str, **variables: str) -> Iterator[tuple[Lab, subprocess.Popen[str]]]:
    """`ringscope up` on the directory, ready for work; nothing of it is left afterwards."""
    lab = Lab(data_dir, **variables)
    with running(lab.start("up", "--port", "0", "--metrics-port", "0", "--slots", str(SLOTS), *options)) as up:
        lab.wait_for_node()
        yield lab, up
    # The end of a process that died with its parent may be seen a moment later than the parent's.
    eventually(lambda: not lab.processes(), "the end of every process of the lab")
