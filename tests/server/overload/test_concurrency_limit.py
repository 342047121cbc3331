"""A limit is shared fairly by those that ask."""

import asyncio

import pytest
from tests.server.overload.waiting import DEADLINE_SECONDS, rounds

from ringscope_server.overload.concurrency_limit import BusyError, ConcurrencyLimit


async def test_one_key_leaves_room_for_others_and_waits_for_itself() -> None:
    shares = ConcurrencyLimit(most=2, each=1, waiting=4, waiting_each=2)
    async with shares.taken("viewer"):
        waiting = [asyncio.create_task(enter(shares, "viewer")) for _ in range(2)]
        await rounds()
        with pytest.raises(BusyError) as own:
            await enter(shares, "viewer")
        assert own.value.is_own
        async with asyncio.timeout(DEADLINE_SECONDS):
            await enter(shares, "other")
        assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)


async def test_whoever_was_served_longest_ago_is_next() -> None:
    shares, order = ConcurrencyLimit(most=1, each=1), list[str]()
    async with shares.taken("a"):
        waiting = [asyncio.create_task(enter(shares, key, order)) for key in ("a", "a", "b", "c")]
        await rounds()
    await asyncio.gather(*waiting)
    assert order == ["b", "c", "a", "a"]


async def test_a_share_is_given_back_by_those_that_give_up() -> None:
    shares = ConcurrencyLimit(most=1, each=1)
    for wait in range(6):
        tasks = [asyncio.create_task(enter(shares, f"key {number}")) for number in range(4)]
        await rounds(wait)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(DEADLINE_SECONDS):
        await enter(shares, "last")


async def enter(shares: ConcurrencyLimit, key: str, order: list[str] | None = None) -> None:
    async with shares.taken(key):
        if order is not None:
            order.append(key)
        await rounds(2)
