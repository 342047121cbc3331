"""Requests wait to be admitted while the server gets too little processor time; heartbeats do not."""

import asyncio

import pytest
from tests.server.conftest import Clock, Server
from tests.server.overload.waiting import DEADLINE_SECONDS, rounds

from ringscope_server.http.admission import kind_of
from ringscope_server.overload import admission
from ringscope_server.overload.admission import Admission, Admitted, Kind, NotAdmittedError


def short(clock: Clock) -> Admission:
    """The admission of a server that gets too little time."""
    found = Admission(lambda: clock.elapsed)
    found.note_lag(1.0)
    return found


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
