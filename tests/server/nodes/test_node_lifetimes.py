"""Nodes that a batch system takes back: drained in time, and gone from the lists afterwards."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server

from ringscope_server.db.models import Node


async def leaving(server: Server, seconds: float, name: str = "n1") -> FakeAgent:
    """Register a node that leaves after ``seconds``."""
    agent = FakeAgent(server, name, 4, {})
    answer = await agent.register(leaves_at=(server.clock() + timedelta(seconds=seconds)).isoformat())
    assert answer.status_code == 200, answer.text
    return agent


async def shown(server: Server, name: str = "n1") -> dict[str, Any]:
    node: dict[str, Any] = (await server.admin.get(f"/api/v1/nodes/{name}")).json()
    return node


async def actions(server: Server) -> list[tuple[str, str]]:
    """Actor and action of what happened to nodes, newest first."""
    events = (await server.admin.get("/api/v1/events")).json()["items"]
    return [(event["actor"], event["action"]) for event in events if event["target_type"] == "node"]


async def test_a_node_tells_when_it_leaves_and_a_time_without_a_zone_is_refused(server: Server) -> None:
    agent = await leaving(server, 600)
    assert (await shown(server))["leaves_at"] == "2026-01-01T00:10:00Z"
    answer = await agent.register(leaves_at="2026-01-01T00:10:00")
    assert answer.status_code == 422
    assert "leaves_at" in answer.json()["errors"][0]["detail"]


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "2200-01-01T00:00:00Z"])
async def test_a_time_at_an_end_of_the_calendar_is_refused(server: Server, time: str) -> None:
    answer = await FakeAgent(server, "n1", 4, {}).register(leaves_at=time)
    assert answer.status_code == 422
    told = answer.json()["errors"][0]["detail"]
    assert "leaves_at" in told and told.endswith("give one from 2000 to 2199, or none.")


async def test_such_a_time_from_an_earlier_version_keeps_nobody_from_submitting(server: Server) -> None:
    await leaving(server, 600)
    async with server.services.database.write() as session:
        await session.execute(update(Node).values(leaves_at=datetime(1, 1, 1, tzinfo=UTC)))
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "queued"


async def test_a_job_that_would_outlive_its_node_waits_and_is_told_what_helps(server: Server) -> None:
    await leaving(server, 600)
    long = await server.submit(**ONE_SIZE, time_limit_seconds=571)
    short = await server.submit(**ONE_SIZE, time_limit_seconds=570)
    await server.one_pass()
    assert (await server.job(short["id"]))["state"] == "starting"
    pending = (await server.job(long["id"]))["pending"]
    assert pending["reason"] == "leaving"
    assert pending["sentence"] == (
        "Waits for slots: 1 node must be free again by 00:09:30 UTC, before its time limit of 571 s would be over; "
        "give it a shorter --time-limit, or wait for other nodes."
    )


async def test_the_system_drains_a_node_before_it_leaves(server: Server, clock: Clock) -> None:
    agent = await leaving(server, 600)
    clock.advance(569)
    await agent.assignments()
    await server.one_pass()
    assert (await shown(server))["desired"] == "active"
    clock.advance(1)
    await server.one_pass()
    node = await shown(server)
    assert (node["desired"], node["desired_by"]) == ("drain", "system")
    assert node["desired_reason"] == "Its allocation ends at 00:10:00 UTC."
    assert (await actions(server))[0] == ("system", "node.drained")
    await server.one_pass()
    assert [action for _, action in await actions(server)].count("node.drained") == 1


async def test_a_drain_by_a_person_stays_as_it_is(server: Server, clock: Clock) -> None:
    agent = await leaving(server, 600)
    await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "new DIMM"})
    clock.advance(590)
    await agent.assignments()
    await server.one_pass()
    node = await shown(server)
    assert (node["desired_by"], node["desired_reason"]) == ("admin", "new DIMM")


async def test_a_node_that_is_allocated_anew_is_no_longer_drained_by_the_system(server: Server, clock: Clock) -> None:
    agent = await leaving(server, 40)
    clock.advance(12)
    await agent.assignments()
    await server.one_pass()
    assert (await shown(server))["desired"] == "drain"
    await leaving(server, 600)
    assert (await shown(server))["desired"] == "active"


async def test_a_node_that_vanishes_is_gone_once_its_allocation_is_over(server: Server, clock: Clock) -> None:
    agent = await leaving(server, 100)
    job = await server.submit(**ONE_SIZE, time_limit_seconds=60, max_attempts=1)
    await agent.start_next()
    clock.advance(60)
    await server.one_pass()
    node = await shown(server)
    assert node["observed"] == "lost"
    assert (await server.job(job["id"]))["reason"] == "node_lost"
    clock.advance(39)
    await server.one_pass()
    assert (await shown(server))["observed"] == "lost"
    clock.advance(1)
    await server.one_pass()
    assert (await server.admin.get("/api/v1/nodes")).json()["items"] == []
    assert (await actions(server))[0] == ("system", "node.left")


async def test_an_allocation_that_ended_early_is_known_by_a_long_silence(server: Server, clock: Clock) -> None:
    await leaving(server, 86_400)
    await server.node("n2")
    clock.advance(299)
    await server.one_pass()
    assert len((await server.admin.get("/api/v1/nodes")).json()["items"]) == 2
    clock.advance(2)
    await server.one_pass()
    (left,) = (await server.admin.get("/api/v1/nodes")).json()["items"]
    assert (left["name"], left["observed"]) == ("n2", "lost")
