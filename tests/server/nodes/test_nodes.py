"""Nodes: registration, heartbeats, epochs, loss."""

import pytest
from tests.server.conftest import Clock, FakeAgent, Server

from ringscope_server.nodes import health


async def test_a_registered_node_is_listed_with_its_slots(server: Server) -> None:
    await server.node("n1", 4, {"rack": "r1"})
    (node,) = (await server.admin.get("/api/v1/nodes")).json()["items"]
    assert (node["name"], node["observed"], node["slots_total"], node["slots_busy"]) == ("n1", "ready", 4, 0)
    assert (node["labels"], len(node["slots"]), node["heartbeat_age_seconds"]) == ({"rack": "r1"}, 4, 0)
    cluster = (await server.admin.get("/api/v1/cluster")).json()
    assert (cluster["nodes_ready"], cluster["slots_total"]) == (1, 4)


async def test_nodes_come_page_by_page_by_name(server: Server) -> None:
    for name in ("n3", "n1", "n5", "n2", "n4"):
        await server.node(name)
    found, cursor = [], None
    for _ in range(3):
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await server.admin.get("/api/v1/nodes", params=params)).json()
        found.append([node["name"] for node in page["items"]])
        cursor = page["next"]
    assert (found, cursor) == ([["n1", "n2"], ["n3", "n4"], ["n5"]], None)
    whole = (await server.admin.get("/api/v1/nodes")).json()
    assert ([node["name"] for node in whole["items"]], whole["next"]) == (["n1", "n2", "n3", "n4", "n5"], None)
    assert (await server.admin.get("/api/v1/nodes", params={"limit": 0})).status_code == 422


async def test_a_newer_registration_fences_the_older_agent(server: Server) -> None:
    older = await server.node("n1")
    await FakeAgent(server, "n1", 4, {}).register()
    for response in (await older.post("poll", {"seen": -1}), await older.report(1, "ready")):
        assert (response.status_code, response.json()["code"]) == (409, "stale_epoch")


async def test_an_agent_that_the_server_does_not_know_must_register(server: Server) -> None:
    stranger = FakeAgent(server, "nobody", 1, {}, epoch=1)
    assert (await stranger.post("poll", {"seen": -1})).status_code == 409


async def test_a_silent_node_is_lost_and_comes_back(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    clock.advance(14)
    await server.one_pass()
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"
    clock.advance(2)
    await server.one_pass()
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "lost"
    await agent.assignments()
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"


async def test_where_many_nodes_change_the_lost_ones_are_told_first_and_the_rest_by_the_next_passes(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def states() -> list[str]:
        return [node["observed"] for node in (await server.admin.get("/api/v1/nodes")).json()["items"]]

    monkeypatch.setattr(health, "AT_ONCE", 2)
    agents = [await server.node(f"n{number}") for number in range(4)]
    clock.advance(16)
    await agents[0].post("poll", {"seen": -1, "clock_offset_seconds": 60.0, "clock_error_seconds": 0.1})
    found = []
    for _ in range(3):
        await server.one_pass()
        found.append(await states())
    assert found == [
        ["ready", "lost", "lost", "ready"],
        ["degraded", "lost", "lost", "lost"],
        ["degraded", "lost", "lost", "lost"],
    ]


async def test_an_unknown_node_is_a_404(server: Server) -> None:
    assert (await server.admin.get("/api/v1/nodes/n9")).json()["detail"] == "There is no node n9."
