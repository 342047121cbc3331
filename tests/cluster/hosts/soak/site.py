"""The site of a soak: a server that can be killed and restarted, and a lab of shaped hosts with an agent each."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from tests.cluster.lab import DEADLINE_SECONDS, eventually

from ringscope.cli.connection import token
from ringscope.client import Client, is_ready
from ringscope.lab.lab import Lab, WantedLab

SLOTS = 2
HOSTS = tuple(f"h{number}" for number in range(1, 7))
SMALL_DISK_HOST = HOSTS[-1]  # its agent keeps its things on a disk of its own, which can be filled
SMALL_DISK = "256m"
RATE_BIT_PER_S = 1_000_000_000


class Site:
    """Server and hosts on one data directory."""

    def __init__(self, data_dir: Path, port: int) -> None:
        self.data_dir = data_dir
        self.lab = Lab(data_dir)
        self.url = f"http://127.0.0.1:{port}"
        self.server: subprocess.Popen[bytes] | None = None

    def start_server(self) -> None:
        """Start it under the same URL as ever; it may not be ready yet."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
        command = [sys.executable, "-m", "ringscope_server", "--port", self.url.rpartition(":")[2]]
        with (self.data_dir / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [*command, "--requests-per-second", "0"],
                env=kept | {"RINGSCOPE_DATA_DIR": str(self.data_dir)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill_server(self) -> None:
        """Kill the server with SIGKILL and wait for its end."""
        assert self.server is not None
        self.server.kill()
        self.server.wait()
        self.server = None

    def client(self) -> Client:
        """A client with the administrator's token."""
        return Client(self.url, token(self.data_dir))

    def build(self) -> None:
        """Start the server, then the hosts; return once all are ready."""
        self.small_disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", self.small_disk], check=True)
        self.start_server()
        eventually(lambda: is_ready(self.url), "the server's readiness")
        self.lab.up(WantedLab(hosts=len(HOSTS), rate_bit_per_s=RATE_BIT_PER_S, slots=SLOTS, server=self.url))
        with self.client() as client:
            eventually(lambda: self.lacks(client) == [], "the hosts' readiness")

    @property
    def small_disk(self) -> Path:
        """The folder of the agent on the host with the small disk."""
        return self.data_dir / "lab" / SMALL_DISK_HOST

    def attempts_on_small_disk(self) -> set[int]:
        """The attempts whose records are spooled there now."""
        return {int(path.name) for path in (self.small_disk / "attempts").iterdir()}

    def lacks(self, client: Client) -> list[str]:
        """Hosts that are not ready for work, each with what the server says of it."""
        known = {node.name: node for node in client.nodes()}
        missing = [name for name in HOSTS if name not in known]
        return missing + [
            f"{name} is {known[name].observed}: {known[name].observed_reason}"
            for name in HOSTS
            if name in known and known[name].observed != "ready"
        ]

    def processes(self, host: str) -> list[psutil.Process]:
        """Living processes on a host."""
        found = []
        for pid in self.lab.processes(host):
            with suppress(psutil.Error):
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def agent(self, host: str) -> psutil.Process:
        """The host's agent. Raises psutil.NoSuchProcess when it has ended."""
        state = self.lab.state
        assert state is not None
        return psutil.Process(state.agents[host])


@contextmanager
def running_site(data_dir: Path, port: int) -> Iterator[Site]:
    """A site that is taken down at the end; RINGSCOPE_SOAK_KEEP names a directory that keeps what it wrote."""
    site = Site(data_dir, port)
    try:
        site.build()
        yield site
    finally:
        if keep := os.environ.get("RINGSCOPE_SOAK_KEEP"):
            shutil.copytree(data_dir, keep, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        site.lab.down()
        if site.small_disk.is_mount():
            subprocess.run(["umount", "--lazy", site.small_disk], check=True)
        if site.server is not None:
            site.server.terminate()
            site.server.wait(DEADLINE_SECONDS)
