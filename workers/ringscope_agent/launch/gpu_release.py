"""Waits until an attempt's processes have released the GPUs.

A process gives up its memory, and with it the token that it was found by, before it closes the driver's files. Until
that is done, or for ever where the driver hangs, the GPU keeps its context.
"""

import asyncio
from collections.abc import Collection

from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope_agent import gpus, process_group
from ringscope_agent.gpus import GpuProcess

# A driver takes seconds to unmap what many GPUs had mapped of each other.
RELEASE_SECONDS = 10.0
POLL_SECONDS = 0.1


async def left_on_gpus(pids: Collection[int], token: str) -> list[GpuProcess]:
    """Return the processes that still compute on a GPU after RELEASE_SECONDS; empty if all GPUs are released."""
    deadline = asyncio.get_running_loop().time() + RELEASE_SECONDS
    while (left := _holders(pids, token)) and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(POLL_SECONDS)
        process_group.reap_orphans()
    return left


def _holders(pids: Collection[int], token: str) -> list[GpuProcess]:
    return [user for user in gpus.find_processes() if user.pid in pids and _is_ours(user.pid, token)]


def _is_ours(pid: int, token: str) -> bool:
    """Return whether the process is still the attempt's; a pid may have been reused by a process with another
    environment.
    """
    if not process_group.state_of(pid):
        return False
    environment = process_group.environment_of(pid)
    return not environment or environment.get(TOKEN_VARIABLE.encode()) == token.encode()
