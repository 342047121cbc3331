"""A server and a lab of hosts on one data directory; what runs there, and what lies on their disks."""

import contextlib
import json
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from tests.cluster.lab import DEADLINE_SECONDS, Lab, eventually, free_port, program_name, ringscope

from ringscope.client import Job, is_ready
from ringscope.client.jobs import FINISHED_STATES
from ringscope.contracts.protocol import HEARTBEAT_SECONDS
from ringscope.contracts.record import Iterations
from ringscope.lab.lab import Lab as Hosts

HOSTS = 4
SLOTS = "2"
RATE = "200mbit"
RANKS = 3  # of a gang, one on each of its hosts: one host is left for a retry
MESSAGE_BYTES = 64 << 10
ITERATIONS = 5  # after so many steps a rank tells of them
ENDLESS = 10_000  # cycles
Steps = Counter[tuple[int, int, int]]  # how often each (attempt, rank, step) is there


@dataclass(frozen=True)
class Gang:
    """A running attempt and its hosts, in rank order."""

    job_id: int
    attempt_id: int
    hosts: list[str]


class Cluster(Lab):
    """A server that may be killed, and hosts that may be cut off.

    Args:
        port: of the server, also of the next one: the hosts know no other.
    """

    def __init__(self, data_dir: Path, port: int) -> None:
        super().__init__(data_dir)
        self.hosts = Hosts(data_dir)
        self._port = port
        self.server: subprocess.Popen[bytes] | None = None

    @property
    def names(self) -> list[str]:
        """The hosts."""
        return [host.name for host in self.hosts.hosts]

    def start_server(self) -> None:
        """Start it, for the first time or again, and wait until it serves."""
        with (self.data_dir / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                ringscope("server", "--port", str(self._port)),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        eventually(lambda: is_ready(f"http://127.0.0.1:{self._port}"), "the server's readiness")

    def wait_until_ready(self, names: Iterable[str] | None = None) -> None:
        """Wait until the hosts can take work; None means all hosts."""
        wanted = set(self.names if names is None else names)
        with self.client() as client:

            def ready() -> bool:
                fresh = [node for node in client.nodes() if node.heartbeat_age_seconds < HEARTBEAT_SECONDS]
                return wanted <= {node.name for node in fresh if node.observed == "ready"}

            eventually(ready, f"the readiness of {', '.join(sorted(wanted))}")

    def submit(self, ranks: int, cycles: int, max_attempts: int = 1, **sweep: object) -> int:
        """A job of one rank a host: two rows, and twice ITERATIONS steps, for each cycle; its number."""
        benchmark: dict[str, object] = {
            "algorithms": ["ring"],
            "min_bytes": MESSAGE_BYTES,
            "max_bytes": MESSAGE_BYTES,
            "warmup": 0,
            "iterations": ITERATIONS,
            "cycles": cycles,
        } | sweep
        placement = {"ranks": ranks, "ranks_per_node": 1}
        with self.client() as client:
            body = {"benchmark": benchmark, "placement": placement, "max_attempts": max_attempts}
            return client.submit(body).id

    def start_gang(self, cycles: int = ENDLESS, max_attempts: int = 1, ranks: int = RANKS, **sweep: object) -> "Gang":
        """A gang of as many hosts as ranks, who have all done steps."""
        job_id = self.submit(ranks, cycles, max_attempts, **sweep)
        self.wait_for_state(job_id, "running")
        attempt_id = self.attempts(job_id)[-1]["id"]
        counted = "SELECT COUNT(DISTINCT rank) AS ranks FROM steps WHERE attempt_id = ?"
        eventually(lambda: self.sql(counted, attempt_id)[0]["ranks"] == ranks, "a step of every rank")
        return Gang(job_id, attempt_id, [member["node"] for member in self.members(attempt_id)])

    def agent(self, host: str) -> psutil.Process:
        """A host's agent."""
        state = self.hosts.state
        assert state is not None
        return psutil.Process(state.agents[host])

    def heal(self, host: str) -> None:
        """A link as it was, and an agent if there is none: not as a child of these tests."""
        if self.hosts.is_alive(host):
            self.hosts.heal(host)
        else:
            done = self.run("lab", "heal", host)
            assert done.returncode == 0, done.stderr

    def mend(self) -> None:
        """Repair what a test broke and did not repair itself because it failed."""
        assert self.server is not None
        if self.server.poll() is not None:
            self.start_server()
        psutil.Process(self.server.pid).resume()
        for name in self.names:
            if self.hosts.is_alive(name):
                self.agent(name).resume()
            self.heal(name)
        with self.client() as client:
            for job in client.jobs(limit=None):
                if not job.is_finished:
                    client.cancel(job.id)
        self.wait_until_ready()

    def close(self) -> None:
        """End it all."""
        self.hosts.down()
        if self.server is not None:
            psutil.Process(self.server.pid).resume()
            self.server.terminate()
            self.server.wait(DEADLINE_SECONDS)

    def ended(self, job_id: int) -> Job:
        """The job once it is over."""
        return self.wait_for_state(job_id, *FINISHED_STATES)

    def wait_for_reason(self, job_id: int) -> None:
        """Wait until the job or its first attempt has a reason for its end."""
        with self.client() as client:

            def is_told() -> bool:
                job = client.job(job_id)
                return job.reason is not None or job.attempts[0].reason is not None

            eventually(is_told, "a reason")

    def attempts(self, job_id: int) -> list[dict[str, Any]]:
        """Rows of the job's attempts."""
        return self.sql("SELECT * FROM attempts WHERE job_id = ? ORDER BY number", job_id)

    def members(self, attempt_id: int) -> list[dict[str, Any]]:
        """Rows of an attempt's members, with their nodes' names."""
        query = "SELECT m.*, n.name AS node FROM members m JOIN nodes n ON n.id = m.node_id WHERE m.attempt_id = ?"
        return self.sql(f"{query} ORDER BY m.member", attempt_id)

    def sql(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Rows of the server's own file, whatever the API makes of them."""
        [path] = self.data_dir.glob("*.sqlite3")
        connected = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=DEADLINE_SECONDS)
        with contextlib.closing(connected) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query, values)]

    def programs(self, host: str, *words: str) -> list[psutil.Process]:
        """Living processes on a host whose command line has all the words."""
        found = []
        for pid in self.hosts.processes(host):
            try:
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE and all(word in process.cmdline() for word in words):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def program(self, host: str, name: str) -> psutil.Process:
        """The one program on a host that is named so: mpiexec, hydra_pmi_proxy, python3 (a rank)."""

        def look() -> psutil.Process | None:
            found = [process for process in self.programs(host) if program_name(process) == name]
            return found[0] if len(found) == 1 else None

        return eventually(look, f"{name} on {host}")

    def strangers(self, host: str) -> list[str]:
        """Command lines on a host that are neither its agent's nor its spare shim's."""
        agent, found = self.agent(host), []
        for process in self.programs(host):
            with contextlib.suppress(psutil.NoSuchProcess):
                command = process.cmdline()
                is_spare = command[-1:] == ["ringscope_agent.shim.process"] and process.ppid() == agent.pid
                if process != agent and not is_spare:
                    found.append(" ".join(command))
        return found

    def spooled(self, attempt_id: int) -> Steps:
        """The steps that lie in the hosts' spools."""
        steps: Steps = Counter()
        for host in self.hosts.hosts:
            path = host.folder / "attempts" / str(attempt_id) / "records.jsonl"
            if path.exists():
                steps.update(_steps(attempt_id, path.read_bytes().split(b"\n")[:-1]))
        return steps

    def stored(self, attempt_id: int) -> Steps:
        """The steps that lie in the server's file."""
        rows = self.sql("SELECT rank, step, COUNT(*) AS n FROM steps WHERE attempt_id = ? GROUP BY 1, 2", attempt_id)
        return Counter({(attempt_id, row["rank"], row["step"]): row["n"] for row in rows})


@contextmanager
def running_cluster(
    data_dir: Path, hosts: int = HOSTS, rate: str = RATE, slots: str = SLOTS, options: Sequence[str] = ()
) -> Iterator[Cluster]:
    """A server with its hosts, all ready, with more options of `lab up`; nothing of it is left afterwards."""
    cluster = Cluster(data_dir, free_port())
    try:
        cluster.start_server()
        up = cluster.run("lab", "up", "--hosts", str(hosts), "--rate", rate, "--slots", slots, *options)
        assert up.returncode == 0, up.stderr
        yield cluster
    finally:
        cluster.close()
    # The server's own helper process ends a moment after the server.
    eventually(lambda: cluster.processes() == [], "the end of every process", within_seconds=30)


def _steps(attempt_id: int, lines: list[bytes]) -> Iterator[tuple[int, int, int]]:
    for line in lines:
        record = json.loads(line)
        if record["type"] == "iterations":
            for place in range(len(Iterations.model_validate(record).duration_ns)):
                yield attempt_id, record["rank"], record["first_step"] + place
