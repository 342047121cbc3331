"""An agent looks for ranks of its earlier life and opens its metrics port before it asks its server for anything."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.words.machine import Machine
from ringscope_agent import agent
from ringscope_agent.home import DataHome
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.settings import AgentSettings


class EnoughError(Exception):
    """The test has seen what it wanted to."""


@pytest.mark.parametrize("has_ranks", [False, True])
async def test_ranks_of_an_earlier_life_keep_the_machine_from_being_measured_and_proxies_from_ending_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, assignment: Callable[..., Assignment], has_ranks: bool
) -> None:
    if has_ranks:
        home = DataHome(tmp_path, "n1")
        home.new_attempt(assignment())
        home.close()
    told: dict[str, bool] = {}

    def known_machine(*, may_measure: bool) -> Machine:
        told["may_measure"] = may_measure
        return Machine()

    def server_client(*_: object, was_here: bool, **__: object) -> None:
        told["was_here"] = was_here
        raise EnoughError

    monkeypatch.setattr(agent, "known_machine", known_machine)
    monkeypatch.setattr(agent.process_group, "become_subreaper", lambda: None)  # this process is not the agent's
    monkeypatch.setattr(agent, "ServerClient", server_client)
    settings = AgentSettings(name="n1", slots=1, data_dir=tmp_path, metrics_port=0, token=SecretStr("secret"))
    with pytest.raises(EnoughError):
        await agent.Agent(settings).run()
    assert told == {"may_measure": not has_ranks, "was_here": has_ranks}


@pytest.mark.parametrize("chosen", [None, 0])
def test_where_the_usual_metrics_port_is_taken_and_none_was_chosen_a_free_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, chosen: int | None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(agent, "METRICS_PORT", taken)
        here = agent.Agent(AgentSettings(name="n1", slots=1, data_dir=tmp_path, metrics_port=chosen))
        server = here._serve_metrics(Exporter({}, lambda: 0, 8))
        server.close()
    assert server.port not in (0, taken)
    said = [f"metrics_port: {taken} is taken here, so /metrics is on port {server.port}."]
    assert caplog.messages == (said if chosen is None else [])
