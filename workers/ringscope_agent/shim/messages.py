"""The messages between an agent and the shims of its attempts: JSON lines on a Unix socket.

Both sides send their complete state, so a line may be repeated, and a later connection misses nothing. An empty line of
a shim means that the spool has grown or that it is alive, which the agent asks for by an empty line of its own.
"""

import asyncio
import socket
import struct
from pathlib import Path

from pydantic import BaseModel

from ringscope.contracts.protocol import Assignment, Proxy
from ringscope_agent.launch.outcome import Outcome
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.launch.stalls import Stall
from ringscope_agent.paths import AttemptPaths

# A shim prints this once its socket exists.
LISTENING = b"listening\n"
MAX_STATUS_BYTES = 16 << 20
# An assignment may carry a large table of measured times.
MAX_TASK_BYTES = 256 << 20
_PEER = struct.Struct("iII")


def peer_pid(writer: asyncio.StreamWriter) -> int:
    """Return the pid of the process at the other end of a Unix socket."""
    connection: socket.socket = writer.get_extra_info("socket")
    pid: int = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]
    return pid


class Task(BaseModel):
    """A shim's task: the first line on its standard input."""

    assignment: Assignment
    paths: AttemptPaths
    data_dir: Path
    programs: MpiPrograms
    rank_module: str
    fault: str | None
    # Environment variables of the ranks: their folders of checkpoints and scripts, and their threads.
    variables: dict[str, str] = {}
    away_seconds: float

    @property
    def node(self) -> str:
        """The name of this node."""
        return self.assignment.gang[self.assignment.member].node


class Wanted(BaseModel):
    """The state that a shim should reach. Each field only moves forward."""

    launch: bool = False
    proxy: Proxy | None = None
    # The agent is about to end the processes of the attempt, of which none has failed.
    ending: bool = False
    # Every process of the attempt has been ended: read what is left of their output, then end.
    close: bool = False


class Status(BaseModel):
    """A shim's progress. Each field only moves forward."""

    # It answers an empty line; a shim of an older version hangs up.
    answers: bool = False
    is_listening: bool = False
    proxies: list[Proxy] = []
    is_running: bool = False
    lost_ranks: list[int] = []
    stall: Stall | None = None
    # counts by the exporter's reasons
    dropped_records: dict[str, int] = {}
    outcome: Outcome | None = None
    # Every process that it kept has been ended, and it has looked after that.
    nothing_left: bool = False
