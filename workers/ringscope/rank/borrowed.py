"""A rank whose work a fork of the standby process does (``ringscope.rank.standby``); it waits and imports little."""

from __future__ import annotations

import array
import contextlib
import json
import os
import resource
import signal
import socket
import struct

FORKED = b"F"
LENGTH = struct.Struct("!I")
STATUS = struct.Struct("!i")
_PMI = "PMI_FD"  # the number of the descriptor through which Hydra's proxy talks to this rank


def run(name: str) -> int | None:
    """Let a fork of the standby process be this rank and return its exit code; None if there is no such process.

    A fork that is killed by a signal ends this process by the same one.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(f"\0{name}")
        files = _hand_over(connection)
        if connection.recv(1) != FORKED:
            return None
        for descriptor in files:
            os.close(descriptor)  # the fork's end is to close them
        return _wait(connection)
    return None


def _hand_over(connection: socket.socket) -> list[int]:
    """Send the environment and the descriptors, which are returned."""
    files = [0, 1, 2, *([int(os.environ[_PMI])] if _PMI in os.environ else [])]
    request = {
        "environment": dict(os.environ),
        "files": files,
        "cores": sorted(os.sched_getaffinity(0)),
        "folder": os.getcwd(),  # noqa: PTH109 - this process imports as little as it can
    }
    content = json.dumps(request).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
    connection.sendmsg([LENGTH.pack(len(content))], rights)
    connection.sendall(content)
    return files


def _wait(connection: socket.socket) -> int:
    content = b""
    with contextlib.suppress(OSError):
        content = connection.recv(STATUS.size, socket.MSG_WAITALL)
    # Without an answer the standby process was killed, and its forks with it.
    status = STATUS.unpack(content)[0] if len(content) == STATUS.size else int(signal.SIGKILL)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the fork has left one
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
