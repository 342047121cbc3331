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
from tests.agent.fake_nvml import fake_nvml
from tests.agent.fake_server import TOKEN, FakeServer
from tests.agent.telemetry.test_delivery import REGISTRATION

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope_agent import gpus, process_group
from ringscope_agent.attempt import Attempt
from ringscope_agent.checkpoints import Checkpoints
from ringscope_agent.client import ServerClient
from ringscope_agent.home import AttemptFolder, DataHome
from ringscope_agent.launch import gpu_release, stopped
from ringscope_agent.launch.outcome import Outcome
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.process_group import Process
from ringscope_agent.settings import AgentSettings
from ringscope_agent.shim.messages import Status
from ringscope_agent.shim.node_context import NodeContext
from ringscope_agent.shim.pool import ShimPool

Say = Callable[[Status], None]


@pytest.fixture
async def context(server: FakeServer, tmp_path: Path) -> AsyncIterator[NodeContext]:
    client = ServerClient(server.url, TOKEN, REGISTRATION)
    await client.register()
    settings = AgentSettings(name="n1", data_dir=tmp_path)
    exporter, checkpoints = Exporter({}, lambda: 0), Checkpoints(tmp_path, keep_seconds=3600)
    yield NodeContext(settings, client, exporter, ShimPool(tmp_path), checkpoints, "MPICH is not installed.")
    checkpoints.memory.close()
    await client.close()


class Node:
    """An attempt on a node, which does nothing but what the test says."""

    def __init__(self, server: FakeServer, context: NodeContext, tmp_path: Path) -> None:
        self.server = server
        self.context = context
        self.home = DataHome(tmp_path, "n1")
        self._attempts: list[Attempt] = []
        server.auto = False

    async def take(self, job: Assignment, obstacle: str = "") -> Attempt:
        """An attempt that can run, once the server knows of it."""
        await self.server.assign(job)
        return self.of(self.home.new_attempt(job), obstacle)

    def of(self, folder: AttemptFolder, obstacle: str = "") -> Attempt:
        """The attempt of a folder."""
        self._attempts.append(Attempt(self.context, folder, lambda: obstacle))
        return self._attempts[-1]

    @property
    def events(self) -> list[str]:
        """Return the events that were reported to the server, in their order."""
        return [report.event for report in self.server.reports]

    def close(self) -> None:
        """Let another one have the directory."""
        for attempt in self._attempts:
            attempt.records.close()
        self.home.close()


@pytest.fixture
def node(server: FakeServer, context: NodeContext, tmp_path: Path) -> Iterator[Node]:
    node = Node(server, context, tmp_path)
    yield node
    node.close()


def stopped_by_server(job: Assignment) -> Assignment:
    return job.model_copy(update={"desired": "stop"})


async def test_a_node_that_cannot_be_proven_free_says_so_once_and_goes_on_trying(
    node: Node, assignment: Callable[..., Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 0

    async def end_processes(find: Callable[[], list[Process]], grace_seconds: float) -> list[Process]:
        nonlocal rounds
        rounds += 1
        return [Process(4711, 1, "python -m undead"), Process(4712, 1, "sh")] if rounds <= 4 else []

    monkeypatch.setattr(process_group, "end_processes", end_processes)
    monkeypatch.setattr("ringscope_agent.attempt.RETRY_KILL_SECONDS", 0.0)
    job = assignment()
    attempt = await node.take(job, obstacle="Node n1 is busy.")
    life = asyncio.create_task(attempt.run())
    assert (await node.server.wait_for("refused", 7)).message == "Node n1 is busy."
    attempt.update(stopped_by_server(job))
    await life
    assert node.events == ["refused", "unclean", "clean"]
    assert node.server.reports[1].message == (
        "Node n1 cannot end these processes: 4711 (python -m undead), 4712 (sh); end them by hand."
    )


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
    node: Node, assignment: Callable[..., Assignment], zombie: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_gpu = {0: list[int](), 1: [zombie, os.getpid()]}
    monkeypatch.setattr(gpus, "pynvml", fake_nvml(on_gpu))
    monkeypatch.setattr(gpu_release, "RELEASE_SECONDS", 0.0)
    monkeypatch.setattr("ringscope_agent.attempt.RETRY_KILL_SECONDS", 0.0)
    job = assignment(device="cuda", algorithms=["ring"], transport="mpi")
    attempt = await node.take(job)
    attempt.records.pids[0] = zombie
    attempt.update(stopped_by_server(job))
    life = asyncio.create_task(attempt.run())
    told = await node.server.wait_for("unclean", 7)
    assert told.message == f"Node n1 cannot end these processes: {zombie} (in the driver of GPU 1); end them by hand."
    assert not attempt.said_clean
    on_gpu[1].remove(zombie)
    await life
    assert node.events == ["unclean", "clean"]


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


async def test_a_stopped_shim_is_named_and_the_node_is_clean_again(
    node: Node, assignment: Callable[..., Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopped, "STOPPED_SECONDS", 0.4)
    process_group.become_subreaper()
    job = assignment()
    node.context = replace(node.context, programs=MpiPrograms(Path("/mpiexec"), Path("/hydra_pmi_proxy")))
    attempt = await node.take(job)
    life = asyncio.create_task(attempt.run())
    await node.server.wait_for("ready", 7)
    assert attempt._shim._link is not None
    pid = attempt._shim._link.pid
    os.kill(pid, signal.SIGSTOP)
    ended = await node.server.wait_for("ended", 7)
    assert ended.reason == "launcher_lost"
    assert ended.message.startswith(f"The shim of the ranks on node n1 (pid {pid}) has been stopped for ")
    attempt.update(stopped_by_server(job))
    await node.server.wait_for("clean", 7)
    await life
    assert process_group.read(pid) is None
    await asyncio.gather(*node.context.shims._collecting)


async def test_a_spare_shim_that_is_killed_as_it_gets_its_task_is_replaced(
    node: Node, assignment: Callable[..., Assignment]
) -> None:
    process_group.become_subreaper()
    job = assignment()
    node.context = replace(node.context, programs=MpiPrograms(Path("/mpiexec"), Path("/hydra_pmi_proxy")))
    attempt = await node.take(job)
    node.context.shims.prepare()
    assert node.context.shims._spare is not None
    spare = await node.context.shims._spare
    life = asyncio.create_task(attempt.run())
    os.kill(spare.pid, signal.SIGKILL)  # the agent has not heard of it when it hands the task over
    await node.server.wait_for("ready", 7)
    attempt.update(stopped_by_server(job))
    await life
    assert node.events == ["ready", "clean"]
    await asyncio.gather(*node.context.shims._collecting)


async def test_an_elastic_job_gets_the_shim_with_a_standby_process_which_ends_with_the_attempt(
    node: Node, assignment: Callable[..., Assignment]
) -> None:
    process_group.become_subreaper()
    spec = JobSpec.model_validate({"kind": "training", "placement": {"ranks": 2, "min_ranks": 1}})
    job = assignment().model_copy(update={"spec": spec})
    node.context = replace(node.context, programs=MpiPrograms(Path("/mpiexec"), Path("/hydra_pmi_proxy")))
    shims = node.context.shims
    shims.prepare()
    shims.prepare_loaded("1")
    assert shims._spare is not None and shims._loaded is not None
    loaded = await shims._loaded
    attempt = await node.take(job)
    life = asyncio.create_task(attempt.run())
    await node.server.wait_for("ready", 7)
    (standby,) = process_group.children_of(loaded.pid)
    assert b"RINGSCOPE_STANDBY_TOKEN" in process_group.environment_of(standby)
    attempt.update(stopped_by_server(job))
    await life
    assert shims._loaded is None and process_group.read(standby) is None
    await shims.close()
    shims.prepare_loaded("1")
    assert shims._loaded is None, "an agent that stops starts none"
    await asyncio.gather(*shims._collecting)


async def test_a_script_whose_end_cannot_be_proven_keeps_its_slots_and_the_node_says_why(
    node: Node, assignment: Callable[..., Assignment]
) -> None:
    spec = JobSpec.model_validate({"kind": "script", "script": {"file": "train.py", "device": "cpu"}})
    job = assignment().model_copy(update={"spec": spec, "desired": "stop"})
    await node.server.assign(job)
    folder = node.home.new_attempt(job)
    folder.prepare()
    folder.mark_launched()  # by an agent and a shim that are gone
    attempt = node.of(folder)
    life = asyncio.create_task(attempt.run())
    unclean = await node.server.wait_for("unclean", 7)
    assert unclean.message.startswith("Node n1 cannot prove that nothing is left of the script train.py: ")
    next_step = (
        "End there what still runs of the script, then release each of its slots: ringscope release-slot n1 SLOT."
    )
    assert unclean.message.endswith(next_step)
    assert not attempt.said_clean
    life.cancel()  # a person has released the slots, and the server forgets the attempt
    await asyncio.gather(life, return_exceptions=True)
    folder.state.boot = "an earlier start of this machine"
    folder.save()
    await node.of(node.home.attempts()[0]).run()
    assert node.events == ["unclean", "clean"]


# Tells the agent what the test writes, line by line, and ends when it is told to.
SHIM = """
import socket, sys, threading
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print(flush=True)
agent = server.accept()[0]
threading.Thread(target=lambda: [agent.sendall(line.encode()) for line in sys.stdin], daemon=True).start()
for line in agent.makefile():
    if '"close":true' in line:
        break
"""
LOST = Outcome("rank_signal", "Rank 1 on node n1 was killed by SIGKILL (9).", rank=1)


@pytest.fixture
async def kept(node: Node, assignment: Callable[..., Assignment]) -> AsyncIterator[tuple[Attempt, Say]]:
    """An attempt that runs, as an earlier life of the agent has left it, and what lets its shim say something."""
    job = assignment()
    await node.server.assign(job)
    folder = node.home.new_attempt(job)
    folder.prepare()
    folder.mark_launched()
    assert folder.paths is not None
    shim = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SHIM, str(folder.paths.shim_socket)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert shim.stdin is not None and shim.stdout is not None
    await shim.stdout.readline()
    process_group.manage(shim.pid)
    said = shim.stdin
    yield node.of(folder), lambda status: said.write(status.model_dump_json().encode() + b"\n")
    process_group.release(shim.pid)
    said.close()
    await shim.wait()


@pytest.mark.parametrize("is_stop_first", [False, True])
async def test_how_ranks_ended_is_told_whether_the_servers_stop_comes_before_the_shims_word_or_after(
    node: Node, kept: tuple[Attempt, Say], is_stop_first: bool
) -> None:
    attempt, say = kept
    life = asyncio.create_task(attempt.run())
    say(Status(is_listening=True, is_running=True, lost_ranks=[1]))  # and why, it does not know yet
    await eventually(lambda: attempt._shim.has_lost_ranks)
    stop = stopped_by_server(node.server.assignments[7])
    if is_stop_first:
        attempt.update(stop)
        await asyncio.sleep(0)  # the stop is heard
    say(Status(is_listening=True, is_running=True, lost_ranks=[1], outcome=LOST))
    if not is_stop_first:
        await node.server.wait_for("ended", 7)
        attempt.update(stop)
    await life
    assert node.events == ["ready", "running", "ended", "clean"]
    ended = node.server.reports[2]
    assert (ended.reason, ended.rank, ended.message) == (LOST.reason, LOST.rank, LOST.message)


async def test_a_stop_and_a_shims_word_at_the_same_moment_end_in_one_word_and_a_clean_node(
    node: Node, kept: tuple[Attempt, Say]
) -> None:
    attempt, say = kept
    life = asyncio.create_task(attempt.run())
    say(Status(is_listening=True, is_running=True))
    await node.server.wait_for("running", 7)
    say(Status(is_listening=True, is_running=True, outcome=Outcome("completed")))
    attempt.update(stopped_by_server(node.server.assignments[7]))
    await life
    assert node.events in (["ready", "running", "clean"], ["ready", "running", "ended", "clean"])


@pytest.mark.parametrize("turns", range(5))
async def test_a_stop_holds_although_records_come_at_the_same_moment(
    node: Node, kept: tuple[Attempt, Say], turns: int
) -> None:
    """asyncio.wait_for of Python 3.11 forgets that it was cancelled if what it waits for is done at that moment."""
    attempt, say = kept
    life = asyncio.create_task(attempt.run())
    say(Status(is_listening=True, is_running=True))
    await node.server.wait_for("running", 7)
    attempt.update(stopped_by_server(node.server.assignments[7]))
    for _ in range(turns):
        attempt._shim._news.clear()
        await asyncio.sleep(0)
    attempt._shim._news.set()
    async with asyncio.timeout(30):
        await life
    assert node.events == ["ready", "running", "clean"]
