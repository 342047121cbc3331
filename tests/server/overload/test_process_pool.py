"""Work in child processes ends with its request and does not delay other requests."""

import asyncio
import json
import os
import pickle
import signal
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.server.conftest import Server
from tests.server.overload.waiting import DEADLINE_SECONDS, children, rounds

from ringscope_server.overload.process_pool import ProcessLostError, ProcessPool
from ringscope_server.services import WORKED_OUT_BY


def endless() -> None:
    while True:
        pass


@pytest.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    await children(0)  # of an earlier test
    made = ProcessPool(WORKED_OUT_BY)
    yield made
    made.close()
    await children(0)


async def test_work_ends_with_whoever_waits_for_it_and_keeps_nobody_else(pool: ProcessPool) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        hogging = [asyncio.create_task(pool.run("viewer", endless)) for _ in range(3)]
        await children(1)
        assert await pool.run("other", divmod, 7, 2) == (3, 1)
        for task in hogging:
            task.cancel()
        await asyncio.gather(*hogging, return_exceptions=True)
        assert await pool.run("viewer", int, "8") == 8
        await children(1)
    pool.close()
    await children(0)


async def test_work_that_is_given_up_in_any_moment_leaves_its_place(pool: ProcessPool) -> None:
    for wait in range(6):
        tasks = [asyncio.create_task(pool.run(number, endless)) for number in range(4)]
        await rounds(wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert await asyncio.gather(*(pool.run(key, int) for key in range(6))) == [0] * 6


async def test_what_work_raises_is_raised(pool: ProcessPool) -> None:
    with pytest.raises(ZeroDivisionError):
        await pool.run("viewer", divmod, 1, 0)
    with pytest.raises((AttributeError, pickle.PicklingError), match=r"pickle|local object"):  # as 3.13 has it
        await pool.run("viewer", lambda: 7)
    with pytest.raises(RuntimeError, match="cannot be sent"):
        await pool.run("viewer", memoryview, b"")
    assert await pool.run("viewer", int) == 0


async def test_a_process_that_is_killed_by_others_is_told_and_replaced(pool: ProcessPool) -> None:
    working = asyncio.create_task(pool.run("viewer", endless))
    (pid,) = await children(1)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ProcessLostError):
        async with asyncio.timeout(DEADLINE_SECONDS):
            await working
    assert await pool.run("viewer", int) == 0
    (pid,) = await children(1)
    os.kill(pid, signal.SIGKILL)
    await children(0)
    assert await pool.run("viewer", int) == 0, "one that ended while it had nothing to do is not asked"


HEAVY = {"cluster": {"shape": "512x8"}}  # seconds of one processor


async def test_questions_that_wait_for_the_planner_keep_nobody_from_being_served(server: Server) -> None:
    viewer, taken = await server.person("viewer"), server.services.admission
    async with asyncio.timeout(DEADLINE_SECONDS):
        asking = [asyncio.create_task(viewer.post("/api/v1/plan/sensitivity", json=HEAVY)) for _ in range(6)]
        await children(1)
        taken.note_lag(1.0)
        assert taken.is_short
        answer = await server.admin.post("/api/v1/plan", json={"sizes_bytes": [1024]})
        assert answer.status_code == 200, answer.text
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def test_a_question_whose_asker_hung_up_is_not_worked_on(server: Server) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        await asyncio.gather(*(hang_up(server) for _ in range(3)))
        answer = await server.admin.post("/api/v1/plan", json={"sizes_bytes": [1024]})
        assert answer.status_code == 200, answer.text


async def hang_up(server: Server) -> None:
    """Ask, and close the connection while the answer is worked out."""
    is_gone = asyncio.Event()
    scope_app = server.transport.app

    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        is_told = False

        async def hanging_up() -> dict[str, object]:
            nonlocal is_told
            if not is_told:
                is_told = True
                return {"type": "http.request", "body": json.dumps(HEAVY).encode(), "more_body": False}
            await is_gone.wait()
            return {"type": "http.disconnect"}

        await scope_app(scope, hanging_up, send)  # type: ignore[arg-type]

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),  # type: ignore[arg-type]
        base_url="http://test",
        headers=server.admin.headers,
    ) as client:
        asking = asyncio.create_task(client.post("/api/v1/plan/sensitivity", json=HEAVY))
        await asyncio.sleep(0.1)
        is_gone.set()
        answer = await asking
        assert (answer.status_code, answer.json()["code"]) == (503, "client_gone")
