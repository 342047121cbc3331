"""429: how often one token or address may ask."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.conftest import Clock, Server, running_server

from ringscope.contracts.protocol import PROBLEM_MEDIA_TYPE
from ringscope_server.users.rate_limit import BURST_SECONDS, FORGET_FROM, RateLimiter

RATE = 5.0
BURST = int(RATE * BURST_SECONDS)
STREAM = "/api/v1/stream"
DEADLINE_SECONDS = 30
STRANGERS_BURST = int(RATE / 10 * BURST_SECONDS)


@pytest.fixture
async def limited(tmp_path: Path, clock: Clock) -> AsyncIterator[Server]:
    async with running_server(tmp_path, clock, requests_per_second=RATE) as running:
        yield running


async def test_a_burst_passes_and_then_the_client_is_told_when_to_come_back(limited: Server, clock: Clock) -> None:
    answers = [await limited.admin.get("/api/v1/me") for _ in range(BURST + 1)]
    assert [answer.status_code for answer in answers] == [200] * BURST + [429]
    refused = answers[-1]
    assert (refused.json()["code"], refused.headers["retry-after"]) == ("too_many_requests", "1")
    assert "this token" in refused.json()["detail"]
    clock.advance(1)
    again = [(await limited.admin.get("/api/v1/me")).status_code for _ in range(int(RATE) + 1)]
    assert again == [200] * int(RATE) + [429]


async def test_each_token_has_a_limit_of_its_own_and_shares_it_with_its_sessions(limited: Server) -> None:
    eve = await limited.person("admin")
    browser = await limited.follow((await eve.post("/api/v1/login-links")).json()["url"])
    while (await eve.get("/api/v1/me")).status_code == 200:
        pass
    assert (await browser.get("/api/v1/me")).status_code == 429
    assert (await limited.admin.get("/api/v1/me")).status_code == 200


async def test_a_guest_takes_nothing_from_whoever_shared_a_page(limited: Server) -> None:
    link = (await limited.admin.post("/api/v1/login-links", json={"role": "viewer"})).json()["url"]
    guest = await limited.follow(link)
    while (await guest.get("/api/v1/me")).status_code == 200:
        pass
    assert (await limited.admin.get("/api/v1/me")).status_code == 200


async def test_agents_are_not_limited(limited: Server) -> None:
    agent = await limited.node()
    answers = [await agent.post("poll", {"seen": -1}) for _ in range(BURST + 5)]
    assert {answer.status_code for answer in answers} == {200}


async def test_logging_in_is_limited_for_each_address_and_more_strictly(limited: Server, clock: Clock) -> None:
    stranger = limited.client()
    tries = [await stranger.post("/api/v1/session", json={"token": "rs_wrong"}) for _ in range(STRANGERS_BURST + 1)]
    assert [answer.status_code for answer in tries] == [401] * STRANGERS_BURST + [429]
    assert tries[-1].headers["retry-after"] == "2"
    # Requests with a wrong token count with them; who has a valid one at the same address goes on.
    assert (await limited.client("rs_wrong").get("/api/v1/me")).status_code == 429
    assert (await limited.admin.get("/api/v1/me")).status_code == 200
    assert (await stranger.get("/healthz")).status_code == 200
    clock.advance(2)
    assert (await stranger.post("/api/v1/session", json={"token": "rs_wrong"})).status_code == 401


async def test_a_token_and_its_sessions_have_so_many_live_streams_and_others_have_their_own(
    tmp_path: Path, clock: Clock
) -> None:
    most, others = 5, 3
    async with running_server(tmp_path, clock, max_streams_per_token=most) as server:
        eve, stream = await server.person("admin"), server.services.stream
        browser = await server.follow((await eve.post("/api/v1/login-links")).json()["url"])
        guest = await server.follow((await eve.post("/api/v1/login-links", json={"role": "viewer"})).json()["url"])
        readers = [asyncio.create_task(client.get(STREAM)) for client in (eve, browser) * most]
        readers += [asyncio.create_task(client.get(STREAM)) for client in (guest, server.admin, server.admin)]
        async with asyncio.timeout(DEADLINE_SECONDS):
            while sum(reader.done() for reader in readers) < most or stream.subscribers < most + others:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        refused = [reader.result() for reader in readers if reader.done()]
        assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(429, "too_many_streams")] * most
        assert "close pages" in refused[0].json()["detail"] and refused[0].headers["content-type"] == PROBLEM_MEDIA_TYPE
        assert stream.subscribers == most + others
        stream.close()
        for reader in readers:
            await reader
        assert stream.subscribers == 0
        again = asyncio.create_task(eve.get(STREAM))
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not stream.subscribers:  # noqa: ASYNC110  # it tells nobody that it stands
                await asyncio.sleep(0.01)
        stream.close()
        assert (await again).status_code == 200, "there is room again"


async def test_what_is_refused_is_counted(limited: Server, clock: Clock) -> None:
    for _ in range(BURST + 1):
        await limited.admin.get("/api/v1/me")
    clock.advance(1)
    assert 'ringscope_requests_limited_total{counted_by="token"} 1.0' in (await limited.admin.get("/metrics")).text


def test_without_a_rate_nobody_waits() -> None:
    limiter = RateLimiter(0)
    assert {limiter.wait_seconds("a", 0.0) for _ in range(10_000)} == {0.0}


def test_a_slow_rate_still_lets_single_requests_pass() -> None:
    limiter = RateLimiter(0.1)
    assert [limiter.wait_seconds("a", now) for now in (0.0, 5.0, 10.0)] == [0.0, 5.0, 0.0]


def test_over_a_long_time_the_rate_holds() -> None:
    limiter = RateLimiter(RATE)
    seconds = 100
    passed = sum(limiter.wait_seconds("a", tick / 100) == 0.0 for tick in range(seconds * 100))
    assert RATE * seconds <= passed <= BURST + RATE * seconds


def test_a_clock_that_is_set_back_locks_nobody_out() -> None:
    limiter = RateLimiter(RATE)
    for _ in range(BURST):
        limiter.wait_seconds("a", 1_000_000.0)
    assert limiter.wait_seconds("a", 0.0) <= 1 / RATE + 1e-6
    assert limiter.wait_seconds("a", 1.0) == 0.0


def test_keys_that_are_idle_take_no_memory() -> None:
    limiter = RateLimiter(RATE)
    for address in range(3 * FORGET_FROM):
        limiter.wait_seconds(address, float(address))
    assert len(limiter._empty_at) <= FORGET_FROM
