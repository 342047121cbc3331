"""A host of a lab: it runs an agent that shares only the links with the agents of the other hosts."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringscope.contracts.rank_process import THREADS_VARIABLE
from ringscope.lab import background
from ringscope.lab.network import DEVICE

# A host also needs its own name, its own shared memory and its own list of hosts, which gloo queries for its address.
# Mounts and names inside disappear with the last process inside.
_APART = ("unshare", "--mount", "--uts", "--ipc", "--")
_SETTLE = 'hostname "$1" && mount -t tmpfs tmpfs /dev/shm && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"'
# MPICH must not bypass the links: UCX would detect that all hosts are one machine.
_OVER_THE_LINKS = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": DEVICE}
_LOG_TAIL_BYTES = 2000


@dataclass(frozen=True, slots=True)
class Host:
    """A host's name and the folder of its agent."""

    name: str
    folder: Path

    @property
    def log(self) -> Path:
        """The log of its agent."""
        return self.folder / "agent.log"

    @property
    def last_words(self) -> str:
        """The last line that its agent printed."""
        try:
            tail = self.log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace")
        except OSError:
            return ""
        return tail.strip().rpartition("\n")[2]


def start_agent(
    host: Host, enter: Sequence[str], hosts_file: Path, flags: Sequence[str], variables: Mapping[str, str], threads: int
) -> int:
    """Start the host's agent in the background; return its process id.

    Args: enter: the command prefix that runs a program on the host's network. flags: flags of ``ringscope agent``.
    variables: the agent's, in addition to this process's own without Ringscope's. threads: compute threads of a rank,
    unless this process's own variables name a number.
    """
    host.folder.mkdir(parents=True, exist_ok=True)
    agent = [sys.executable, "-m", "ringscope_agent", *flags]
    command = [*enter, *_APART, "sh", "-c", _SETTLE, "host", host.name, str(hosts_file), *agent]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    inherited.setdefault(THREADS_VARIABLE, str(threads))
    # Each program of the command replaces itself with the next one, so this process id becomes the agent's.
    return background.start(command, host.log, inherited | _OVER_THE_LINKS | dict(variables))
