"""Starts one rank of MPI on this node to check that this works before a job needs it."""

import asyncio
import contextlib
import os
import signal
import sys

from ringscope.rank.mpiexec import local_command
from ringscope_agent import process_group
from ringscope_agent.launch import launcher

DEADLINE_SECONDS = 60.0  # on a busy machine; else it takes a fifth of a second
_LAST_SECONDS = 5.0
_PROGRAM = (sys.executable, "-c", "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()")
_MOST_SAID = 300


async def find_fault(deadline_seconds: float = DEADLINE_SECONDS) -> str:
    """Return a sentence on why a rank cannot start here; empty if it can."""
    try:
        process = await launcher.spawn(local_command(1, _PROGRAM), launcher.inherited_environment(os.environ), None)
    except OSError as error:
        return (
            f"mpiexec cannot be started ({error.strerror or error}); install it anew: pip install 'ringscope[worker]'."
        )
    said, is_late = b"", False
    try:
        async with asyncio.timeout(deadline_seconds):
            out, err = await process.communicate()
        said = err or out
    except TimeoutError:
        is_late = True
    finally:
        await _end(process)
        process_group.release(process.pid)
    if is_late:
        return f"A rank of MPI did not start within {deadline_seconds:g} s; `mpiexec -n 1 hostname` there may say why."
    if process.returncode == 0:
        return ""
    last = said.decode(errors="replace").strip().splitlines()[-1:]
    words = f": {last[0][:_MOST_SAID]}" if last else ""
    return f"A rank of MPI cannot start here (exit code {process.returncode}){words}"


async def _end(process: asyncio.subprocess.Process) -> None:
    """End mpiexec with its proxy and rank, which are in its session."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(_LAST_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
