"""A live stream ends with the session or the token that opened it, and at once."""

import asyncio

import httpx
import pytest
from tests.server.conftest import Clock, Server
from tests.server.live.test_bus import listening

from ringscope_server.background import upkeep

DEADLINE_SECONDS = 30
WEB = {"X-Ringscope-Client": "web"}


async def made(server: Server, **spec: object) -> tuple[int, str]:
    token = (await server.admin.post("/api/v1/tokens", json={"name": "eve", "role": "viewer"} | spec)).json()
    return token["id"], token["secret"]


async def logged_in(server: Server, secret: str) -> httpx.AsyncClient:
    browser = server.client()
    await browser.post("/api/v1/session", json={"token": secret})
    return browser


async def listen(*clients: httpx.AsyncClient, on: Server) -> list[asyncio.Task[httpx.Response]]:
    """Streams that stand; a client gives the answer once it is whole, which is when the stream has ended."""
    begun = on.services.stream.subscribers
    readers = [asyncio.create_task(client.get("/api/v1/stream")) for client in clients]
    async with asyncio.timeout(DEADLINE_SECONDS):
        while on.services.stream.subscribers < begun + len(clients):  # noqa: ASYNC110  # it tells nobody that it stands
            await asyncio.sleep(0.01)
    return readers


async def ended(*readers: asyncio.Task[httpx.Response]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        for answer in await asyncio.gather(*readers):
            assert "connected" in answer.text


async def test_logging_out_ends_the_streams_of_this_session_alone(server: Server) -> None:
    _, secret = await made(server)
    leaving, other = await logged_in(server, secret), await logged_in(server, secret)
    one, two, elsewhere, script = await listen(leaving, leaving, other, server.client(secret), on=server)
    assert (await leaving.delete("/api/v1/session", headers=WEB)).status_code == 204
    await ended(one, two)
    assert not elsewhere.done() and not script.done()
    assert (await leaving.get("/api/v1/stream")).status_code == 401
    await upkeep.once(server.services)
    assert server.services.stream.subscribers == 2
    server.services.stream.close()
    await ended(elsewhere, script)


async def test_a_revoked_token_ends_its_streams_and_those_of_its_sessions(server: Server) -> None:
    token_id, secret = await made(server)
    readers = await listen(server.client(secret), await logged_in(server, secret), on=server)
    (other,) = await listen(server.admin, on=server)
    await server.admin.delete(f"/api/v1/tokens/{token_id}")
    await ended(*readers)
    assert not other.done()
    server.services.stream.close()
    await ended(other)


async def test_a_stream_ends_when_its_session_expires(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "STREAMS_SECONDS", 0.01)
    _, secret = await made(server, expires_in_days=1)
    readers = await listen(server.client(secret), await logged_in(server, secret), on=server)
    (other,) = await listen(server.admin, on=server)
    watch = asyncio.create_task(upkeep.end_streams(server.services))
    clock.advance(86_400 - 1)
    server.services.stream.end_over(clock())
    assert not any(reader.done() for reader in readers)
    clock.advance(1)
    await ended(*readers)
    assert not other.done()
    watch.cancel()
    server.services.stream.close()
    await ended(other)


async def test_streams_of_another_server_end_as_well(two_servers: tuple[Server, Server]) -> None:
    first, second = two_servers
    await listening(first.services.database)
    _, secret = await made(first)
    browser = await logged_in(first, secret)
    there = second.client()
    there.cookies = browser.cookies
    (reader,) = await listen(there, on=second)
    await browser.delete("/api/v1/session", headers=WEB)
    await ended(reader)
    assert (await there.get("/api/v1/me")).status_code == 401, "nothing is remembered there"
