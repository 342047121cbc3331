"""Every process between agent and rank is watched for more than a stop: one that is frozen or hangs is named, too.

Each case: the job ends in time, in a state that fits, and names the one that failed; no process is left; the next job
runs.
"""

import os
import platform
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from tests.agent.groups import freezer_of
from tests.cluster.lab import eventually
from tests.cluster.processes.two_nodes import TwoNodes, running_nodes

from ringscope.engine.control_group import VERSION_2
from ringscope.rank.load import crowding

pytestmark = pytest.mark.long

ENDLESS = 1_000_000
NAMED_SECONDS = 10.0
LATE_SECONDS = 20.0
LOST_SECONDS = 15.0  # without heartbeats
AWAY_SECONDS = 20.0
NAMES = {"mpiexec": "mpiexec", "hydra_pmi_proxy": "hydra_pmi_proxy", "shim": "The shim", "rank": "Rank 1"}
# A debugger lets a process begin with a call and is then killed, or writes a jump to itself where the process will
# continue (an x86 instruction). What is left is a process that hangs by itself.
HANGS = {
    "a blocking call": "call (int)sleep(1000)",
    "an endless loop": "set {unsigned short}$pc = 0xfeeb",
}
STATES = {"a blocking call": "state S: it waits, as in a blocking call"}
STATES |= {"an endless loop": "state R: it runs, as in an endless loop"}


@pytest.fixture(scope="module")
def shared_nodes() -> Iterator[TwoNodes]:
    with running_nodes() as nodes:
        yield nodes


@pytest.fixture
def nodes(shared_nodes: TwoNodes) -> Iterator[TwoNodes]:
    shared_nodes.wait_until_ready()
    yield shared_nodes
    with shared_nodes.client() as client:
        for job in client.jobs(limit=None):
            if not job.is_finished:
                client.cancel(job.id)


@contextmanager
def frozen(process: psutil.Process, tree: str) -> Iterator[None]:
    """Freeze the process's control group until the end of the block."""
    with freezer_of(tree) as freezer:
        freezer.freeze(process.pid)
        yield


def let_hang(process: psutil.Process, how: str) -> None:
    """Let the process hang, so that it never returns to its event loop."""
    if (gdb := shutil.which("gdb")) is None:
        pytest.skip("gdb is not installed")
    if how == "an endless loop" and platform.machine() != "x86_64":
        pytest.skip("the jump that gdb writes is an instruction of x86")
    before = process.cpu_times().user
    with subprocess.Popen(
        [gdb, "-nx", "-batch", "-p", str(process.pid), "-ex", HANGS[how]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as debugger:

        def hangs() -> bool:
            assert not debugger.poll(), "gdb cannot do it"
            if how == "an endless loop":
                return process.cpu_times().user > before + 0.5
            return "nanosleep" in Path(f"/proc/{process.pid}/wchan").read_text()

        eventually(hangs, "the hang", every_seconds=0.02)
        debugger.kill()


def ends_in_time(nodes: TwoNodes, job_id: int, most_seconds: float, *words: str) -> None:
    began, most_crowding = time.monotonic(), 1.0

    def is_over() -> bool:
        nonlocal most_crowding
        most_crowding = max(most_crowding, crowding())
        with nodes.client() as client:
            return client.job(job_id).is_finished

    eventually(is_over, "the end of the job")
    seconds = time.monotonic() - began
    job = nodes.ended(job_id)
    said = f"{seconds:.1f} s at {most_crowding:.1f} processes for each core: {job.state} {job.reason}: {job.message}"
    print(said)  # noqa: T201
    assert seconds < most_seconds + LATE_SECONDS + 6.0 * most_crowding, said
    told = " ".join([job.message, *nodes.lines(job_id)])
    assert job.state == "failed" and all(word in told for word in words), said


def is_as_before(nodes: TwoNodes) -> None:
    """No process is left, and the next job runs."""
    eventually(lambda: nodes.left_over() == [], f"the end of {nodes.left_over()}", AWAY_SECONDS + LATE_SECONDS)
    nodes.wait_until_ready()
    assert nodes.ended(nodes.submit(1, 5, linger_seconds=0.0)).state == "succeeded"
    eventually(lambda: nodes.left_over() == [], "the end of the next job's processes")


@pytest.mark.parametrize("hosts", [1, 2])
@pytest.mark.parametrize("tree", [VERSION_2, "freezer"], ids=["version 2", "version 1"])
@pytest.mark.parametrize("who", NAMES)
def test_whoever_is_frozen_is_named_in_time_and_nothing_is_left(
    nodes: TwoNodes, who: str, tree: str, hosts: int
) -> None:
    job_id = nodes.submit(hosts, ENDLESS)
    nodes.wait_for_state(job_id, "running")
    node = nodes.first_node(job_id) if who == "mpiexec" else nodes.last_node(job_id)
    victim = rank_of(nodes, node, 1) if who == "rank" else nodes.find(who, node)
    with frozen(victim, tree):
        ends_in_time(nodes, job_id, NAMED_SECONDS, NAMES[who], f"(pid {victim.pid})", "frozen for", node)
        is_as_before(nodes)


def rank_of(nodes: TwoNodes, node: str, rank: int) -> psutil.Process:
    home = str(nodes.home(node))
    for process in nodes.processes():
        variables = process.environ()
        if variables.get("RINGSCOPE_AGENT_HOME") == home and variables.get("PMI_RANK") == str(rank):
            return process
    raise AssertionError(f"rank {rank} is not on {node}")


@pytest.mark.parametrize("how", HANGS)
def test_a_shim_that_hangs_is_named_in_time_and_nothing_is_left(nodes: TwoNodes, how: str) -> None:
    job_id = nodes.submit(2, ENDLESS)
    nodes.wait_for_state(job_id, "running")
    victim = nodes.find("shim", nodes.last_node(job_id))
    let_hang(victim, how)
    words = ("The shim", f"(pid {victim.pid})", "has not answered for", STATES[how])
    ends_in_time(nodes, job_id, NAMED_SECONDS, *words)
    is_as_before(nodes)


@pytest.mark.parametrize("how", [*HANGS, "frozen"])
def test_an_agent_that_hangs_is_lost_and_its_shim_ends_the_ranks(nodes: TwoNodes, how: str) -> None:
    job_id = nodes.submit(1, ENDLESS)
    nodes.wait_for_state(job_id, "running")
    node = nodes.last_node(job_id)
    victim, shim = nodes.find("agent", node), nodes.find("shim", node)
    with ExitStack() as stack:
        if how == "frozen":
            stack.enter_context(frozen(victim, "freezer"))
        else:
            let_hang(victim, how)
        ends_in_time(nodes, job_id, LOST_SECONDS, node)
        is_gone: Callable[[], bool] = lambda: not shim.is_running() or shim.status() == psutil.STATUS_ZOMBIE  # noqa: E731
        eventually(is_gone, "the shim's end", AWAY_SECONDS * max(1.0, crowding()) + LATE_SECONDS)
        word = "frozen for" if how == "frozen" else "not answered for"
        assert word in said_by_shim(nodes, node), said_by_shim(nodes, node)
        if how != "frozen":
            os.kill(victim.pid, 9)
            nodes.kill_agent(node)
    is_as_before(nodes)


def said_by_shim(nodes: TwoNodes, node: str) -> str:
    """The last words of the attempt's shim, which the next agent reads."""
    return "".join(path.read_text() for path in nodes.home(node).rglob("status.json"))
