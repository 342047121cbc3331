"""One node's part of a gang with a real mpiexec, whose proxies are never started."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.agent.conftest import eventually
from tests.agent.groups import needed

from ringscope.contracts.protocol import Assignment, Proxy
from ringscope.contracts.rank_process import POSITIONS_VARIABLE, TOKEN_VARIABLE
from ringscope.contracts.record import Log
from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.launch import node_run as node_runs
from ringscope_agent.launch import stopped
from ringscope_agent.launch.node_run import NodeRun
from ringscope_agent.launch.outcome import RankBoard
from ringscope_agent.launch.programs import MpiPrograms, find_programs


async def nothing() -> None:
    pass


class Running:
    """A node's part that runs, and what it reported."""

    def __init__(self, job: Assignment, folder: Path) -> None:
        programs = find_programs()
        assert isinstance(programs, MpiPrograms)
        self.proxies: list[Proxy] = []
        self.log: list[Log] = []
        self.belonging = Belonging(job.token, folder, folder / "control-group")
        self.belonging.follow(os.getpid())
        marks = {TOKEN_VARIABLE: job.token, process_group.HOME_VARIABLE: str(folder)}
        self.node_run = NodeRun(
            job,
            programs,
            os.environ | marks | {POSITIONS_VARIABLE: str(folder / "positions")},
            "ringscope.rank",
            self.belonging,
            RankBoard(range(job.ranks)),
            on_log=self.log.append,
            on_proxies=self.proxies.extend,
            drain=nothing,
        )
        never: asyncio.Future[Proxy] = asyncio.get_running_loop().create_future()
        self.outcome = asyncio.create_task(self.node_run.run(never))

    @property
    def mpiexec(self) -> int | None:
        return self.node_run._launchers.get(node_runs.MPIEXEC)


@pytest.fixture
async def running(assignment: Callable[..., Assignment], tmp_path: Path) -> AsyncIterator[Running]:
    running = Running(assignment(), tmp_path)
    yield running
    process_group.kill_now([found for found in running.belonging.processes() if found.pid == running.mpiexec])
    running.outcome.cancel()
    await asyncio.gather(running.outcome, return_exceptions=True)
    await running.node_run.close()
    running.belonging.forget()


async def test_a_stopped_mpiexec_ends_the_run_and_is_named(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopped, "STOPPED_SECONDS", 0.4)
    await eventually(lambda: bool(running.proxies))
    assert running.mpiexec is not None
    os.kill(running.mpiexec, signal.SIGSTOP)
    async with asyncio.timeout(60):
        outcome = await running.outcome
    assert outcome is not None
    assert outcome.reason == "launcher_lost"
    assert outcome.message.startswith(f"mpiexec on node n1 (pid {running.mpiexec}) has been stopped for ")
    assert "(state T: by SIGSTOP or SIGTSTP)" in outcome.message


async def test_a_mpiexec_that_only_waits_is_left_alone(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopped, "STOPPED_SECONDS", 0.4)
    await eventually(lambda: bool(running.proxies))
    _, waiting = await asyncio.wait({running.outcome}, timeout=2.0)
    assert waiting == {running.outcome}


async def test_mpiexec_is_in_the_control_group_of_its_attempt(running: Running) -> None:
    await eventually(lambda: bool(running.proxies))
    assert needed(running.node_run._group).pids() == {running.mpiexec}
