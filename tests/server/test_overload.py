"""The server's own work goes on while too much is asked of it."""

import asyncio
import json
import logging
import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from tests.server.conftest import Clock, Server

from ringscope_server.http.admission import kind_of
from ringscope_server.overload import admission, background_tasks
from ringscope_server.overload.admission import Admission, Admitted, Kind, NotAdmittedError
from ringscope_server.overload.background_tasks import BackgroundTasks
from ringscope_server.overload.concurrency_limit import BusyError, ConcurrencyLimit
from ringscope_server.overload.priority_lock import PriorityLock
from ringscope_server.overload.process_pool import ProcessLostError, ProcessPool
from ringscope_server.services import WORKED_OUT_BY

DEADLINE_SECONDS = 60


async def rounds(count: int = 20) -> None:
    """Whatever can go on goes on."""
    for _ in range(count):
        await asyncio.sleep(0)


def short(clock: Clock) -> Admission:
    """Of a server that gets too little time."""
    found = Admission(lambda: clock.elapsed)
    found.note_lag(1.0)
    return found


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


async def test_with_time_enough_all_are_served_at_once(clock: Clock) -> None:
    served = Admission(lambda: clock.elapsed)
    with served.background_task():
        async with asyncio.timeout(DEADLINE_SECONDS):
            for _ in range(1_000):
                await served.admit(Kind.ASKED)


async def test_short_of_time_few_are_served_at_once_and_none_begins_during_a_background_task(clock: Clock) -> None:
    served = short(clock)
    begun: list[int] = []
    taken: list[Admitted] = []

    async def ask(number: int) -> None:
        taken.append(await served.admit(Kind.ASKED))
        begun.append(number)

    with served.background_task():
        asking = [asyncio.create_task(ask(number)) for number in range(10)]
        await rounds()
        assert begun == []
    await rounds()
    assert len(begun) == admission.MOST_AT_ONCE
    for _ in range(3):
        taken[0].end()  # as often as it may be, it is one admission
    await rounds()
    assert len(begun) == admission.MOST_AT_ONCE + 1
    clock.advance(admission.SHORT_SECONDS + 1)
    served.note_lag(0.0)
    await asyncio.gather(*asking)
    assert sorted(begun) == [*range(10)]


async def test_signs_of_life_go_before_records_and_pages_but_pages_are_not_forgotten(clock: Clock) -> None:
    served = short(clock)
    order: list[Kind] = []

    async def ask(kind: Kind) -> None:
        admitted = await served.admit(kind)
        order.append(kind)
        admitted.end()

    with served.background_task():
        kinds = [Kind.ASKED] * 3 + [Kind.RECORDS] * 3 + [Kind.SIGNS] * 3
        asking = [asyncio.create_task(ask(kind)) for kind in kinds]
        await rounds()
    await asyncio.gather(*asking)
    assert order[1:4] == [Kind.SIGNS] * 3, "one admission in four is for those that go last"
    assert order[0] is Kind.ASKED


async def test_a_background_task_that_takes_long_lets_one_in_at_a_time(clock: Clock) -> None:
    served = short(clock)
    with served.background_task():
        asking = [asyncio.create_task(served.admit(Kind.RECORDS)) for _ in range(3)]
        await rounds()
        clock.advance(admission.SHUT_SECONDS + 0.5)
        served.note_lag(1.0)
        await rounds()
        assert [task.done() for task in asking] == [True, False, False]
    asking[0].result().end()
    await asyncio.gather(*asking)


async def test_who_waits_in_vain_is_sent_away_and_leaves_nothing_behind(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(admission, "MOST_WAITING", 2)
    served = short(clock)
    with served.background_task():
        asking = [asyncio.create_task(served.admit(Kind.ASKED)) for _ in range(2)]
        await rounds(1)
        with pytest.raises(NotAdmittedError):
            await served.admit(Kind.SIGNS)
        told = await asyncio.gather(*asking, return_exceptions=True)
        assert [type(one) for one in told] == [NotAdmittedError] * 2
    async with asyncio.timeout(DEADLINE_SECONDS):
        for _ in range(admission.MOST_AT_ONCE):
            await served.admit(Kind.ASKED)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/healthz", None),
        ("/readyz", None),
        ("/metrics", None),
        ("/api/v1/stream", None),
        ("/api/v1/agents/n1/poll", None),
        ("/api/v1/agents/n1/pulses", Kind.SIGNS),
        ("/api/v1/agents/n1/reports", Kind.SIGNS),
        ("/api/v1/agents/register", Kind.SIGNS),
        ("/api/v1/agents/n1/records", Kind.RECORDS),
        ("/api/v1/jobs", Kind.ASKED),
        ("/api/v1/nodes/poll", Kind.ASKED),
        ("/", Kind.ASKED),
    ],
)
def test_heartbeats_and_health_are_admitted_at_once(path: str, kind: Kind | None) -> None:
    assert kind_of(path) is kind


async def test_a_request_that_is_not_admitted_is_503_and_heartbeats_go_on(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_SECONDS", 0.01)
    agent = await server.node("n1")
    server.services.admission.note_lag(1.0)
    with server.services.admission.background_task():
        answer = await server.admin.get("/api/v1/jobs")
        assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
        assert int(answer.headers["retry-after"]) > 0
        assert await agent.assignments() == []
        for method in ("GET", "HEAD"):
            assert (await server.client().request(method, "/healthz")).status_code == 200
    assert (await server.admin.get("/api/v1/jobs")).status_code == 200


@pytest.fixture
def late(server: Server) -> Iterator[list[float]]:
    """Seconds that pass for the background tasks."""
    seconds = [0.0]
    server.services.monitoring.background_tasks = BackgroundTasks(lambda: seconds[0])
    server.services.background_tasks.begin()
    yield seconds


async def test_a_late_pass_is_told_by_readyz_metrics_and_the_stream(server: Server, late: list[float]) -> None:
    await server.one_pass()
    assert (await server.admin.get("/readyz")).status_code == 200
    late[0] += 8.0
    for task in ("insights", "heartbeats"):
        server.services.background_tasks.done(task)  # type: ignore[arg-type]
    answer = await server.admin.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "late")
    assert answer.json()["detail"].startswith("No scheduling pass was completed since ")
    assert "(8 s)" in answer.json()["detail"]
    page = (await server.admin.get("/metrics")).text
    assert 'ringscope_background_task_age_seconds{task="pass"} 8.0' in page
    server.services.background_tasks.done("pass")
    assert (await server.admin.get("/readyz")).status_code == 200


def test_what_is_late_is_logged_once_and_so_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    seconds = [0.0]
    watched = BackgroundTasks(lambda: seconds[0])
    watched.begin()
    with caplog.at_level(logging.WARNING):
        for _ in range(30):
            seconds[0] += 1
            watched.tell()
        for task in background_tasks.BACKGROUND_TASKS:
            watched.done(task)
        watched.tell()
    first, last = caplog.messages
    assert first.startswith("No scheduling pass was completed since ")
    assert last == "The server's own work is done in time again."


def test_an_event_loop_that_stands_still_is_told_by_another_thread(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_tasks, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(background_tasks, "LATE_SECONDS", 0.02)
    watched = BackgroundTasks()
    watched.begin()
    with caplog.at_level(logging.WARNING), watched.watched():
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.01)
    assert caplog.messages


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


async def children(count: int) -> list[int]:
    """Their process ids, once there are so many."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(found := [child.pid or 0 for child in multiprocessing.active_children()]) != count:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.01)
    return found


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
    with pytest.raises((AttributeError, pickle.PicklingError), match="pickle"):
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
