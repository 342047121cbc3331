"""One attempt against a fake server, without ranks: what becomes of a node that is not free."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_server import TOKEN, FakeServer
from tests.agent.test_delivery import REGISTRATION
from tests.agent.test_inventory import fake_nvml

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope_agent import gpus, process_group
from ringscope_agent.attempt import Attempt
from ringscope_agent.checkpoints import Checkpoints
from ringscope_agent.client import ServerClient
from ringscope_agent.home import DataHome
from ringscope_agent.launch import gpu_release, stopped
from ringscope_agent.launch.keepers import Keepers
from ringscope_agent.launch.node_context import NodeContext
from ringscope_agent.launch.programs import MpiPrograms
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

    async def end_processes(find: Callable[[], list[Process]], grace_seconds: float) -> list[Process]:
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


@pytest.fixture
def zombie() -> Iterator[int]:
    """The pid of a process that has lost its memory, and with it its environment: none can be found by its token."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process_group.manage(process.pid)  # as one that hangs in a driver it is not to be reaped
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    yield process.pid
    process_group.release(process.pid)
    process.wait()


async def test_a_rank_that_hangs_in_the_driver_keeps_the_node_from_being_free(
    server: FakeServer,
    context: NodeContext,
    assignment: Callable[..., Assignment],
    tmp_path: Path,
    zombie: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_gpu = {0: list[int](), 1: [zombie, os.getpid()]}
    monkeypatch.setattr(gpus, "pynvml", fake_nvml(on_gpu))
    monkeypatch.setattr(gpu_release, "RELEASE_SECONDS", 0.0)
    monkeypatch.setattr("ringscope_agent.attempt.RETRY_KILL_SECONDS", 0.0)
    server.auto = False
    home = DataHome(tmp_path, "n1")
    job = assignment(device="cuda", algorithms=["ring"], transport="mpi")
    await server.assign(job)
    attempt = Attempt(context, home.new_attempt(job), lambda: "Node n1 is busy.")
    attempt.records.pids[0] = zombie
    attempt.update(job.model_copy(update={"desired": "stop"}))
    life = asyncio.create_task(attempt.run())
    told = await server.wait_for("unclean", 7)
    assert told.message == f"Node n1 cannot end these processes: {zombie} (in the driver of GPU 1); end them by hand."
    assert not attempt.said_clean
    on_gpu[1].remove(zombie)
    await life
    assert [report.event for report in server.reports] == ["unclean", "clean"]
    attempt.records.close()
    home.close()


async def test_a_process_that_came_by_a_ranks_number_is_none_of_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: [os.getpid(), 2**22 + 1]}))
    assert await gpu_release.left_on_gpus({os.getpid(), 2**22 + 1}, "the attempt's token") == []


async def test_a_process_that_lets_go_late_is_waited_for(monkeypatch: pytest.MonkeyPatch, zombie: int) -> None:
    asked: list[int] = []

    def running(handle: int) -> list[SimpleNamespace]:
        asked.append(handle)
        return [SimpleNamespace(pid=zombie)] if len(asked) < 4 else []

    monkeypatch.setattr(gpu_release, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: []}, nvmlDeviceGetComputeRunningProcesses=running))
    assert await gpu_release.left_on_gpus({zombie}, "token") == []
    assert len(asked) == 4


async def test_a_stopped_keeper_is_named_and_the_node_is_clean_again(
    server: FakeServer,
    context: NodeContext,
    assignment: Callable[..., Assignment],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stopped, "STOPPED_SECONDS", 0.4)
    process_group.become_subreaper()
    server.auto = False
    home = DataHome(tmp_path, "n1")
    job = assignment()
    await server.assign(job)
    programs = MpiPrograms(Path("/mpiexec"), Path("/hydra_pmi_proxy"))
    attempt = Attempt(replace(context, programs=programs), home.new_attempt(job), lambda: "")
    life = asyncio.create_task(attempt.run())
    await server.wait_for("ready", 7)
    assert attempt._keeping._link is not None
    pid = attempt._keeping._link.pid
    os.kill(pid, signal.SIGSTOP)
    ended = await server.wait_for("ended", 7)
    assert ended.reason == "launcher_lost"
    assert ended.message.startswith(f"The keeper of the ranks on node n1 (pid {pid}) has been stopped for ")
    attempt.update(job.model_copy(update={"desired": "stop"}))
    await server.wait_for("clean", 7)
    await life
    await eventually(lambda: process_group.read(pid) is None)
    await asyncio.gather(*context.keepers._collecting)
    attempt.records.close()
    home.close()


async def test_a_script_whose_end_cannot_be_proven_keeps_its_slots_and_the_node_says_why(
    server: FakeServer,
    context: NodeContext,
    assignment: Callable[..., Assignment],
    tmp_path: Path,
) -> None:
    server.auto = False
    home = DataHome(tmp_path, "n1")
    spec = JobSpec.model_validate({"kind": "script", "script": {"file": "train.py", "device": "cpu"}})
    job = assignment().model_copy(update={"spec": spec, "desired": "stop"})
    await server.assign(job)
    folder = home.new_attempt(job)
    folder.prepare()
    folder.mark_launched()  # by an agent and a keeper that are gone
    attempt = Attempt(context, folder, lambda: "")
    life = asyncio.create_task(attempt.run())
    unclean = await server.wait_for("unclean", 7)
    assert unclean.message.startswith("Node n1 cannot prove that nothing is left of the script: ")
    assert not attempt.said_clean
    life.cancel()  # a person has released the slots, and the server forgets the attempt
    await asyncio.gather(life, return_exceptions=True)
    attempt.records.close()
    folder.state.boot = "an earlier start of this machine"
    folder.save()
    again = Attempt(context, home.attempts()[0], lambda: "")
    await again.run()
    assert [report.event for report in server.reports] == ["unclean", "clean"]
    again.records.close()
    home.close()
