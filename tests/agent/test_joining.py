"""The node's own token: kept, joined for once, and replaced when the server refuses it or wants another."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.agent.conftest import eventually
from tests.agent.fake_server import JOIN_TOKEN, TOKEN, FakeServer
from tests.agent.telemetry.test_delivery import REGISTRATION

from ringscope.contracts.protocol import HEARTBEAT_SECONDS, MISSED_HEARTBEATS_UNTIL_LOST, Report
from ringscope_agent.client import TIMEOUT, RejectedError, ServerClient, TokenRefusedError
from ringscope_agent.joining import NodeToken
from ringscope_agent.settings import AgentSettings, SettingsError


def settings(server: FakeServer, data_dir: Path, join_token: str | None = JOIN_TOKEN, **more: object) -> AgentSettings:
    secret = None if join_token is None else SecretStr(join_token)
    fields = {"server": server.url, "data_dir": data_dir, "join_token": secret, "token": None} | more
    return AgentSettings.model_validate(fields)


def node_token(server: FakeServer, data_dir: Path, join_token: str | None = JOIN_TOKEN, **more: object) -> NodeToken:
    return NodeToken(settings(server, data_dir, join_token, **more), REGISTRATION, timedelta())


async def registered(server: FakeServer, token: str, renew: Callable[[str, bool], Awaitable[str]]) -> ServerClient:
    client = ServerClient(server.url, token, REGISTRATION, renew=renew)
    try:
        await client.register()
    except TokenRefusedError:
        await client.close()
        raise
    return client


async def test_a_node_joins_once_and_keeps_its_token_for_itself(server: FakeServer, tmp_path: Path) -> None:
    for _ in range(2):
        assert await node_token(server, tmp_path).obtain() == TOKEN
    assert server.joined == [REGISTRATION.name]
    kept = tmp_path / "agent-token"
    assert kept.read_text().strip() == TOKEN
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_a_token_that_is_given_needs_no_joining(server: FakeServer, tmp_path: Path) -> None:
    assert await node_token(server, tmp_path, token=SecretStr("given")).obtain() == "given"
    assert server.joined == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("join-token", r"^join_token: .*/agent-token holds no good token .* --join-token\.$"),
        ("elsewhere", r"^join_token_file: .*/elsewhere cannot be read \(No such file or directory\); name a file"),
    ],
)
async def test_a_join_token_may_lie_in_a_file_which_is_read_when_it_is_needed(
    server: FakeServer, tmp_path: Path, name: str, sentence: str
) -> None:
    file = tmp_path / name
    own = node_token(server, tmp_path, None, join_token_file=None if name == "join-token" else file)
    with pytest.raises(SettingsError, match=sentence):
        await own.obtain()
    file.write_text(f"{JOIN_TOKEN}\n")
    assert await own.obtain() == TOKEN


async def test_a_node_waits_for_the_file_that_a_server_writes_when_it_starts(
    server: FakeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "join-token"
    await server.stop()
    joining = asyncio.create_task(node_token(server, tmp_path, None, join_token_file=file).obtain())
    await eventually(lambda: "The server is not there yet" in caplog.text)
    file.write_text(f"{JOIN_TOKEN}\n")
    await server.start()
    assert await joining == TOKEN


async def test_a_bad_join_token_is_refused_in_one_sentence_and_nothing_is_kept(
    server: FakeServer, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"^join_token: the server refused it; .* make a new one there\.$"):
        await node_token(server, tmp_path, "nonsense").obtain()
    assert not (tmp_path / "agent-token").exists()


async def test_a_node_waits_for_a_server_that_is_not_there_yet(server: FakeServer, tmp_path: Path) -> None:
    await server.stop()
    joining = asyncio.create_task(node_token(server, tmp_path).obtain())
    await server.start()
    assert await joining == TOKEN


async def test_a_name_that_is_taken_is_waited_for_and_then_refused_with_the_servers_sentence(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope_agent.joining.LAST_RETRY_SECONDS", 0.01)
    server.name_is_taken = 3
    with pytest.raises(RejectedError, match=r"^There is a node of this name already\.$"):
        await node_token(server, tmp_path).obtain()
    patient = NodeToken(settings(server, tmp_path), REGISTRATION, timedelta(minutes=1))
    assert await patient.obtain() == TOKEN, "its earlier life is lost by then"


async def test_a_node_whose_token_is_refused_joins_again_and_the_call_goes_on(
    server: FakeServer, tmp_path: Path
) -> None:
    own = node_token(server, tmp_path)
    client = await registered(server, await own.obtain(), own.renew)
    server.token = "another"
    await asyncio.gather(*(client.poll(-1) for _ in range(3)))
    assert server.joined == [REGISTRATION.name] * 2, "once for all calls"
    assert len(server.registrations) == 1, "under the same epoch"
    assert (tmp_path / "agent-token").read_text() == "another\n"
    await client.close()


async def test_a_proxy_in_the_servers_place_ends_no_agent_that_joins_again(server: FakeServer, tmp_path: Path) -> None:
    own = node_token(server, tmp_path)
    client = await registered(server, await own.obtain(), own.renew)
    server.token, server.strange_joins = "another", [404, 401]
    await client.poll(-1)
    assert (server.joined, server.strange_joins) == ([REGISTRATION.name] * 2, [])
    await client.close()
    server.strange_joins = [404]
    with pytest.raises(RejectedError, match="404"):  # as good as always a wrong address
        await node_token(server, tmp_path / "new").obtain()


async def test_a_refused_token_gives_way_to_the_one_that_was_given_and_that_to_joining(
    server: FakeServer, tmp_path: Path
) -> None:
    (tmp_path / "agent-token").write_text("stale\n")
    own = node_token(server, tmp_path, token=SecretStr("given"))
    client = await registered(server, await own.obtain(), own.renew)
    assert server.joined == [REGISTRATION.name]
    await client.close()
    server.token = "given"
    (tmp_path / "agent-token").write_text("stale\n")
    own = node_token(server, tmp_path, token=SecretStr("given"))
    await (await registered(server, await own.obtain(), own.renew)).close()
    assert server.joined == [REGISTRATION.name]


@pytest.mark.parametrize(
    ("join_token", "words"), [(None, "none to join with; make one"), ("nonsense", "the server refused it; it may be")]
)
async def test_without_a_good_join_token_a_refused_token_is_the_end(
    server: FakeServer, tmp_path: Path, join_token: str | None, words: str
) -> None:
    (tmp_path / "agent-token").write_text("stale\n")
    own = node_token(server, tmp_path, join_token)
    with pytest.raises(TokenRefusedError, match=f"^The server refused this node's token. join_token: .*{words}"):
        await registered(server, await own.obtain(), own.renew)


async def test_a_rotated_token_is_on_disk_before_its_first_use(server: FakeServer, tmp_path: Path) -> None:
    own = node_token(server, tmp_path)
    client = await registered(server, await own.obtain(), own.renew)
    server.wants_rotation = True
    assert (await client.poll(-1)).rotate_token
    await client.rotate(own.keep)
    assert (tmp_path / "agent-token").read_text() == f"{TOKEN}+\n"
    assert server.token == TOKEN, "not used yet"
    assert not (await client.poll(-1)).rotate_token
    assert server.token == f"{TOKEN}+"
    assert server.joined == [REGISTRATION.name]
    await client.close()


async def test_a_rotated_token_that_cannot_be_kept_is_not_used(server: FakeServer, tmp_path: Path) -> None:
    own = node_token(server, tmp_path)
    client = await registered(server, await own.obtain(), own.renew)
    server.wants_rotation = True

    def fail(token: str) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        await client.rotate(fail)
    await client.poll(-1)
    assert server.token == TOKEN
    await client.close()


async def test_what_was_on_its_way_with_the_old_token_goes_on_with_the_new_one(
    server: FakeServer, tmp_path: Path
) -> None:
    own = node_token(server, tmp_path, None, token=SecretStr(TOKEN))
    client = await registered(server, await own.obtain(), own.renew)
    server.poll_seconds = 60
    held = asyncio.create_task(client.poll(server.revision))
    await eventually(lambda: len(server.polls) == 1)
    server.wants_rotation = True
    await client.rotate(own.keep)
    await client.report(Report(epoch=0, attempt_id=7, event="ready"))
    assert server.token == f"{TOKEN}+"
    await server.rotate()  # answers the poll, which came with a token that is worth nothing by now
    assert (await held).rotate_token
    await client.close()


def test_a_server_that_freezes_leaves_time_to_speak_to_another_one() -> None:
    assert TIMEOUT.read is not None and TIMEOUT.connect is not None
    silence = HEARTBEAT_SECONDS + max(TIMEOUT.read, TIMEOUT.connect)  # the poll before it was the last one heard
    assert TIMEOUT.read > HEARTBEAT_SECONDS
    assert silence + 2 < HEARTBEAT_SECONDS * MISSED_HEARTBEATS_UNTIL_LOST
