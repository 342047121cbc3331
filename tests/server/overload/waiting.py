"""Helpers that wait for a state in the tests of this folder."""

import asyncio
import multiprocessing
import time

DEADLINE_SECONDS = 60


async def rounds(count: int = 20) -> None:
    """Whatever can go on goes on."""
    for _ in range(count):
        await asyncio.sleep(0)


async def children(count: int) -> list[int]:
    """Their process ids, once there are so many."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(found := [child.pid or 0 for child in multiprocessing.active_children()]) != count:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.01)
    return found
