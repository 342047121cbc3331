"""The queue as the scheduler keeps it: read once, and true whatever happened in between."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server
from tests.server.statements import asked

from ringscope_server.placement.plan import plan
from ringscope_server.placement.queue import Queue, StoredReason
from ringscope_server.scheduler import dispatch

Change = Callable[[Server, int], Awaitable[Any]]


async def read(server: Server, queue: Queue, fence: int = 1) -> dict[int, dict[str, Any]]:
    async with server.services.database.read() as session:
        return {job_id: asdict(waits) for job_id, waits in (await queue.read(session, fence)).items()}


async def priority(server: Server, job_id: int) -> None:
    (await server.admin.patch(f"/api/v1/jobs/{job_id}", json={"priority": 7})).raise_for_status()


async def post(server: Server, job_id: int, *actions: str) -> None:
    for action in actions:
        (await server.admin.post(f"/api/v1/jobs/{job_id}/{action}")).raise_for_status()


CHANGES: dict[str, Change] = {
    "another comes": lambda server, _: server.submit(**ONE_SIZE),
    "edited": priority,
    "held": lambda server, job_id: post(server, job_id, "hold"),
    "held and released": lambda server, job_id: post(server, job_id, "hold", "release"),
    "cancelled": lambda server, job_id: post(server, job_id, "cancel"),
    "told": lambda server, _: server.one_pass(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_what_is_kept_is_what_a_new_reader_finds(server: Server, clock: Clock, change: Change) -> None:
    await server.node(slots=2)
    jobs = [await server.submit(**ONE_SIZE, queue_timeout_seconds=60) for _ in range(3)]
    kept = Queue()
    await read(server, kept)
    clock.advance(1)
    await change(server, jobs[1]["id"])
    assert await read(server, kept) == await read(server, Queue())


async def test_what_has_not_changed_is_not_read_again(server: Server) -> None:
    await server.node()
    queue = Queue()
    for _ in range(3):
        await server.submit(**ONE_SIZE)
    await read(server, queue)
    with asked(server.services.database) as statements:
        assert len(await read(server, queue)) == 3
    assert [statement for statement in statements if "spec" in statement] == []


@pytest.mark.both_databases
async def test_what_another_server_may_have_said_is_read_again(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    queue = Queue()
    await read(server, queue)
    queue.note([], {job["id"]: StoredReason("slots", "Waits.", None, None)})
    assert (await read(server, queue))[job["id"]]["stored"]["sentence"] == "Waits."
    assert (await read(server, queue, fence=2))[job["id"]]["stored"] == asdict(StoredReason())


async def test_where_nothing_has_changed_no_new_plan_is_made_for_a_while(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    await agent.start_next()
    waiting = await server.submit(**ONE_SIZE)
    for _ in range(2):
        await server.one_pass()
    with planned() as plans:
        await server.one_pass()
        assert plans == []
        clock.advance(5)
        await server.one_pass()
        assert len(plans) == 1, "estimates may have moved"
        await server.one_pass()
        assert len(plans) == 1
        await priority(server, waiting["id"])
        await server.one_pass()
        assert len(plans) == 2, "a job was edited"


@contextmanager
def planned() -> Iterator[list[object]]:
    plans: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "plan", lambda *asked: (plans.append(asked), plan(*asked))[1])
        yield plans
