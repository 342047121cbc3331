"""Processes that continue after the command that started them has ended."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil


def start(command: Sequence[str], log: Path, environment: Mapping[str, str], output: int | None = None) -> int:
    """Start a program in a new session, with all output in ``log``; return its process id.

    ``output`` is a descriptor for its standard output instead. The caller need not wait for its end, only call
    ``forget`` afterwards.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    stdout = (os.POSIX_SPAWN_OPEN, 1, log, flags, 0o644) if output is None else (os.POSIX_SPAWN_DUP2, output, 1)
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), stdout, (os.POSIX_SPAWN_OPEN, 2, log, flags, 0o644)]
    return os.posix_spawnp(command[0], list(command), environment, file_actions=files, setsid=True)


def is_running(pid: int, command: Sequence[str]) -> bool:
    """Return whether the process still has this command, alone or with more words behind it."""
    try:
        return psutil.Process(pid).cmdline()[: len(command)] == list(command)
    except psutil.Error:
        return False


def forget(pid: int) -> None:
    """Reap a program that has ended, if this process started it, so that no zombie remains."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
