"""`python -m ringscope_agent`: how it ends if it cannot serve."""

from pathlib import Path

import pytest

from ringscope_agent.__main__ import main
from ringscope_agent.agent import Agent
from ringscope_agent.client import RejectedError


def test_an_agent_that_the_server_refuses_ends_with_the_servers_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def refused(_: Agent) -> None:
        raise RejectedError("The node has Ringscope 0.0.9.", 426)

    monkeypatch.setattr(Agent, "run", refused)
    assert main(["--server", "http://server", "--data-dir", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "The server refused this agent: 426 The node has Ringscope 0.0.9.\n"
