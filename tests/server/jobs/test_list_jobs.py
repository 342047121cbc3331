"""GET /jobs."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Server, measurement

from ringscope_server.db.models import Job
from ringscope_server.http.routes.jobs import SHORT_PAGE
from ringscope_server.jobs import queries
from ringscope_server.jobs.views import JobView
from ringscope_server.services import LONG_PAGES_AT_ONCE


async def test_pages_are_newest_first_and_complete(server: Server) -> None:
    await server.node()
    ids = [(await server.submit(**ONE_SIZE))["id"] for _ in range(5)]
    seen: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        params = {"limit": "2", "cursor": cursor} if cursor else {"limit": "2"}
        page = (await server.admin.get("/api/v1/jobs", params=params)).json()
        seen += [job["id"] for job in page["items"]]
        cursor = page["next"]
    assert seen == ids[::-1]


@pytest.mark.both_databases
async def test_filters(server: Server) -> None:
    await server.node()
    kept = await server.submit(name="nightly 100%", **ONE_SIZE)
    gone = await server.submit(name="other", **ONE_SIZE)
    await server.admin.post(f"/api/v1/jobs/{gone['id']}/cancel")

    async def ids(**params: str) -> list[int]:
        return [job["id"] for job in (await server.admin.get("/api/v1/jobs", params=params)).json()["items"]]

    assert await ids(state="queued") == [kept["id"]]
    assert await ids(state="cancelled") == [gone["id"]]
    assert await ids(q="NIGHTLY") == [kept["id"]]
    assert await ids(q="100%") == [kept["id"]]
    assert await ids(q="%") == [kept["id"]]
    assert await ids(kind="benchmark") == [gone["id"], kept["id"]]
    assert await ids(user="admin") == [gone["id"], kept["id"]]
    assert await ids(user="somebody") == []
    assert await ids(user="admin", state="queued", q="night") == [kept["id"]]
    assert await ids(schedule_id="1") == []


@pytest.mark.both_databases
async def test_the_search_takes_a_number_too(server: Server) -> None:
    await server.node()
    first, second = await server.submit(**ONE_SIZE), await server.submit(name="like 1", **ONE_SIZE)

    async def ids(q: str) -> list[int]:
        return [job["id"] for job in (await server.admin.get("/api/v1/jobs", params={"q": q})).json()["items"]]

    assert await ids("1") == await ids("1") == [second["id"], first["id"]]
    assert await ids("#1") == [first["id"]]
    assert await ids("9" * 19) == await ids("9" * 60) == await ids("²") == []


@pytest.mark.both_databases
async def test_labels_are_looked_for_by_key_and_value_and_all_must_be_there(server: Server) -> None:
    await server.node()
    plain = {"team": "infra", "a.b": "x:y", "$.team": "z", "it's": "100%"}
    labelled = await server.submit(**ONE_SIZE, labels=plain)
    await server.submit(**ONE_SIZE, labels={"team": "other"})

    async def ids(*labels: str) -> list[int]:
        response = await server.admin.get("/api/v1/jobs", params={"label": list(labels)})
        return [job["id"] for job in response.json()["items"]]

    for key, value in plain.items():
        assert await ids(f"{key}:{value}") == [labelled["id"]], key
    assert await ids("team:infra", "a.b:x:y") == [labelled["id"]]
    assert await ids("team:infra", "a.b:other") == await ids("team:") == []
    for wrong in ("team", ":x", 'a"b:x'):
        response = await server.admin.get("/api/v1/jobs", params={"label": wrong})
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, "/label/0")


async def test_pages_of_several_states_are_complete_and_in_order(server: Server) -> None:
    await server.node()
    ids = [(await server.submit(**ONE_SIZE, hold=number % 3 == 0))["id"] for number in range(8)]
    await server.admin.post(f"/api/v1/jobs/{ids[4]}/cancel")
    wanted = [job_id for job_id in reversed(ids) if job_id != ids[4]]
    seen: list[int] = []
    cursor: str | None = None
    while True:
        params = {"state": ["held", "queued", "held"], "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await server.admin.get("/api/v1/jobs", params=params)).json()
        seen += [job["id"] for job in page["items"]]
        if (cursor := page["next"]) is None:
            break
    assert seen == wanted


async def test_a_foreign_cursor_and_an_unknown_state_are_refused(server: Server) -> None:
    for params, pointer in [({"cursor": "!!"}, "/cursor"), ({"state": "sleeping"}, "/state/0")]:
        response = await server.admin.get("/api/v1/jobs", params=params)
        assert response.status_code == 422
        assert response.json()["errors"][0]["pointer"] == pointer


async def test_jobs_of_a_node_are_those_that_had_a_rank_there(server: Server) -> None:
    first = await server.node("n1", slots=2)
    ran = await server.submit(**ONE_SIZE)
    await first.start_next()
    await server.node("n2", slots=2)
    await server.submit(**ONE_SIZE)

    async def ids(node: str) -> list[int]:
        response = await server.admin.get("/api/v1/jobs", params={"node": node})
        return [job["id"] for job in response.json()["items"]]

    assert (await ids("n1"), await ids("n2"), await ids("nowhere")) == ([ran["id"]], [], [])


@pytest.mark.both_databases
async def test_other_orders_are_complete_over_pages_and_end_with_what_has_no_number(server: Server) -> None:
    await server.node(slots=8)
    bandwidths = [3.0, 2.0, 9.0, None, 4.0]
    ids = []
    for index, (name, busbw) in enumerate(zip(["a", "B", "c", "A", "b"], bandwidths, strict=True)):
        job = await server.submit(name=name, **(ONE_SIZE | {"placement": {"ranks": 1 + index % 2}}))
        ids.append(job["id"])
        async with server.services.database.write() as session:
            (await session.get_one(Job, job["id"])).busbw_gb_per_s = busbw
    orders = {
        "id": ids,
        "-id": ids[::-1],
        "name": [ids[index] for index in (0, 3, 1, 4, 2)],
        "-busbw": [ids[index] for index in (2, 4, 0, 1, 3)],
        "busbw": [ids[index] for index in (1, 0, 4, 2, 3)],
        "-ranks": [ids[index] for index in (3, 1, 4, 2, 0)],
    }
    for sort, expected in orders.items():
        seen: list[int] = []
        cursor: str | None = None
        while True:
            params = {"limit": "2", "sort": sort, "state": "queued"} | ({"cursor": cursor} if cursor else {})
            page = (await server.admin.get("/api/v1/jobs", params=params)).json()
            seen += [job["id"] for job in page["items"]]
            if (cursor := page["next"]) is None:
                break
        assert seen == expected, sort


async def test_the_best_of_those_that_ended_since_a_time_is_one_question(server: Server) -> None:
    agent = await server.node()
    simulation = ONE_SIZE["benchmark"] | {"transport": "simulated", "topology": {"shape": "2", "link": "ib200"}}
    ids = []
    # (GB/s, what else the rows say, what the job is, how it ends)
    runs: list[tuple[float, dict[str, Any], dict[str, Any], str]] = [
        (9.0, {}, ONE_SIZE, "succeeded"),
        (2.0, {}, ONE_SIZE, "succeeded"),
        (3.0, {}, ONE_SIZE, "succeeded"),
        (50.0, {"transport": "simulated", "wrong": None}, {"benchmark": simulation}, "succeeded"),
        (999.0, {"wrong": 7}, ONE_SIZE, "failed"),
        (80.0, {}, {"benchmark": ONE_SIZE["benchmark"] | {"average": "min"}}, "succeeded"),
    ]
    for busbw, more, spec, end in runs:
        job = await server.submit(**spec)
        attempt = await agent.start_next()
        rows = [measurement(busbw_gb_per_s=busbw, in_place=place, **more) for place in (False, True)]
        await agent.records(attempt, *rows)
        server.clock.advance(1)
        await agent.report(attempt, "ended", reason="completed")
        await agent.report(attempt, "clean", last_sequence=2)
        agent.sequence = 0
        assert (await server.job(job["id"]))["state"] == end
        ids.append(job["id"])
    second = await server.job(ids[1])
    params = {"sort": "-busbw", "finished_after": second["finished_at"]}
    found = (await server.admin.get("/api/v1/jobs", params=params)).json()["items"]
    assert [job["id"] for job in found] == [ids[2], ids[1], *ids[:2:-1]], "only what was measured well, as usual"
    for url in ("/api/v1/jobs", "/api/v1/jobs/facets"):
        for time in ("today", "9999-12-31T23:59:59-01:00"):
            refused = await server.admin.get(url, params={"finished_after": time})
            assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/finished_after")


async def test_an_algorithm_is_found_by_its_whole_name(server: Server) -> None:
    await server.node()
    spec = ONE_SIZE["benchmark"] | {"algorithms": ["direct", "ring_pipelined"]}
    job = await server.submit(**ONE_SIZE | {"benchmark": spec})

    async def ids(algorithm: str) -> list[int]:
        response = await server.admin.get("/api/v1/jobs", params={"algorithm": algorithm})
        return [found["id"] for found in response.json()["items"]]

    assert await ids("ring_pipelined") == await ids("direct") == [job["id"]]
    assert await ids("ring") == []


async def test_few_long_pages_are_made_side_by_side_and_short_ones_wait_for_none(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    makes, are_there, may_go_on = queries.page, asyncio.Event(), asyncio.Event()
    at_once = most = 0

    async def counted(session: AsyncSession, limit: int, *more: Any) -> list[JobView]:
        nonlocal at_once, most
        if limit <= SHORT_PAGE:
            return await makes(session, limit, *more)
        at_once += 1
        most = max(most, at_once)
        if at_once == LONG_PAGES_AT_ONCE:
            are_there.set()
        await may_go_on.wait()
        at_once -= 1
        return await makes(session, limit, *more)

    monkeypatch.setattr(queries, "page", counted)
    viewers = [await server.person("viewer", f"viewer-{number}") for number in range(8)]
    asked = [asyncio.create_task(viewer.get("/api/v1/jobs", params={"limit": 1000})) for viewer in viewers]
    async with asyncio.timeout(30):
        await are_there.wait()
        assert (await server.admin.get("/api/v1/jobs", params={"limit": SHORT_PAGE})).status_code == 200
        may_go_on.set()
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}
    assert most == LONG_PAGES_AT_ONCE
