"""Processes as /proc shows them, and how they are ended: all processes of an attempt, until none is left.

``ringscope_agent.belonging`` decides which processes belong to an attempt. Linux only: /proc, prctl(2), pidfd_open(2).
"""

import asyncio
import contextlib
import ctypes
import os
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope.contracts.words.units import is_whole_number
from ringscope_agent import freezer

# Marks the processes of one agent by its data directory, because several agents may share a machine, and even a gang.
HOME_VARIABLE = "RINGSCOPE_AGENT_HOME"
PROC = Path("/proc")
POLL_SECONDS = 0.02
KILL_SECONDS = 3.0
FROZEN = "F"  # the state of a process whose control group is frozen, for which /proc has no letter
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Looked up before any fork: the child of a fork must not load libraries.
_prctl = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(frozen=True)
class Process:
    """A live process as /proc shows it.

    Args:
        command: its command line; empty where it was not read.
        started: when it started, in the kernel's ticks since boot: with it a process is told from one that has come by
            its number since.
    """

    pid: int
    parent_pid: int
    command: str = ""
    started: int = 0


def become_subreaper() -> None:
    """Make orphaned descendants children of this process instead of init, so that it can reap them."""
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def dies_with(parent_pid: int) -> Callable[[], None]:
    """Return a ``preexec_fn`` that makes the kernel kill the child when the thread that forked it ends.

    The signal belongs to the forking *thread*: spawn from the main thread only.
    """

    def arm() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent_pid:  # the parent died before the line above
            os._exit(1)

    return arm


def outlive_parent() -> None:
    """Disarm ``dies_with``."""
    _prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def environment_of(pid: int) -> dict[bytes, bytes]:
    """Return a process's environment as of its start; empty for a zombie or another user's process."""
    try:
        block = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    return dict(entry.split(b"=", 1) for entry in block.split(b"\0") if b"=" in entry)


def carriers(variable: str = TOKEN_VARIABLE) -> dict[int, str]:
    """Return pid and value of every process that has ``variable`` in its environment."""
    key = variable.encode()
    found: dict[int, str] = {}
    for pid in _pids():
        value = environment_of(pid).get(key)
        if value is not None:
            found[pid] = value.decode("utf-8", "replace")
    return found


def table() -> dict[int, Process]:
    """Return every live process by its pid, without command lines."""
    return {pid: process for pid in _pids() if (process := read(pid)) is not None}


def with_descendants(table: Mapping[int, Process], roots: Collection[int]) -> set[int]:
    """Return the processes of ``roots`` that are in the table, and all their descendants in it."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent_pid, []).append(process.pid)
    found: set[int] = set()
    waiting = [pid for pid in roots if pid in table]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def with_commands(table: Mapping[int, Process], pids: Collection[int]) -> list[Process]:
    """Return these processes in the order of their pids, with their command lines."""
    return [replace(table[pid], command=_command_of(pid)) for pid in sorted(pids) if pid in table]


def processes_of(token: str, home: Path | None = None) -> list[Process]:
    """Return the processes that carry the token, and their live descendants (one may have cleared its environment).

    With ``home``, return only those of the agent with this data directory.
    """
    return with_commands(found := table(), with_descendants(found, carriers_of(token, home)) - {os.getpid()})


def carriers_of(token: str, home: Path | None = None) -> set[int]:
    """Return the pids of the processes that carry the token in their own environment; for ``home`` see
    ``processes_of``.
    """
    pids = {pid for pid, value in carriers().items() if value == token}
    if home is None:
        return pids
    return {pid for pid in pids if environment_of(pid).get(HOME_VARIABLE.encode()) == os.fsencode(home)}


def state_of(pid: int) -> str:
    """Return the letter of a process's state in /proc/PID/stat; empty if there is none."""
    fields = _fields_of(pid)
    return fields[0] if fields else ""


def standstill_of(pid: int) -> str:
    """Return the state like ``state_of``, but F for a frozen control group, for which /proc shows S or D."""
    state = state_of(pid)
    return FROZEN if state in ("S", "D") and freezer.is_frozen(pid) else state


@dataclass(frozen=True)
class Times:
    """The times of a process's main thread so far: on a core, and ready to run but without one."""

    running_ns: int
    queued_ns: int


def times_of(pid: int) -> Times | None:
    """Return the kernel scheduler's times; None if there is no such process or the kernel does not report them."""
    try:
        running, queued, _ = (PROC / str(pid) / "schedstat").read_text().split()
    except (OSError, ValueError):
        return None
    return Times(int(running), int(queued))


def children_of(pid: int) -> list[int]:
    """Return the pids of a process's live children."""
    return [child for child in _pids() if (process := read(child)) is not None and process.parent_pid == pid]


def kill_now(processes: Collection[Process]) -> None:
    """Send SIGKILL to each of them, without waiting."""
    for process in processes:
        _send(process, signal.SIGKILL)


async def end_processes(find: Callable[[], list[Process]], grace_seconds: float) -> list[Process]:
    """Send SIGTERM, wait, send SIGKILL, then prove the end: two searches in a row find nothing.

    Args:
        find: returns the processes to end that are alive now.

    Return the processes that could not be ended; empty means that all are proven gone.
    """
    if await _signal_until_gone(find, signal.SIGTERM, grace_seconds):
        return []
    if await _signal_until_gone(find, signal.SIGKILL, KILL_SECONDS):
        return []
    return find()


async def _signal_until_gone(find: Callable[[], list[Process]], number: signal.Signals, seconds: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    signalled: set[int] = set()
    empty_looks = 0
    while True:
        alive = find()
        # One empty look can miss a process that is between two exec calls, or that forks while /proc is read.
        empty_looks = 0 if alive or _starting else empty_looks + 1
        if empty_looks == 2:
            return True
        if loop.time() >= deadline and alive:
            return False
        for process in alive:
            if process.pid not in signalled or number is signal.SIGKILL:
                _send(process, number)
                if number is not signal.SIGKILL:
                    _send(process, signal.SIGCONT)  # a stopped process would receive it only once it is resumed
                signalled.add(process.pid)
        await asyncio.sleep(POLL_SECONDS)
        reap_orphans()


def _send(process: Process, number: signal.Signals) -> None:
    # The descriptor pins the process, so a pid that was reused meanwhile is not hit.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        descriptor = os.pidfd_open(process.pid)
        try:
            if (found := read(process.pid)) is not None and found.started == process.started:
                signal.pidfd_send_signal(descriptor, number)
                freezer.let_go(process.pid)
        finally:
            os.close(descriptor)


_managed: set[int] = set()
_starting = 0


def manage(pid: int) -> None:
    """Mark a child whose exit code asyncio collects, to distinguish it from orphans that this process inherits."""
    _managed.add(pid)


def release(pid: int) -> None:
    """Unmark a child whose exit code was collected."""
    _managed.discard(pid)


@contextmanager
def starting() -> Iterator[None]:
    """Treat no child as an orphan meanwhile, because a child is being started whose pid is not known yet."""
    global _starting
    _starting += 1
    try:
        yield
    finally:
        _starting -= 1


def orphans(table: Mapping[int, Process]) -> set[int]:
    """Return the children in the table that this process did not start but inherited as a subreaper."""
    if _starting:
        return set()
    return {process.pid for process in table.values() if process.parent_pid == os.getpid()} - _managed


def reap_orphans() -> None:
    """Collect the dead descendants that this subreaper inherited, so that no zombie stays."""
    own = str(os.getpid())
    for pid in _pids():
        fields = _fields_of(pid)
        if pid in _managed or _starting or fields[:2] != ["Z", own]:
            continue
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if is_whole_number(name)]  # noqa: PTH208 - a scan, and it must be quick


def _fields_of(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; empty if there is no such process."""
    try:
        stat = (PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return []
    # The name in parentheses may itself hold spaces and parentheses.
    return stat.rpartition(")")[2].split()


def read(pid: int) -> Process | None:
    """Return the process without its command line; None if it has ended or only its exit code is left to collect."""
    fields = _fields_of(pid)
    if not fields or fields[0] in "ZX":
        return None
    return Process(pid, int(fields[1]), started=int(fields[19]))


def _command_of(pid: int) -> str:
    try:
        command = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ""
    return command.replace(b"\0", b" ").decode("utf-8", "replace").strip()
