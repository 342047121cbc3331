"""admin-token and join-token: each data directory holds tokens that its database knows."""

from pathlib import Path

import pytest
from tests.server.conftest import Clock, Server, running_server

from ringscope_server.users import tokens


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
        before = token(server, "admin-token"), token(server, "join-token")
    async with running_server(tmp_path, clock, database_url=postgresql_database) as server:
        after = token(server, "admin-token"), token(server, "join-token")
        assert (await server.admin.get("/api/v1/jobs")).status_code == 200
        await server.node()
    async with running_server(tmp_path, clock, database_url=postgresql_database) as server:
        assert (token(server, "admin-token"), token(server, "join-token")) == after, "good ones are kept"
    assert not {*before} & {*after}


async def test_a_token_whose_file_is_gone_is_revoked_at_the_next_start_with_what_was_made_with_it(
    tmp_path: Path, clock: Clock, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_server(tmp_path, clock, database_url=database_url) as server:
        admin, join = token(server, "admin-token"), token(server, "join-token")
        await server.client().post("/api/v1/session", json={"token": admin})
        node = (await server.client(join).post("/api/v1/agents/join", json={"name": "n1"})).json()["token"]
        ci = (await server.admin.post("/api/v1/tokens", json={"name": "admin", "role": "admin"})).json()["secret"]
    for name in ("admin-token", "join-token"):
        (tmp_path / name).unlink()
    assert caplog.text == ""
    async with running_server(tmp_path, clock, database_url=database_url) as server:
        assert (await server.client(admin).get("/api/v1/me")).status_code == 401
        assert (await server.client(join).post("/api/v1/agents/join", json={"name": "n2"})).status_code == 401
        assert (await server.client(node).post("/api/v1/agents/n1/poll", json={"epoch": 1})).status_code == 401
        assert (await server.client(ci).get("/api/v1/me")).status_code == 200, "a person made it"
        revoked = (await server.admin.get("/api/v1/events?action=token.revoked")).json()["items"]
    assert [(event["actor"], event["before"]) for event in revoked] == [("system", "join"), ("system", "admin")]
    said = [record.getMessage() for record in caplog.records]
    sentence = "is new: what it held before is revoked, with all that was made with it."
    assert said == [f"{tmp_path / name} {sentence}" for name in ("admin-token", "join-token")]


async def test_a_start_leaves_the_tokens_of_other_directories_and_of_people_alone(
    tmp_path: Path, clock: Clock, postgresql_database: str
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first, second):
        path.mkdir()
        async with running_server(path, clock, database_url=postgresql_database) as server:
            kept = token(server, "admin-token")
    (first / "admin-token").unlink()
    async with running_server(first, clock, database_url=postgresql_database) as server:
        assert (await server.client(kept).get("/api/v1/me")).status_code == 200
    mine = (second / "admin-token").read_text()
    (first / "admin-token").write_text(mine)
    async with running_server(first, clock, database_url=postgresql_database) as server:
        assert token(server, "admin-token") == mine.strip(), "what somebody put there and is good stays"


async def test_a_token_of_an_earlier_version_that_spoke_for_all_nodes_is_revoked(
    tmp_path: Path, clock: Clock, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_server(tmp_path, clock, database_url=database_url) as server:
        async with server.services.database.write() as session:
            shared = await tokens.create(session, "agent", "agent", "agent", clock(), None)
        refused = await server.client(shared).post("/api/v1/agents/n1/poll", json={"epoch": 1})
        assert (refused.status_code, refused.json()["code"]) == (403, "not_your_node")
    async with running_server(tmp_path, clock, database_url=database_url) as server:
        refused = await server.client(shared).post("/api/v1/agents/n1/poll", json={"epoch": 1})
        assert refused.status_code == 401
    assert "spoke for all nodes are revoked" in caplog.text


def token(server: Server, name: str) -> str:
    return (server.services.settings.data_path / name).read_text().strip()
