"""A real Slurm of two nodes on this machine: munged, slurmctld and two slurmd on free ports, in a folder of its own."""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.cluster.lab import eventually, free_port

CPUS = 2  # of each node, whatever this machine has
END_SECONDS = 20.0
PATH = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=30
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.2 Port={ports[2]} CPUs={cpus}
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """A running Slurm, for commands that find it by SLURM_CONF."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands and return what it prints."""
        environment = os.environ | self.environment
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def state(self, job_id: str) -> str:
        """State of a batch job: RUNNING, COMPLETED …"""
        facts = dict(word.partition("=")[::2] for word in self.run("scontrol", "show", "job", job_id).split())
        return facts["JobState"]

    def cancel_all(self) -> None:
        """No batch job of a test that failed may outlive its Slurm."""
        self.run("scancel", "--user", getpass.getuser())
        self.wait_for_idle_nodes()

    def wait_for_idle_nodes(self) -> None:
        """Wait until nothing of any batch job is left."""
        idle = ["idle", "idle"]
        eventually(lambda: self.run("sinfo", "--noheader", "--Node", "--format=%t").split() == idle, "two idle nodes")


def missing() -> str | None:
    """Why there can be no Slurm here."""
    lacking = [
        program for program in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(program, path=PATH)
    ]
    return f"{' and '.join(lacking)} is missing (on Debian: sudo scripts/system-packages)" if lacking else None


@contextmanager
def running_slurm(folder: Path, more: str = "") -> Iterator[Slurm]:
    """Slurm in this folder, whose path must be short; nothing of it runs afterwards.

    ``more`` are further lines of its configuration.
    """
    _configure(folder, more)
    slurm = Slurm(folder)
    with ExitStack() as stack:
        munge = {name: str(folder / f"munge.{name}") for name in ("socket", "key", "pid", "seed", "log")}
        flags = ("--socket", munge["socket"], "--key-file", munge["key"], "--pid-file", munge["pid"])
        more = ("--seed-file", munge["seed"], "--log-file", munge["log"])
        stack.enter_context(_daemon(slurm, "munged", "--force", "--foreground", *flags, *more))
        eventually(lambda: (folder / "munge.socket").exists(), "munged's socket")
        stack.enter_context(_daemon(slurm, "slurmctld", "-D"))
        for node in ("n1", "n2"):
            stack.enter_context(_daemon(slurm, "slurmd", "-D", "-N", node))
        slurm.wait_for_idle_nodes()
        stack.callback(slurm.cancel_all)
        yield slurm


def _configure(folder: Path, more: str) -> None:
    (folder / "state").mkdir()
    values = {"folder": folder, "host": socket.gethostname().partition(".")[0], "user": getpass.getuser(), "cpus": CPUS}
    (folder / "slurm.conf").write_text(CONFIGURATION.format(ports=_free_ports(3), **values) + more)
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))


def _free_ports(count: int) -> list[int]:
    ports: set[int] = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


@contextmanager
def _daemon(slurm: Slurm, *command: str) -> Iterator[None]:
    """Run a daemon in the foreground, so that it is a child of this process and is ended by its pid."""
    name = "-".join(command[:1] + command[3:4]) if command[0] == "slurmd" else command[0]
    with (slurm.folder / f"{name}.out").open("wb") as output:
        process = subprocess.Popen(
            command, env=os.environ | slurm.environment | {"PATH": PATH}, stdout=output, stderr=output
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
