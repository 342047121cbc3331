"""``python -m ringscope.rank.standby NAME``: a process that has loaded PyTorch, from which ranks are forked.

PyTorch takes seconds of a core to load, in each rank, and an elastic job would wait for that after each lost rank. So
while such a job runs, each node has this process for the next attempt. A rank that Hydra starts
(``ringscope.rank.borrowed``) hands over its environment and descriptors; a fork takes its place, and the rank waits for
its end and ends in the same way. If one of the two is killed, the other one dies as well.
"""

from __future__ import annotations

import array
import ctypes
import json
import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from ringscope.contracts.rank_process import PLACEHOLDER_VARIABLE, TOKEN_VARIABLE
from ringscope.rank.borrowed import FORKED, LENGTH, STATUS
from ringscope.rank.parent_death import end_with_parent

_PEER = struct.Struct("iII")
_REQUEST_SECONDS = 5.0
_MOST_FILES = 64
_ABOVE = 512  # descriptors are kept above this number while those of a rank take their places


def main() -> int:
    """Fork ranks until this process is ended; in each fork, be the rank and return its exit code."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(f"\0{sys.argv[1]}")
        # Ranks that come before PyTorch is loaded wait here, for less time than each would need to load it.
        listener.listen(socket.SOMAXCONN)
        _load()
        request, files = _serve(listener)
    _become(request, files)
    from ringscope.rank import program

    return program.main()


def _load() -> None:
    """Import what a training rank imports, but for MPI, which starts when it is imported. No thread may begin here."""
    import_module("ringscope.rank.program")
    torch = import_module("torch")
    import_module("ringscope.train.program")
    # The first optimizer of a process loads most of PyTorch's compiler.
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)


def _serve(listener: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Fork for each request and report the forks' ends; return only in a fork, with its request and descriptors."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                if (forked := _accept(listener, selector)) is not None:
                    _forget(selector)
                    return forked
            elif key.data.connection is key.fileobj:
                key.data.kill()
                selector.unregister(key.fileobj)
            else:
                selector.unregister(key.fileobj)
                with suppress(KeyError):
                    selector.unregister(key.data.connection)
                key.data.report()


def _forget(selector: selectors.BaseSelector) -> None:
    """Give up what belongs to other forks: an object that closed a descriptor later could close one of this rank's."""
    for key in list(selector.get_map().values()):
        if isinstance(key.fileobj, socket.socket) and key.data is not None:
            key.fileobj.detach()
    selector.close()


class _Fork:
    """A fork, and the connection to the rank whose place it has taken."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid, self.connection, self.descriptor = pid, connection, os.pidfd_open(pid)

    def kill(self) -> None:
        """Kill it, because the rank was killed."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)

    def report(self) -> None:
        """Report how it has ended."""
        _, status = os.waitpid(self.pid, 0)
        with self.connection, suppress(OSError):
            self.connection.sendall(STATUS.pack(status))
        os.close(self.descriptor)


def _accept(listener: socket.socket, selector: selectors.BaseSelector) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for the next request; return it in the fork, None in this process."""
    connection, _ = listener.accept()
    files: list[int] = []
    try:
        uid = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1]
        if uid != os.geteuid():  # any user of the machine can connect to the name
            raise PermissionError(f"user {uid} is not the agent's")
        connection.settimeout(_REQUEST_SECONDS)
        request, files = _read(connection)
        _carry(request["environment"].get(TOKEN_VARIABLE, ""))
        parent_pid = os.getpid()
        if (pid := os.fork()) == 0:
            end_with_parent()
            if os.getppid() != parent_pid:  # it died before the line above
                os._exit(1)
            connection.close()
            return request, files
        connection.sendall(FORKED)
        fork = _Fork(pid, connection)
        selector.register(fork.descriptor, selectors.EVENT_READ, fork)
        selector.register(connection, selectors.EVENT_READ, fork)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"a rank cannot be forked: {error}\n")
        connection.close()
    for descriptor in files:
        os.close(descriptor)
    return None


def _read(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a request and the descriptors that came with it."""
    files = array.array("i")
    head, ancillary, _, _ = connection.recvmsg(LENGTH.size, socket.CMSG_SPACE(_MOST_FILES * files.itemsize))
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
    (left,) = LENGTH.unpack(head)
    parts: list[bytes] = []
    while left:
        if not (part := connection.recv(left)):
            raise ConnectionError("the rank has hung up")
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts)), files.tolist()


def _carry(token: str) -> None:
    """Write the attempt's token over its placeholder, so that /proc shows it for this process and its forks."""
    entry = f"{TOKEN_VARIABLE}={token}".encode()
    room = f"{PLACEHOLDER_VARIABLE}={os.environ.get(PLACEHOLDER_VARIABLE, '')}".encode()
    if len(entry) != len(room):
        return
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    if value := getenv(PLACEHOLDER_VARIABLE.encode()):  # None if it was written before
        ctypes.memmove(value - len(PLACEHOLDER_VARIABLE) - 1, entry, len(entry))


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Take the rank's descriptors, environment, cores and folder."""
    import fcntl

    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _ABOVE) for descriptor in files]
    os.closerange(3, _ABOVE)
    for descriptor, number in zip(kept, request["files"], strict=True):
        os.dup2(descriptor, number, inheritable=True)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.sched_setaffinity(0, request["cores"])
    os.chdir(request["folder"])


if __name__ == "__main__":
    sys.exit(main())
