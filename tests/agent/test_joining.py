import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.agent.fake_server import JOIN_TOKEN, TOKEN, FakeServer
from tests.agent.test_delivery import REGISTRATION

from ringscope_agent.joining import obtain_token
from ringscope_agent.settings import AgentSettings, SettingsError


def settings(server: FakeServer, data_dir: Path, join_token: str = JOIN_TOKEN, **more: object) -> AgentSettings:
    fields = {"server": server.url, "data_dir": data_dir, "join_token": SecretStr(join_token), "token": None} | more
    return AgentSettings.model_validate(fields)


async def test_a_node_joins_once_and_keeps_its_token_for_itself(server: FakeServer, tmp_path: Path) -> None:
    for _ in range(2):
        assert await obtain_token(settings(server, tmp_path), REGISTRATION) == TOKEN
    assert server.joined == [REGISTRATION.name]
    kept = tmp_path / "agent-token"
    assert kept.read_text().strip() == TOKEN
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_a_token_that_is_given_needs_no_joining(server: FakeServer, tmp_path: Path) -> None:
    given = settings(server, tmp_path, token=SecretStr("given"))
    assert await obtain_token(given, REGISTRATION) == "given"
    assert server.joined == []


async def test_a_bad_join_token_is_refused_in_one_sentence_and_nothing_is_kept(
    server: FakeServer, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"^join_token: the server refused it; .* make a new one there\.$"):
        await obtain_token(settings(server, tmp_path, "nonsense"), REGISTRATION)
    assert not (tmp_path / "agent-token").exists()


async def test_a_node_waits_for_a_server_that_is_not_there_yet(server: FakeServer, tmp_path: Path) -> None:
    await server.stop()
    joining = asyncio.create_task(obtain_token(settings(server, tmp_path), REGISTRATION))
    await server.start()
    assert await joining == TOKEN
