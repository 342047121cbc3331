"""Tokens that the settings give: made at the first start, once, and not again after they were revoked."""

from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import Clock, Server, running_server
from tests.server.start.test_start import refused, start

from ringscope_server.users.given_tokens import GivenTokenError

JOIN, METRICS = "j" * 32, "m" * 32


async def joined(server: Server, secret: str, name: str = "n1") -> int:
    return (await server.client(secret).post("/api/v1/agents/join", json={"name": name})).status_code


async def made(server: Server) -> list[dict[str, Any]]:
    page = (await server.admin.get("/api/v1/events?action=token.created")).json()
    found: list[dict[str, Any]] = page["items"]
    return found


async def test_agents_join_with_the_given_secret(tmp_path: Path, clock: Clock, database_url: str) -> None:
    async with running_server(tmp_path, clock, database_url=database_url, join_token=JOIN) as server:
        assert await joined(server, JOIN) == 201
        assert (await server.client(JOIN).get("/api/v1/jobs")).status_code == 403
        assert await joined(server, METRICS, "n2") == 401


async def test_prometheus_reads_with_the_given_secret_and_changes_nothing(
    tmp_path: Path, clock: Clock, database_url: str
) -> None:
    async with running_server(tmp_path, clock, database_url=database_url, metrics_token=METRICS) as server:
        prometheus = server.client(METRICS)
        assert (await prometheus.get("/metrics")).status_code == 200
        assert (await prometheus.post("/api/v1/jobs", json={})).status_code == 403
        assert (await prometheus.get("/api/v1/me")).json()["role"] == "viewer"


async def test_a_given_token_is_made_once_and_recorded(tmp_path: Path, clock: Clock, database_url: str) -> None:
    for _ in range(2):
        async with running_server(tmp_path, clock, database_url=database_url, join_token=JOIN) as server:
            (event,) = await made(server)
            assert (event["actor"], event["after"]) == ("system", "join")
            assert JOIN not in event["message"]


async def test_a_given_token_that_was_revoked_stays_so(
    tmp_path: Path, clock: Clock, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings: dict[str, Any] = {"database_url": database_url, "join_token": JOIN}
    async with running_server(tmp_path, clock, **settings) as server:
        (event,) = await made(server)
        assert (await server.admin.delete(f"/api/v1/tokens/{event['target_id']}")).status_code == 204
    async with running_server(tmp_path, clock, **settings) as server:
        assert await joined(server, JOIN) == 401
        assert "join_token was revoked" in caplog.text
    async with running_server(tmp_path, clock, **settings | {"join_token": "k" * 32}) as server:
        assert await joined(server, "k" * 32) == 201, "another secret is another token"


async def test_one_secret_is_not_good_for_two_things(tmp_path: Path, clock: Clock, database_url: str) -> None:
    with pytest.raises(GivenTokenError, match=r"--metrics-token: .* \(join, join\); choose one"):
        async with running_server(tmp_path, clock, database_url=database_url, join_token=JOIN, metrics_token=JOIN):
            pass


@pytest.mark.parametrize("flag", ["--join-token", "--metrics-token"])
def test_a_short_secret_is_refused_and_not_printed(tmp_path: Path, flag: str) -> None:
    done = start(tmp_path, flag, "hunter2")
    refused(done, f"{flag}: ")
    assert "at least 32" in done.stderr
    assert "hunter2" not in done.stderr


def test_a_secret_that_is_in_use_is_one_line(tmp_path: Path) -> None:
    refused(start(tmp_path, "--join-token", JOIN, "--metrics-token", JOIN), "--metrics-token: this secret")
