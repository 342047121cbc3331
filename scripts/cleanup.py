"""Find and remove what a run of the tests leaves behind when one of its tests is killed.

Every run of pytest has a folder for all temporary files of its tests, named after the runner's process. Its path is
also a variable in the environment of everything that the tests start, so that processes that outlive them are found,
also by the next run if this one is killed as a whole.

A folder may be in memory if there is plenty: a test with a database waits for a disk several times, without need, as no
data of a test must survive a power cut.
"""

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from string import ascii_lowercase

import psutil

VARIABLE = "TESTED_IN"  # not RINGSCOPE_…: tests start their servers without those of this shell
PREFIX = "rs-"  # short: sockets lie below, and their paths end at 107 bytes
SHARED_MEMORY = Path("/dev/shm")
SHARED_MEMORY_NAMES = ("mpich_shm_*", "ucx_shm_*")
SEGMENT_SECONDS = 60  # one that nobody maps is younger only while ranks start
END_SECONDS = 10.0
# A run of the gate leaves less than half a gigabyte below its folder; what is full there takes ranks their memory.
SPARE_BYTES = 4 << 30


def make_folder(letter: str = "", *, in_memory: bool = False) -> Path:
    """An empty directory of this process, which others may look into: PostgreSQL never runs as root.

    ``in_memory`` asks for one in shared memory; where there is little, or TMPDIR names a place, it lies there instead.
    """
    home = SHARED_MEMORY if in_memory and "TMPDIR" not in os.environ and _has_spare_memory() else _home()
    run_folder = home / f"{PREFIX}{os.getpid()}{letter}"
    clear(run_folder)
    run_folder.mkdir(mode=0o755)
    return run_folder


def own_folders() -> list[Path]:
    """Return the folders that this process has made and not removed."""
    return [run_folder for run_folder in _folders() if _runner(run_folder) == str(os.getpid())]


def environment(run_folder: Path) -> dict[str, str]:
    """Return the variables that a command of the run needs in its environment."""
    return {VARIABLE: str(run_folder), "TMPDIR": str(run_folder)}


def end_processes(run_folder: Path) -> list[str]:
    """End what still runs of a run's tests; how each command begins."""
    found = {process: _command(process) for process in _processes(run_folder)}
    deadline = time.monotonic() + END_SECONDS
    # What is ended may have started another one a moment before.
    while (running := _processes(run_folder)) and time.monotonic() < deadline:
        for process in running:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.Error:
                continue
        psutil.wait_procs(running, 1.0)
    return list(found.values())


def clear(run_folder: Path) -> None:
    """End and remove everything of a run: processes, networks, files."""
    end_processes(run_folder)
    if any(run_folder.glob("*/lab")):
        from ringscope.lab.lab import Lab

        for folder in run_folder.glob("*/lab"):
            Lab(folder.parent).down()
    shutil.rmtree(run_folder, ignore_errors=True)


def clear_dead_folders() -> list[Path]:
    """Clear what runs left that were killed themselves; return their folders."""
    dead = [run_folder for run_folder in _folders() if not _is_alive(_runner(run_folder))]
    for run_folder in dead:
        clear(run_folder)
    return dead


def remove_segments() -> int:
    """Remove segments of shared memory that killed ranks left and no process maps; return their number."""
    now = time.time()
    found = [path for name in SHARED_MEMORY_NAMES for path in SHARED_MEMORY.glob(name)]
    old = {path for path in found if _age_seconds(path, now) > SEGMENT_SECONDS}
    for path in (unused := old - _mapped(old)):
        path.unlink(missing_ok=True)
    return len(unused)


def _runner(run_folder: Path) -> str:
    return run_folder.name.removeprefix(PREFIX).rstrip(ascii_lowercase)


def _folders() -> list[Path]:
    homes = [_home()] if "TMPDIR" in os.environ else [_home(), SHARED_MEMORY]
    return [run_folder for home in homes for run_folder in home.glob(f"{PREFIX}[0-9]*")]


def _has_spare_memory() -> bool:
    """Return whether programs may run from shared memory, and whether it leaves enough memory to the tests."""
    if not SHARED_MEMORY.is_dir():
        return False
    disk = os.statvfs(SHARED_MEMORY)
    spare_bytes = min(disk.f_bavail * disk.f_frsize, psutil.virtual_memory().available)
    return spare_bytes >= SPARE_BYTES and not disk.f_flag & os.ST_NOEXEC and os.access(SHARED_MEMORY, os.W_OK)


def _home() -> Path:
    return Path(os.environ.get("TMPDIR") or tempfile.gettempdir())


def _processes(run_folder: Path) -> list[psutil.Process]:
    """Return the processes that have the folder in their environment, or a path below it as an argument."""
    found = []
    for process in psutil.process_iter():
        try:
            is_alive = process.status() != psutil.STATUS_ZOMBIE
            is_ours = process.environ().get(VARIABLE) == str(run_folder) or f"{run_folder}/" in " ".join(
                process.cmdline()
            )
        except psutil.Error:
            continue
        if is_alive and is_ours and process.pid != os.getpid():
            found.append(process)
    return found


def _command(process: psutil.Process) -> str:
    try:
        return f"{process.pid} {' '.join(process.cmdline())[:100]}"
    except psutil.Error:
        return str(process.pid)


def _is_alive(pid: str) -> bool:
    return not pid.isdecimal() or psutil.pid_exists(int(pid))


def _age_seconds(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:
        return 0.0


def _mapped(paths: set[Path]) -> set[Path]:
    """Return the files that some process has mapped."""
    found: set[Path] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text()
        except OSError:
            continue
        found |= {path for path in paths if str(path) in text}
    return found
