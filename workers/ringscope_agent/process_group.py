"""Every process of an attempt: found by the token in its environment, ended, and proven gone.

Hydra's clean-up is not enough (ranks of other nodes survive a dead mpiexec), and a rank may start processes that
leave its session. The token is inherited by all of them.
Linux only: /proc, prctl(2), pidfd_open(2).
"""

import asyncio
import contextlib
import ctypes
import os
import signal
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from ringscope.contracts.rank_process import TOKEN_VARIABLE

# Marks the processes of one agent by its data directory: several agents may share a machine, and even a gang.
HOME_VARIABLE = "RINGSCOPE_AGENT_HOME"
PROC = Path("/proc")
POLL_SECONDS = 0.02
KILL_SECONDS = 3.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Looked up before any fork: the child of a fork must not load libraries.
_prctl = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(frozen=True)
class Process:
    """A live process as /proc shows it."""

    pid: int
    parent_pid: int
    command: str


def become_subreaper() -> None:
    """Make orphaned descendants children of this process instead of init, so that it can reap them."""
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def dies_with(parent_pid: int) -> Callable[[], None]:
    """A ``preexec_fn`` that has the kernel kill the child when the thread that forked it ends.

    The signal belongs to the forking *thread*: spawn from the main thread only.
    """

    def arm() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent_pid:  # the parent died before the line above
            os._exit(1)

    return arm


def outlive_parent() -> None:
    """Take back what ``dies_with`` has armed."""
    _prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def environment_of(pid: int) -> dict[bytes, bytes]:
    """A process's environment as it was started; empty for a zombie or a process of someone else."""
    try:
        block = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    return dict(entry.split(b"=", 1) for entry in block.split(b"\0") if b"=" in entry)


def carriers(variable: str = TOKEN_VARIABLE) -> dict[int, str]:
    """Pid and value of every process that has ``variable`` in its environment."""
    key = variable.encode()
    found: dict[int, str] = {}
    for pid in _pids():
        value = environment_of(pid).get(key)
        if value is not None:
            found[pid] = value.decode("utf-8", "replace")
    return found


def processes_of(token: str, home: Path | None = None) -> list[Process]:
    """Processes that carry the token, and their live descendants (one may have cleared its environment).

    ``home``: only those of the agent with this data directory.
    """
    table = {process.pid: process for pid in _pids() if (process := _read(pid)) is not None}
    members = {pid for pid, value in carriers().items() if value == token}
    if home is not None:
        members &= {pid for pid, value in carriers(HOME_VARIABLE).items() if value == str(home)}
    grown = True
    while grown:
        children = {p.pid for p in table.values() if p.parent_pid in members} - members
        members |= children
        grown = bool(children)
    return [table[pid] for pid in sorted(members) if pid in table and pid != os.getpid()]


def state_of(pid: int) -> str:
    """The letter of a process's state in /proc/PID/stat; empty when there is none."""
    found = _parent_and_state(pid)
    return "" if found is None else found[1]


@dataclass(frozen=True)
class Times:
    """What the main thread of a process did so far: on a core, and ready to run but without one."""

    running_ns: int
    queued_ns: int


def times_of(pid: int) -> Times | None:
    """By the kernel's scheduler; None where there is no such process, or the kernel does not tell."""
    try:
        running, queued, _ = (PROC / str(pid) / "schedstat").read_text().split()
    except (OSError, ValueError):
        return None
    return Times(int(running), int(queued))


def children_of(pid: int) -> int:
    """How many live children a process has."""
    return sum(1 for child in _pids() if (process := _read(child)) is not None and process.parent_pid == pid)


def kill_now(token: str, home: Path, spare: Collection[int]) -> None:
    """SIGKILL to every process of the agent's share of an attempt but those to ``spare``, without waiting."""
    for process in processes_of(token, home):
        if process.pid not in spare:
            _send(process.pid, signal.SIGKILL)


async def end_processes(token: str, home: Path, grace_seconds: float) -> list[Process]:
    """SIGTERM, a grace, SIGKILL, then proof: two scans in a row that find nothing.

    Returns the processes that could not be ended; empty means proven gone.
    """
    if await _signal_until_gone(token, home, signal.SIGTERM, grace_seconds):
        return []
    if await _signal_until_gone(token, home, signal.SIGKILL, KILL_SECONDS):
        return []
    return processes_of(token, home)


async def _signal_until_gone(token: str, home: Path, number: signal.Signals, seconds: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    signalled: set[int] = set()
    empty_scans = 0
    while True:
        alive = processes_of(token, home)
        # One empty scan can miss a process that is between two exec calls.
        empty_scans = 0 if alive else empty_scans + 1
        if empty_scans == 2:
            return True
        if loop.time() >= deadline and alive:
            return False
        for process in alive:
            if process.pid not in signalled or number is signal.SIGKILL:
                _send(process.pid, number)
                if number is not signal.SIGKILL:
                    _send(process.pid, signal.SIGCONT)  # one that is stopped would only take it when it goes on
                signalled.add(process.pid)
        await asyncio.sleep(POLL_SECONDS)
        reap_orphans()


def _send(pid: int, number: signal.Signals) -> None:
    # The descriptor pins the process, so a pid that was reused meanwhile is not hit.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        descriptor = os.pidfd_open(pid)
        try:
            if _read(pid) is not None:
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


_managed: set[int] = set()


def manage(pid: int) -> None:
    """Keep ``reap_orphans`` away from a child that asyncio waits for itself."""
    _managed.add(pid)


def release(pid: int) -> None:
    """The child's exit code was collected."""
    _managed.discard(pid)


def reap_orphans() -> None:
    """Collect dead descendants that this subreaper inherited, so that no zombie stays."""
    own = os.getpid()
    for pid in _pids():
        if pid in _managed or _parent_and_state(pid) != (own, "Z"):
            continue
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208 - a scan, and it must be quick


def _parent_and_state(pid: int) -> tuple[int, str] | None:
    try:
        stat = (PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The name in parentheses may itself hold spaces and parentheses.
    state, parent = stat.rpartition(")")[2].split()[:2]
    return int(parent), state


def _read(pid: int) -> Process | None:
    found = _parent_and_state(pid)
    if found is None or found[1] in "ZX":
        return None
    try:
        command = (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return None
    return Process(pid, found[0], command.strip())
