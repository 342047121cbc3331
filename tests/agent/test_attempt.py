"""One attempt against a fake server, without ranks: what becomes of a node that is not free."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.agent.fake_server import TOKEN, FakeServer
from tests.agent.test_delivery import REGISTRATION

from ringscope.contracts.protocol import Assignment
from ringscope_agent import process_group
from ringscope_agent.attempt import Attempt
from ringscope_agent.checkpoints import Checkpoints
from ringscope_agent.client import ServerClient
from ringscope_agent.home import DataHome
from ringscope_agent.launch.keepers import Keepers
from ringscope_agent.launch.node_context import NodeContext
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.process_group import Process
from ringscope_agent.settings import AgentSettings


@pytest.fixture
async def context(server: FakeServer, tmp_path: Path) -> AsyncIterator[NodeContext]:
    client = ServerClient(server.url, TOKEN, REGISTRATION)
    await client.register()
    settings = AgentSettings(name="n1", data_dir=tmp_path)
    exporter, checkpoints = Exporter({}, lambda: 0), Checkpoints(tmp_path, keep_seconds=3600)
    yield NodeContext(settings, client, exporter, Keepers(tmp_path), checkpoints, "MPICH is not installed.")
    await client.close()


async def test_a_node_that_cannot_be_proven_free_says_so_once_and_goes_on_trying(
    server: FakeServer,
    context: NodeContext,
    assignment: Callable[..., Assignment],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds = 0

    async def end_processes(token: str, home: Path, grace_seconds: float) -> list[Process]:
        nonlocal rounds
        rounds += 1
        return [Process(4711, 1, "python -m undead"), Process(4712, 1, "sh")] if rounds <= 4 else []

    monkeypatch.setattr(process_group, "end_processes", end_processes)
    monkeypatch.setattr("ringscope_agent.attempt.RETRY_KILL_SECONDS", 0.0)
    server.auto = False
    home = DataHome(tmp_path, "n1")
    job = assignment()
    await server.assign(job)
    attempt = Attempt(context, home.new_attempt(job), lambda: "Node n1 is busy.")
    life = asyncio.create_task(attempt.run())
    assert (await server.wait_for("refused", 7)).message == "Node n1 is busy."
    attempt.update(job.model_copy(update={"desired": "stop"}))
    await life
    assert [report.event for report in server.reports] == ["refused", "unclean", "clean"]
    assert server.reports[1].message == (
        "Node n1 cannot end these processes: 4711 (python -m undead), 4712 (sh); end them by hand."
    )
    attempt.records.close()
    home.close()
