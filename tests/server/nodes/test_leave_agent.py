"""POST /agents/{node}/leave: a node whose agent ends for good."""

import asyncio

from tests.server.conftest import ONE_SIZE, Server
from tests.server.nodes.test_join_agent import joined

from ringscope_server.attempts import gangs
from ringscope_server.placement.snapshot import Share


async def test_a_node_that_leaves_is_gone_from_the_lists_and_its_token_ends(server: Server) -> None:
    agent = await joined(server, "n1")
    await agent.register()
    assert (await agent.post("leave", {})).status_code == 204
    assert (await server.admin.get("/api/v1/nodes")).json()["items"] == []
    assert (await agent.post("poll", {"seen": -1})).status_code == 401
    assert (await agent.register()).status_code == 401
    newest = (await server.admin.get("/api/v1/events", params={"limit": 1})).json()["items"][0]
    assert (newest["actor"], newest["action"], newest["before"]) == ("node/n1", "node.left", "ready")
    assert newest["after"] == "removed"


async def test_a_node_that_left_may_come_back_as_a_new_one(server: Server) -> None:
    agent = await server.node("n1")
    await agent.post("leave", {})
    assert (await agent.post("poll", {"seen": -1})).status_code == 401, "its token has ended"
    again = await joined(server, "n1")
    again.epoch, again.slots = agent.epoch, agent.slots
    assert (await again.post("poll", {"seen": -1})).status_code == 409
    await again.register()
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"


async def test_an_older_agent_cannot_take_the_node_of_a_newer_one_away(server: Server) -> None:
    agent = await server.node("n1")
    epoch = agent.epoch
    await agent.register()
    assert (await agent.post("leave", {"epoch": epoch})).json()["code"] == "stale_epoch"
    assert (await server.admin.get("/api/v1/nodes/n1")).status_code == 200


async def test_a_node_that_still_holds_an_attempt_stays(server: Server) -> None:
    agent = await server.node("n1")
    await server.submit(**ONE_SIZE)
    attempt_id = await agent.start_next()
    answer = await agent.post("leave", {})
    assert (answer.status_code, answer.json()["code"]) == (412, "still_held")
    assert f"Attempt {attempt_id} is not proven gone from node n1" in answer.json()["detail"]
    assert (await server.admin.get("/api/v1/nodes/n1")).status_code == 200
    await agent.report(attempt_id, "ended", reason="agent_restarted", message="stopped")
    await agent.report(attempt_id, "clean")
    assert (await agent.post("leave", {})).status_code == 204


async def test_a_job_that_is_given_to_a_node_at_the_moment_it_leaves_has_lost_it(server: Server) -> None:
    """The plan was made before the node left, and is carried out after."""
    agent = await server.node("n1")
    job = await server.submit(**ONE_SIZE, max_attempts=1)
    node_id = (await server.admin.get("/api/v1/nodes/n1")).json()["id"]
    assert (await agent.post("leave", {})).status_code == 204
    async with server.services.database.write() as session:
        assert await gangs.start(session, job["id"], (Share(node_id, (0, 1)),), server.clock())
    await server.one_pass()
    found = await server.job(job["id"])
    assert (found["state"], found["reason"]) == ("failed", "node_lost")


async def test_browsers_read_the_list_anew_when_a_node_has_left(server: Server) -> None:
    agent = await server.node("n1")
    with server.services.stream.subscription(["nodes"], None) as reader:
        await agent.post("leave", {})
        async with asyncio.timeout(60):
            assert (await anext(reader)).type == "reset"
