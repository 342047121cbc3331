"""PATCH and DELETE /nodes/{name}, drain, resume, and the release of a quarantined slot."""

from typing import Any

import httpx
import pytest
from sqlalchemy import insert
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement

from ringscope_server.db.models import QuarantinedSlot
from ringscope_server.users import tokens


async def node(server: Server, name: str = "n1") -> dict[str, Any]:
    answer = await server.admin.get(f"/api/v1/nodes/{name}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def with_role(server: Server, role: tokens.Role) -> httpx.AsyncClient:
    async with server.services.database.write() as session:
        return server.client(await tokens.create(session, role, "personal", role, server.clock(), None))


async def events(server: Server, name: str = "n1") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await server.admin.get(f"/api/v1/nodes/{name}/events")).json()["items"]
    return found


async def quarantine(server: Server, slot: int, attempt_id: int, message: str = "pid 7 cannot be ended") -> None:
    row = {"node_id": 1, "slot": slot, "attempt_id": attempt_id, "message": message, "created_at": server.clock()}
    async with server.services.database.write() as session:
        await session.execute(insert(QuarantinedSlot), [row])


async def test_people_add_change_and_take_away_labels(server: Server) -> None:
    await server.node("n1", labels={"rack": "r1", "old": "yes"})
    changes = {"labels": {"rack": "r2", "old": None, "new": "1", "nowhere": None}}
    changed = (await server.admin.patch("/api/v1/nodes/n1", json=changes)).json()
    assert (changed["labels"], changed["rack"]) == ({"rack": "r2", "new": "1"}, "r2")
    assert changed["label_overrides"] == {"rack": "r2", "old": None, "new": "1"}
    last = (await events(server))[-1]
    assert (last["actor"], last["action"]) == ("admin", "node.labelled")
    assert (last["before"], last["after"]) == ("old=yes, rack=r1", "new=1, rack=r2")


async def test_labels_by_people_outlive_the_agent_and_steer_placement(server: Server) -> None:
    agent = await server.node("n1")
    await server.admin.patch("/api/v1/nodes/n1", json={"labels": {"pool": "fast"}})
    await agent.register()
    placement = {"ranks": 2, "selector": {"pool": "fast"}}
    job = await server.submit(**ONE_SIZE | {"placement": placement})
    await agent.start_next()
    assert (await server.job(job["id"]))["state"] == "running"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/labels"),
        ({"labels": {"rack": 7}}, "/labels/rack"),
        ({"labels": {"rack": ""}}, "/labels/rack"),
        ({"labels": {}, "drain": True}, "/drain"),
    ],
)
async def test_bad_labels_are_named(server: Server, body: dict[str, Any], pointer: str) -> None:
    await server.node("n1")
    answer = await server.admin.patch("/api/v1/nodes/n1", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer


async def test_an_edit_of_what_was_changed_meanwhile_is_refused(server: Server) -> None:
    await server.node("n1")
    seen = (await server.admin.get("/api/v1/nodes/n1")).headers["etag"]
    body = {"labels": {"rack": "r1"}}
    first = await server.admin.patch("/api/v1/nodes/n1", json=body, headers={"If-Match": seen})
    assert first.headers["etag"] != seen
    for again in (
        await server.admin.patch("/api/v1/nodes/n1", json=body, headers={"If-Match": seen}),
        await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "x"}, headers={"If-Match": seen}),
    ):
        assert (again.status_code, again.json()["code"]) == (412, "changed_meanwhile")
    assert (await node(server))["desired"] == "active"


async def test_a_drained_node_finishes_its_work_and_takes_no_more(server: Server, clock: Clock) -> None:
    agent = await server.node("n1", 4)
    running = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    operator = await with_role(server, "operator")
    drained = (await operator.post("/api/v1/nodes/n1/drain", json={"reason": " a new fan "})).json()
    assert (drained["desired"], drained["desired_reason"], drained["desired_by"]) == ("drain", "a new fan", "operator")
    assert drained["desired_at"] == "2026-01-01T00:00:00Z"
    cluster = (await operator.get("/api/v1/cluster")).json()
    assert (cluster["nodes_ready"], cluster["nodes_total"]) == (0, 1)
    waiting = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(running["id"]))["state"] == "running"
    assert (await server.job(waiting["id"]))["state"] == "queued"
    await agent.records(attempt, measurement(), measurement(in_place=True))
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=2)
    assert (await server.job(running["id"]))["state"] == "succeeded"
    resumed = (await operator.post("/api/v1/nodes/n1/resume")).json()
    assert (resumed["desired"], resumed["desired_reason"]) == ("active", "")
    await server.one_pass()
    assert (await server.job(waiting["id"]))["state"] == "starting"
    told = [(row["action"], row["actor"], row["message"]) for row in await events(server)]
    assert told[-2:] == [("node.drained", "operator", "a new fan"), ("node.resumed", "operator", "")]


async def test_the_same_drain_again_is_no_second_event(server: Server) -> None:
    await server.node("n1")
    first, again = [
        (await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "a new fan"})).json() for _ in range(2)
    ]
    assert (again["desired"], again["revision"]) == ("drain", first["revision"])
    events = (await server.admin.get("/api/v1/nodes/n1/events")).json()["items"]
    assert [event["action"] for event in events].count("node.drained") == 1


async def test_a_drain_outlives_a_restart_of_the_agent(server: Server) -> None:
    agent = await server.node("n1")
    await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "broken"})
    await agent.register()
    assert (await node(server))["desired"] == "drain"


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "  "}])
async def test_a_drain_needs_a_reason(server: Server, body: dict[str, str]) -> None:
    await server.node("n1")
    answer = await server.admin.post("/api/v1/nodes/n1/drain", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/reason")


async def test_a_quarantined_slot_is_shown_counted_and_not_given_away(server: Server) -> None:
    agent = await server.node("n1", 3)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.report(attempt, "clean")
    await quarantine(server, 1, attempt)
    await server.one_pass()
    shown = await node(server)
    assert (shown["slots_quarantined"], shown["slots_busy"]) == (1, 0)
    assert [slot["quarantine"] for slot in shown["slots"]] == [None, "pid 7 cannot be ended", None]
    assert (shown["observed"], shown["observed_reason"]) == ("degraded", "Not proven free: slot 1.")
    small, large = await server.submit(**ONE_SIZE), await server.submit(**ONE_SIZE | {"placement": {"ranks": 3}})
    await server.one_pass()
    assert [slot["job_id"] for slot in (await node(server))["slots"]] == [small["id"], None, small["id"]]
    assert (await server.job(large["id"]))["state"] == "queued"


async def test_only_an_administrator_releases_a_quarantined_slot(server: Server) -> None:
    agent = await server.node("n1", 2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await quarantine(server, 0, attempt)
    path = "/api/v1/nodes/n1/slots/0/release"
    assert (await (await with_role(server, "operator")).post(path)).status_code == 403
    released = (await server.admin.post(path)).json()
    assert (released["slots_quarantined"], released["observed"]) == (0, "ready")
    assert [slot["job_id"] for slot in released["slots"]] == [None, job["id"]]
    last = next(row for row in await events(server) if row["action"] == "node.slot_released")
    assert (last["actor"], last["before"], last["after"]) == ("admin", "quarantined", "free")
    assert "pid 7" in last["message"]
    again = await server.admin.post(path)
    assert (again.status_code, again.json()["code"]) == (409, "wrong_state")


async def test_the_release_of_the_last_slot_lets_the_agent_forget_the_attempt(server: Server) -> None:
    agent = await server.node("n1", 2)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    for slot in (0, 1):
        await quarantine(server, slot, attempt)
    await server.admin.post("/api/v1/nodes/n1/slots/0/release")
    assert [assignment["attempt_id"] for assignment in await agent.assignments()] == [attempt]
    await server.admin.post("/api/v1/nodes/n1/slots/1/release")
    assert await agent.assignments() == []


async def test_a_lost_node_is_removed_and_its_name_stays_in_its_jobs(server: Server, clock: Clock) -> None:
    agent = await server.node("n1", 2)
    job = await server.submit(**ONE_SIZE, max_attempts=1)
    attempt = await agent.start_next()
    await server.node("n2", 2)
    living = await server.admin.delete("/api/v1/nodes/n1")
    assert (living.status_code, living.json()["code"]) == (409, "wrong_state")
    clock.advance(20)
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "failed"
    assert (await server.admin.delete("/api/v1/nodes/n1")).status_code == 204
    assert [row["name"] for row in (await server.admin.get("/api/v1/nodes")).json()["items"]] == ["n2"]
    assert (await server.admin.get("/api/v1/nodes/n1")).status_code == 404
    assert (await server.admin.get("/api/v1/cluster")).json()["slots_busy"] == 0
    assert (await server.job(job["id"]))["attempts"][0]["nodes"] == ["n1"]
    assert (await agent.report(attempt, "clean")).status_code == 401, "its token has ended"
    agent.client = await server.speaker("n1")
    assert (await agent.report(attempt, "clean")).status_code == 409, "with another it must register first"


async def test_a_node_that_still_holds_a_job_is_not_removed(server: Server, clock: Clock) -> None:
    first, second = await server.node("n1", 1), await server.node("n2", 1)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    await server.one_pass()
    clock.advance(10)
    await second.assignments()
    clock.advance(10)
    await server.one_pass()
    assert (await node(server))["observed"] == "lost"
    refused = await server.admin.delete("/api/v1/nodes/n1")
    assert refused.status_code == 409
    assert f"Job {job['id']} " in refused.json()["detail"]
    assert (await first.register()).status_code == 200


async def test_a_removed_node_comes_back_with_what_was_never_proven_free(server: Server, clock: Clock) -> None:
    agent = await server.node("n1", 2)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    clock.advance(20)
    await server.one_pass()
    await server.admin.delete("/api/v1/nodes/n1")
    back = FakeAgent(server, "n1", 2, {})
    await back.register()
    assert (await node(server))["slots_busy"] == 2
    assert [(row["attempt_id"], row["desired"]) for row in await back.assignments()] == [(attempt, "stop")]


async def test_a_viewer_changes_no_node(server: Server) -> None:
    await server.node("n1")
    viewer = await with_role(server, "viewer")
    for answer in (
        await viewer.patch("/api/v1/nodes/n1", json={"labels": {}}),
        await viewer.post("/api/v1/nodes/n1/drain", json={"reason": "x"}),
        await viewer.post("/api/v1/nodes/n1/resume"),
        await viewer.delete("/api/v1/nodes/n1"),
    ):
        assert answer.status_code == 403
    assert (await viewer.get("/api/v1/nodes/n1/events")).status_code == 200


async def test_what_is_not_there_is_a_404(server: Server) -> None:
    for answer in (
        await server.admin.patch("/api/v1/nodes/n9", json={"labels": {}}),
        await server.admin.post("/api/v1/nodes/n9/drain", json={"reason": "x"}),
        await server.admin.delete("/api/v1/nodes/n9"),
        await server.admin.get("/api/v1/nodes/n9/events"),
    ):
        assert answer.json()["detail"] == "There is no node n9."
