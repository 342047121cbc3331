"""A server with two agents on this machine, each with an address of its own, and a script for their ranks."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from tests.cluster.lab import DEADLINE_SECONDS, Lab, eventually, program_name

from ringscope.client import is_ready
from ringscope.client.jobs import FINISHED_STATES, Job

NODES = {"n1": "127.0.0.1", "n2": "127.0.0.2"}
LINGER_SECONDS = 2.0
# What it has left to do once it was done is ended with it.
WORK = """
import atexit, sys, time
import numpy as np
import ringscope

comm = ringscope.init()
atexit.register(time.sleep, float(sys.argv[2]))
for step in range(int(sys.argv[1])):
    comm.all_reduce(np.ones(1024, np.float32))
    time.sleep(0.01)
print("all is done", flush=True)
"""


class TwoNodes(Lab):
    """Agents may be killed and stopped, and are mended after each test."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self.scripts = data_dir / "scripts"
        self.scripts.mkdir()
        (self.scripts / "work.py").write_text(WORK)
        self._agents: dict[str, subprocess.Popen[str]] = {}
        self.server = self.start("server", "--port", "0")

    def wait_until_ready(self) -> None:
        """Wait until both nodes can take work; restart an agent that has ended, and resume one that is stopped."""
        eventually(lambda: is_ready(self.url), "the server's readiness")
        self.restart_agents()
        with self.client() as client:

            def ready() -> bool:
                found = {node.name: node for node in client.nodes()}
                return set(NODES) <= set(found) and all(
                    node.observed == "ready" and node.heartbeat_age_seconds < 5 and not node.slots_busy
                    for node in found.values()
                )

            eventually(ready, "the readiness of both nodes, with all slots free")

    def restart_agents(self) -> None:
        """Start the agents that have ended, and resume those that are stopped."""
        for name, address in NODES.items():
            agent = self._agents.get(name)
            if agent is None or agent.poll() is not None:
                if agent is not None and agent.stdout is not None:
                    agent.stdout.close()
                agent = self._agents[name] = self._agent(name, address)
            psutil.Process(agent.pid).resume()

    def kill_agent(self, name: str) -> None:
        """Kill the node's agent with SIGKILL and wait for its end."""
        self._agents[name].kill()
        self._agents[name].wait()

    def knows_shim(self, name: str, pid: int) -> bool:
        """Return whether a node's agent has found the shim with this pid again."""
        return f"its shim (pid {pid}) is found again" in self.said(self._agents[name])

    def agent(self, name: str) -> psutil.Process:
        """A node's agent."""
        return psutil.Process(self._agents[name].pid)

    def submit(self, hosts: int, steps: int, linger_seconds: float = LINGER_SECONDS) -> int:
        """Submit a job of two ranks on ``hosts`` hosts that do ``steps`` steps each, and return its id."""
        script = {"file": "work.py", "arguments": [str(steps), str(linger_seconds)]}
        placement = {"ranks": 2, "nodes": hosts, "ranks_per_node": 2 // hosts}
        with self.client() as client:
            return client.submit(
                {"kind": "script", "script": script, "placement": placement, "max_attempts": 1, "hang_seconds": 60}
            ).id

    def ended(self, job_id: int) -> Job:
        """The job once it is over."""
        return self.wait_for_state(job_id, *FINISHED_STATES)

    def first_node(self, job_id: int) -> str:
        """The node that got the job's first rank."""
        return self._gang(job_id)[0]

    def last_node(self, job_id: int) -> str:
        """The node that got the job's last rank."""
        return self._gang(job_id)[-1]

    def _gang(self, job_id: int) -> list[str]:
        with self.client() as client:

            def look() -> list[str] | None:
                attempts = client.job(job_id).attempts
                return attempts[0].nodes if attempts else None

            return eventually(look, "an attempt", every_seconds=0.02)

    def lines(self, job_id: int) -> list[str]:
        """The job's log."""
        return [row["text"] for row in self.everything(job_id, "log")]

    def find(self, who: str, node: str, within_seconds: float = DEADLINE_SECONDS) -> psutil.Process:
        """The process of a node's part: agent, shim, mpiexec, hydra_pmi_proxy, or one of its ranks."""
        if who == "agent":
            return self.agent(node)

        def look() -> psutil.Process | None:
            home = str(self.home(node))
            for process in self.processes():
                with contextlib.suppress(psutil.Error):
                    if process.environ().get("RINGSCOPE_AGENT_HOME") == home and is_it(who, process):
                        return process
            return None

        return eventually(look, f"{who} of {node}", within_seconds, every_seconds=0.01)

    def home(self, node: str) -> Path:
        """The data directory of a node's agent."""
        return self.data_dir / node

    def left_over(self) -> list[str]:
        """Command lines of what runs beside the server and its helpers, the agents and their spare shims."""
        helpers = psutil.Process(self.server.pid).children(recursive=True)
        known = {self.server.pid, *(agent.pid for agent in self._agents.values()), *(one.pid for one in helpers)}
        found = []
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                command = process.cmdline()
                is_spare = command[-1:] == ["ringscope_agent.shim.process"] and not process.net_connections("unix")
                if process.pid not in known and not is_spare:
                    found.append(f"{process.pid} {' '.join(command)} ({process.status()})")
        return found

    def close(self) -> None:
        """End it all."""
        for process in [*self._agents.values(), self.server]:
            with contextlib.suppress(psutil.Error):
                psutil.Process(process.pid).resume()
            process.terminate()
        for process in [*self._agents.values(), self.server]:
            process.communicate(timeout=DEADLINE_SECONDS)

    def _agent(self, name: str, address: str) -> subprocess.Popen[str]:
        eventually(lambda: (self.data_dir / "join-token").exists(), "the server's tokens")
        return self.start(
            *("agent", "--server", self.url, "--name", name, "--address", address, "--slots", "2"),
            *("--metrics-port", "0", "--data-dir", str(self.home(name)), "--scripts", str(self.scripts)),
            *("--join-token-file", str(self.data_dir / "join-token")),
        )


def is_it(who: str, process: psutil.Process) -> bool:
    """Return whether the process is of the kind that ``who`` names."""
    name, command = program_name(process), process.cmdline()
    match who:
        case "shim":
            return command[-1:] == ["ringscope_agent.shim.process"] and bool(process.net_connections("unix"))
        case "spare shim":
            return command[-1:] == ["ringscope_agent.shim.process"]
        case "rank":
            return "python" in name and command[-1:] == ["ringscope.rank"]
    return name.startswith(who)


@contextmanager
def running_nodes() -> Iterator[TwoNodes]:
    """A server with two agents, ready for work; nothing of it is left afterwards."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        nodes = TwoNodes(Path(path))
        try:
            nodes.wait_until_ready()
            yield nodes
        finally:
            nodes.close()
        eventually(lambda: nodes.processes() == [], "the end of every process")
