"""Helpers that wait for a state in the tests of this folder."""

import asyncio
import multiprocessing
import time

DEADLINE_SECONDS = 60


async def rounds(count: int = 20) -> None:
    """Let the other tasks of the event loop run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def children(count: int) -> list[int]:
    """Wait until there are ``count`` child processes, and return their process ids."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(found := [child.pid or 0 for child in multiprocessing.active_children()]) != count:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.01)
    return found
