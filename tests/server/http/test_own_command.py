"""GET /me gives the command to type on the server's own machine, and only to users who can type it there."""

import sys
from pathlib import Path

import httpx
import pytest
from tests.server.conftest import Server

from ringscope_server.http import own_command
from ringscope_server.settings import Settings

PROGRAM = Path(sys.executable).with_name("ringscope")
HERE = "http://127.0.0.1:8000"


async def told(asks: httpx.AsyncClient, server: Server, url: str = HERE, address: str = "127.0.0.1") -> str | None:
    transport = httpx.ASGITransport(server.transport.app, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url=url, headers=asks.headers) as client:
        answer = (await client.get("/api/v1/me")).raise_for_status().json()
    command: str | None = answer["command"]
    return command


def lies_in(server: Server, data_dir: str) -> None:
    settings = server.services.settings
    server.services.settings = Settings(data_dir=Path(data_dir), database_url=settings.database_url)


async def test_the_program_and_the_data_directory_are_quoted_for_a_shell(server: Server) -> None:
    lies_in(server, "/srv/my rs")
    assert await told(server.admin, server) == f"RINGSCOPE_DATA_DIR='/srv/my rs' {PROGRAM}"


@pytest.mark.parametrize("url", [HERE, "http://localhost:8000", "http://[::1]:8000"])
async def test_of_the_usual_directory_nothing_is_said(server: Server, url: str) -> None:
    lies_in(server, "~/.local/share/ringscope")
    assert await told(await server.person("operator"), server, url) == str(PROGRAM)


@pytest.mark.parametrize(
    ("url", "address"),
    [("http://rs.example.org", "127.0.0.1"), ("http://10.0.0.9:8000", "10.0.0.9"), (HERE, "172.17.0.1")],
    ids=["proxy", "elsewhere", "published port"],
)
async def test_nobody_elsewhere_is_told(server: Server, url: str, address: str) -> None:
    assert await told(server.admin, server, url, address) is None


async def test_viewers_are_not_told(server: Server) -> None:
    assert await told(await server.person("viewer"), server) is None


async def test_a_server_without_the_program_beside_it_says_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(own_command.sys, "executable", str(tmp_path / "python"))
    assert await told(server.admin, server) is None
