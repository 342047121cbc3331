"""admin-token and agent-token: each data directory holds tokens that its database knows."""

from pathlib import Path

from tests.server.conftest import Clock, Server, running_server


async def test_the_tokens_of_each_server_are_good_on_both(two_servers: tuple[Server, Server]) -> None:
    first, second = two_servers
    for server, other in ((first, second), (second, first)):
        stranger = other.client(token(server, "admin-token"))
        assert (await stranger.get("/api/v1/me")).json()["role"] == "admin"
    assert token(first, "admin-token") != token(second, "admin-token")


async def test_a_directory_that_served_another_database_gets_tokens_of_this_one(
    tmp_path: Path, clock: Clock, postgresql_database: str
) -> None:
    async with running_server(tmp_path, clock) as server:
        before = token(server, "admin-token"), token(server, "agent-token")
    async with running_server(tmp_path, clock, database_url=postgresql_database) as server:
        after = token(server, "admin-token"), token(server, "agent-token")
        assert (await server.admin.get("/api/v1/jobs")).status_code == 200
        await server.node()
    async with running_server(tmp_path, clock, database_url=postgresql_database) as server:
        assert (token(server, "admin-token"), token(server, "agent-token")) == after, "good ones are kept"
    assert not {*before} & {*after}


def token(server: Server, name: str) -> str:
    return (server.services.settings.data_path / name).read_text().strip()
