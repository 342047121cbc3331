"""Checks of the resources that ranks need on a machine: a folder for sockets, shared memory, open files and
processes.
"""

import os
import resource
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import format_size, plural

SHARED_MEMORY = Path("/dev/shm")
# Linux limits a socket's path to 107 bytes, of which the folder and name below this one use 48.
_MOST_FOLDER_BYTES = 107 - 48
# Shared memory that MPI needs when it starts, as measured with MPICH 5.0.2: with less, a rank is killed by SIGBUS or
# SIGSEGV without a message.
_ALONE_BYTES = 4 << 20
_GANG_BYTES, _RANK_BYTES = 16 << 20, 4 << 20
# A rank opens between 40 and 64 files with MPICH 5.0.2; mpiexec has three pipes for each rank.
_FILES, _FILES_A_RANK = 56, 4
# for mpiexec and its proxy; the threads of a rank count, too.
_PROCESSES, _PROCESSES_A_RANK = 8, 8


def socket_room() -> Path:
    """Return the folder for temporary files, or another one if its path is too long for a socket.

    Raises UserError if none can be written.
    """
    folders = [*_temporary(), Path("/tmp"), Path("/run/user", str(os.getuid())), Path("/var/tmp"), SHARED_MEMORY]
    short = [folder for folder in folders if len(os.fsencode(folder)) <= _MOST_FOLDER_BYTES]
    found = next((folder for folder in short if _is_writable(folder)), None)
    if found is None:
        tried = ", ".join(str(folder) for folder in dict.fromkeys(short))
        raise UserError(
            f"TMPDIR: no folder for sockets can be written ({tried}); set TMPDIR to one whose path has "
            f"{_MOST_FOLDER_BYTES} bytes or fewer, or make room there."
        )
    return found


def shared_memory_fault(ranks: int, *, whole: bool = False) -> str:
    """Return why shared memory is too small for ``ranks`` ranks of this machine; empty if it is enough.

    ``whole`` counts all of it, not only the free part.
    """
    if sys.platform != "linux" or ranks == 0:
        return ""
    if not SHARED_MEMORY.is_dir():
        return f"{SHARED_MEMORY} is missing, but ranks need it to exchange data; mount a tmpfs there."
    needed = shared_memory_needed(ranks)
    stat = os.statvfs(SHARED_MEMORY)
    there = (stat.f_blocks if whole else stat.f_bavail) * stat.f_frsize
    if there < needed:
        has = f"has {format_size(there)}{'' if whole else ' free'}"
        need = "needs" if ranks == 1 else "need"
        return (
            f"{SHARED_MEMORY} {has}, and {plural(ranks, 'rank')} {need} {format_size(needed)}; "
            "enlarge it (docker run --shm-size 1g) or ask for fewer ranks."
        )
    try:
        _write_byte(SHARED_MEMORY)
    except OSError as error:
        return f"{SHARED_MEMORY} cannot be written ({error.strerror}); let this user write there (chmod 1777)."
    return ""


def open_files_fault(ranks: int) -> str:
    """Raise the limit of open files as far as ``ranks`` ranks need; return what is missing, or an empty string."""
    needed = _FILES + ranks * _FILES_A_RANK
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or hard >= needed:
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
        return ""
    files = f"A process may open {hard} files here (ulimit -n), but {plural(ranks, 'rank')} may need {needed}"
    return f"{files}; raise the limit with ulimit -n {needed}."


def processes_fault(ranks: int) -> str:
    """Return why this user may start too few processes for ``ranks`` ranks; empty if there are enough."""
    needed, free = _PROCESSES + ranks * _PROCESSES_A_RANK, free_user_processes()
    if free is None or free >= needed:
        return ""
    return (
        f"This user may start {free} more processes and threads (ulimit -u), but {plural(ranks, 'rank')} may need "
        f"{needed}; raise the limit with ulimit -u, or end other processes."
    )


def free_user_processes() -> int | None:
    """Return how many processes and threads this user may still start, once the limit is raised as far as allowed.

    None: no limit, as for root.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() == 0 or soft == resource.RLIM_INFINITY:
        return None
    if hard != soft:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))
            soft = hard
    return None if soft == resource.RLIM_INFINITY else max(0, soft - _threads_of_user())


def _threads_of_user() -> int:
    """Count the threads of all processes of this user, as the limit does."""
    found, user = 0, str(os.getuid())
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # the process has just ended
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            found += int(fields["Threads"]) if fields["Uid"].split()[0] == user else 0
    return found


def shared_memory_needed(ranks: int) -> int:
    """Return the bytes that ``ranks`` ranks of a machine need to start."""
    return _ALONE_BYTES if ranks == 1 else _GANG_BYTES + ranks * _RANK_BYTES


def _temporary() -> list[Path]:
    try:
        return [Path(tempfile.gettempdir())]
    except FileNotFoundError:  # it has tried all known folders
        return []


def _is_writable(folder: Path) -> bool:
    try:
        _write_byte(folder)
    except OSError:
        return False
    return True


def _write_byte(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0")
        file.flush()
