"""The lock of writers: what must run is not kept by what is asked."""

import asyncio

from tests.server.overload.waiting import DEADLINE_SECONDS, rounds

from ringscope_server.overload.priority_lock import PriorityLock


async def test_who_comes_first_waits_for_the_holder_only() -> None:
    lock, order = PriorityLock(), list[str]()

    async def hold(name: str, *, first: bool) -> None:
        async with lock.held(first=first):
            order.append(name)
            await rounds(3)

    waiting = [asyncio.create_task(hold(f"request {i}", first=False)) for i in range(3)]
    await rounds(1)
    waiting.append(asyncio.create_task(hold("pass", first=True)))
    await asyncio.gather(*waiting)
    assert order == ["request 0", "pass", "request 1", "request 2"]


async def test_a_lock_outlives_those_that_give_up_in_any_moment() -> None:
    lock = PriorityLock()

    async def hold() -> None:
        async with lock.held():
            await rounds(2)

    for wait in range(8):
        tasks = [asyncio.create_task(hold()) for _ in range(4)]
        await rounds(wait)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(DEADLINE_SECONDS), lock.held():
        pass
