"""POST /agents/join: a token of its own for each node."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import Clock, FakeAgent, Server
from tests.server.scheduler.test_lease import waiting_for_a_lock

from ringscope_server.db.engine import Database
from ringscope_server.db.faults import BUSY, fault_of
from ringscope_server.nodes import joining
from ringscope_server.users import token_cache, tokens
from ringscope_server.users.token_cache import TokenCache
from ringscope_server.users.tokens import Role, TokenKind, User


async def joiner(server: Server) -> httpx.AsyncClient:
    async with server.services.database.write() as session:
        return server.client(await tokens.create(session, "lab", "join", "join", server.clock(), None))


async def joined(server: Server, name: str, client: httpx.AsyncClient | None = None) -> FakeAgent:
    """An agent that speaks with the token it got by joining."""
    answer = await (client or await joiner(server)).post("/api/v1/agents/join", json={"name": name})
    assert answer.status_code == 201, answer.text
    return agent_with(server, name, answer.json()["token"])


def agent_with(server: Server, name: str, secret: str) -> FakeAgent:
    return FakeAgent(server, name, 2, {}, client=server.client(secret))


def secret_of(agent: FakeAgent) -> str:
    assert agent.client is not None
    return agent.client.headers["authorization"].removeprefix("Bearer ")


async def revoke(server: Server, secret: str) -> None:
    async with server.services.database.write() as session:
        await session.delete(await tokens.find(session, secret, server.clock()))


async def test_a_node_that_joined_speaks_with_its_own_token(server: Server) -> None:
    agent = await joined(server, "n1")
    assert (await agent.register()).status_code == 200
    assert await agent.assignments() == []
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"
    (first, *_) = (await server.admin.get("/api/v1/nodes/n1/events")).json()["items"]
    assert (first["action"], first["actor"]) == ("node.joined", "lab")


async def test_a_nodes_token_speaks_for_no_other_node(server: Server) -> None:
    agent, other = await joined(server, "n1"), await server.node("n2")
    await agent.register()
    foreign = agent_with(server, "n2", secret_of(agent))
    foreign.epoch = other.epoch
    for answer in (
        await foreign.register(),
        await foreign.post("poll", {"seen": -1}),
        await foreign.report(1, "ready"),
        await foreign.records(1),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_your_node")
        assert "n1 only" in answer.json()["detail"]
    assert (await server.admin.get("/api/v1/nodes/n2")).json()["address"] == "n2"
    assert (await (await agent.speaker()).get("/api/v1/nodes")).status_code == 403


async def test_nobody_joins_under_the_name_of_a_living_node(server: Server, clock: Clock) -> None:
    door = await joiner(server)
    agent = await joined(server, "n1", door)
    await agent.register()
    refused = await door.post("/api/v1/agents/join", json={"name": "n1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "node_lives")
    assert await agent.assignments() == []
    clock.advance(20)
    await server.one_pass()
    again = await joined(server, "n1", door)
    assert (await agent.post("poll", {"seen": -1})).status_code == 401, "one node, one token"
    assert (await again.register()).status_code == 200


async def test_of_two_that_join_at_once_under_a_new_name_one_speaks_for_it(two_servers: tuple[Server, Server]) -> None:
    one, other = two_servers
    user = User("lab", "join", "join", 1)
    async with one.services.database.write() as session:
        secret, _ = await joining.join(session, "n1", user, one.clock())
        joins = asyncio.create_task(joined(other, "n1"))
        await waiting_for_a_lock(one.services)
    second = await joins
    assert (await second.register()).status_code == 200
    assert (await agent_with(one, "n1", secret).register()).status_code == 401


async def test_an_agent_whose_token_was_revoked_joins_again_before_its_node_is_lost(server: Server) -> None:
    door = await joiner(server)
    agent = await joined(server, "n1", door)
    await agent.register()
    (own,) = [item for item in (await server.admin.get("/api/v1/tokens")).json()["items"] if item["node"] == "n1"]
    assert (await server.admin.delete(f"/api/v1/tokens/{own['id']}")).status_code == 204
    assert (await agent.post("poll", {"seen": -1})).status_code == 401
    again = await joined(server, "n1", door)
    again.epoch = agent.epoch
    assert await again.assignments() == [], "under the epoch that it had"


async def test_only_a_join_token_joins_and_it_does_nothing_else(server: Server) -> None:
    body = {"name": "n1"}
    for client in (server.admin, await server.speaker()):
        assert (await client.post("/api/v1/agents/join", json=body)).status_code == 403
    assert (await server.client("rs_wrong").post("/api/v1/agents/join", json=body)).status_code == 401
    door = await joiner(server)
    assert (await door.get("/api/v1/nodes")).status_code == 403
    assert (await door.post("/api/v1/agents/register", json={})).status_code == 403


@pytest.mark.parametrize("name", ["", "a/b", "x" * 201, "a\nb", " n1", ".."])
async def test_a_name_that_is_no_part_of_a_path_is_refused(server: Server, name: str) -> None:
    answer = await (await joiner(server)).post("/api/v1/agents/join", json={"name": name})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/name")
    assert (await FakeAgent(server, name, 1, {}).register()).status_code == 422


async def test_the_end_of_the_join_token_ends_the_tokens_made_with_it(server: Server) -> None:
    door = await joiner(server)
    agent = await joined(server, "n1", door)
    await agent.register()
    await revoke(server, door.headers["authorization"].removeprefix("Bearer "))
    server.services.token_cache.clear()
    assert (await agent.post("poll", {"seen": -1})).status_code == 401


async def test_a_removed_nodes_token_is_worth_nothing(server: Server, clock: Clock) -> None:
    agent = await joined(server, "n1")
    await agent.register()
    clock.advance(20)
    await server.one_pass()
    assert (await server.admin.delete("/api/v1/nodes/n1")).status_code == 204
    assert (await agent.register()).status_code == 401


@pytest.mark.parametrize(
    ("kind", "role", "kept_seconds"),
    [("agent", "agent", token_cache.AGENT_SECONDS), ("personal", "admin", token_cache.PERSON_SECONDS)],
)
async def test_a_token_is_kept_for_a_short_while_and_then_asked_for_again(
    server: Server, clock: Clock, kind: TokenKind, role: Role, kept_seconds: float
) -> None:
    seconds = [0.0]
    cache, database = TokenCache(lambda: seconds[0]), server.services.database
    async with database.write() as session:
        secret = await tokens.create(session, "somebody", kind, role, clock(), None)
    assert await cache.find(database, secret, clock()) is not None
    await revoke(server, secret)
    assert await cache.find(database, secret, clock()) is not None, "another server's revocation is not known yet"
    seconds[0] += kept_seconds + 0.1
    assert await cache.find(database, secret, clock()) is None


async def test_a_token_that_cannot_be_confirmed_is_the_databases_trouble(server: Server, clock: Clock) -> None:
    seconds = [0.0]
    cache, database = TokenCache(lambda: seconds[0]), server.services.database
    async with database.write() as session:
        secret = await tokens.create(session, "eve", "personal", "admin", clock(), None)
    assert await cache.find(database, secret, clock()) is not None
    seconds[0] += token_cache.PERSON_SECONDS + 0.1

    class Hung(Database):
        @asynccontextmanager
        async def read(self) -> AsyncIterator[AsyncSession]:
            cache.clear()  # some token was revoked meanwhile: what was known before counts no more
            await asyncio.Event().wait()
            yield AsyncSession()

    hung = Hung("sqlite+aiosqlite://")
    with pytest.raises(SQLAlchemyError) as error:
        await cache.find(hung, secret, clock())
    assert fault_of(error.value) is BUSY
    await hung.dispose()


async def test_what_was_revoked_here_is_forgotten_at_once(server: Server, clock: Clock) -> None:
    cache, database = TokenCache(), server.services.database
    async with database.write() as session:
        secret = await tokens.create(session, "eve", "personal", "admin", clock(), None)
    assert await cache.find(database, secret, clock()) is not None
    await revoke(server, secret)
    cache.clear()
    assert await cache.find(database, secret, clock()) is None


async def test_a_kept_token_expires_in_time(server: Server, clock: Clock) -> None:
    cache, database = TokenCache(), server.services.database
    async with database.write() as session:
        end = clock.now.replace(hour=1)
        short = await tokens.create(session, "n1", "agent", "agent", clock(), end, node="n1")
    assert await cache.find(database, short, clock()) is not None
    clock.advance(3600)
    assert await cache.find(database, short, clock()) is None


async def test_a_login_link_is_never_kept(server: Server, clock: Clock) -> None:
    cache, database = TokenCache(), server.services.database
    async with database.write() as session:
        link = await tokens.create(session, "eve", "login", "admin", clock(), None)
    assert await cache.find(database, link, clock()) is not None
    await revoke(server, link)
    assert await cache.find(database, link, clock()) is None
