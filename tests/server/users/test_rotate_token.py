"""POST /tokens/{id}/rotate, and the agent's side of it: a node's token gets another secret, and no call is refused."""

import asyncio
from typing import Any

import httpx
from tests.server.conftest import ONE_SIZE, FakeAgent, Server
from tests.server.live.test_bus import listening
from tests.server.nodes.test_join_agent import agent_with, joined, secret_of

from ringscope_server.users import rotation, tokens

URL = "/api/v1/tokens"


async def token_of(server: Server, node: str) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [item for item in (await server.admin.get(URL)).json()["items"] if item["node"] == node]
    return found


async def rotate(server: Server, node: str = "n1") -> httpx.Response:
    return await server.admin.post(f"{URL}/{(await token_of(server, node))['id']}/rotate")


async def told(agent: FakeAgent) -> bool:
    answer = (await agent.post("poll", {"seen": -1})).json()
    wanted: bool = answer["rotate_token"]
    return wanted


async def hears_of_rotation(agent: FakeAgent, seen: int) -> None:
    """Poll for what is new until it is that: of the registration the other server hears late, too."""
    answer: dict[str, Any] = {"revision": seen, "rotate_token": False}
    while not answer["rotate_token"]:
        answer = (await agent.post("poll", {"seen": answer["revision"]})).json()


async def fetched(agent: FakeAgent) -> FakeAgent:
    """The same agent with the token that it was given."""
    answer = await (await agent.speaker()).post(f"/api/v1/agents/{agent.name}/rotate")
    assert answer.status_code == 200, answer.text
    other = agent_with(agent.server, agent.name, answer.json()["token"])
    other.epoch = agent.epoch
    return other


async def node(server: Server) -> FakeAgent:
    agent = await joined(server, "n1")
    await agent.register()
    return agent


async def test_the_old_token_is_good_until_the_new_one_was_used(server: Server) -> None:
    agent = await node(server)
    before = await token_of(server, "n1")
    assert not await told(agent)
    assert (await rotate(server)).json()["rotation_wanted_at"] == "2026-01-01T00:00:00Z"
    assert await told(agent)
    other = await fetched(agent)
    assert (await agent.post("poll", {"seen": -1})).status_code == 200, "the new one may never have arrived"
    assert not await told(other)
    assert (await agent.post("poll", {"seen": -1})).status_code == 401
    after = await token_of(server, "n1")
    assert (after["id"], after["rotation_wanted_at"]) == (before["id"], None)
    events = (await server.admin.get("/api/v1/events?action=token.*")).json()["items"]
    of_token = [(event["action"], event["actor"]) for event in events if event["target_id"] == str(before["id"])]
    assert of_token == [("token.rotated", "node/n1"), ("token.rotation_wanted", "admin")]


async def test_a_running_job_goes_on_through_a_rotation(server: Server) -> None:
    agent = await node(server)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await rotate(server)
    other = await fetched(agent)
    assert [each["attempt_id"] for each in await other.assignments()] == [attempt]
    assert (await server.job(job["id"]))["state"] == "running"


async def test_a_poll_that_is_held_is_answered_at_once(server: Server) -> None:
    server.services.settings = server.services.settings.model_copy(update={"poll_seconds": 600.0})
    agent = await node(server)
    seen = (await agent.post("poll", {"seen": -1})).json()["revision"]
    poll = asyncio.create_task(agent.post("poll", {"seen": seen}))
    await rotate(server)
    async with asyncio.timeout(30):
        assert (await poll).json()["rotate_token"]


async def test_an_agent_of_another_server_is_told_and_there_the_old_token_ends_as_well(
    two_servers: tuple[Server, Server],
) -> None:
    first, second = two_servers
    await listening(first.services.database)
    agent = await node(first)
    elsewhere = agent_with(second, "n1", secret_of(agent))
    elsewhere.epoch = agent.epoch
    seen = (await elsewhere.post("poll", {"seen": -1})).json()["revision"]
    await rotate(first)
    async with asyncio.timeout(30):
        await hears_of_rotation(elsewhere, seen)
    other = await fetched(agent)
    await other.post("poll", {"seen": -1})
    async with asyncio.timeout(20):  # of itself the other server would ask again after AGENT_SECONDS
        while (await elsewhere.post("poll", {"seen": -1})).status_code != 401:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)


async def test_a_registration_settles_it_as_well(server: Server) -> None:
    agent = await node(server)
    await rotate(server)
    other = await fetched(agent)
    assert (await other.register()).status_code == 200, "the agent was started anew before it could poll"
    assert (await agent.register()).status_code == 401


async def test_an_answer_that_was_lost_is_asked_for_again_and_the_last_one_counts(server: Server) -> None:
    agent = await node(server)
    await rotate(server)
    lost, other = await fetched(agent), await fetched(agent)
    assert (await lost.post("poll", {"seen": -1})).status_code == 401
    assert (await other.post("poll", {"seen": -1})).status_code == 200


async def test_a_late_use_of_the_last_secret_settles_no_rotation_that_came_since(server: Server) -> None:
    agent = await node(server)
    await rotate(server)
    first = await fetched(agent)
    assert not await told(first)
    await rotate(server)
    second = await fetched(first)
    token_id = (await token_of(server, "n1"))["id"]
    async with server.services.database.write() as session:  # of a server that has not heard of the first settlement
        await rotation.settle(session, token_id, tokens.fingerprint(secret_of(first)), server.clock())
    server.services.token_cache.clear()
    assert [(await each.register()).status_code for each in (first, second)] == [200, 200]


async def test_whoever_revokes_in_between_ends_both(server: Server) -> None:
    agent = await node(server)
    await rotate(server)
    other = await fetched(agent)
    assert (await server.admin.delete(f"{URL}/{(await token_of(server, 'n1'))['id']}")).status_code == 204
    assert [(await each.register()).status_code for each in (agent, other)] == [401, 401]


async def test_nobody_fetches_another_token_unasked(server: Server) -> None:
    agent = await node(server)
    url = "/api/v1/agents/{}/rotate"
    refused = await (await agent.speaker()).post(url.format("n1"))
    assert (refused.status_code, refused.json()["code"]) == (412, "not_wanted")
    await server.node("n2")
    foreign = await (await agent.speaker()).post(url.format("n2"))
    assert (foreign.status_code, foreign.json()["code"]) == (403, "not_your_node")


async def test_only_tokens_of_nodes_are_rotated_and_only_by_admins(server: Server) -> None:
    await node(server)
    items = (await server.admin.get(URL)).json()["items"]
    (own,) = [item["id"] for item in items if item["role"] == "admin"]
    refused = await server.admin.post(f"{URL}/{own}/rotate")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_of_node")
    assert "this is a personal token: make another one, and revoke this one." in refused.json()["detail"]
    assert (await server.admin.post(f"{URL}/77/rotate")).status_code == 404
    operator = await server.person("operator")
    assert (await operator.post(f"{URL}/{own}/rotate")).status_code == 403
