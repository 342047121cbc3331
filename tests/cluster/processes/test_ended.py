"""Ended means ended: whatever a script starts neither keeps its job running nor outlives it."""

import time
from collections.abc import Iterator
from uuid import uuid4

import psutil
import pytest
from tests.cluster.lab import eventually
from tests.cluster.processes.two_nodes import TwoNodes, running_nodes

pytestmark = pytest.mark.long

# A job that is held up would run to its time limit.
TIME_LIMIT_SECONDS = 300
BOUND_SECONDS = 60.0
AWAY = """
import os, subprocess, sys, time
import ringscope

def forked_twice(program):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            program()
        os._exit(0)

def run():
    os.execve("/bin/sleep", ["sleep", MARK], {})

def run_without_descriptors():
    os.closerange(0, 1024)
    run()

def wait_under_its_name():
    with open("/proc/self/comm", "w") as name:
        name.write(MARK[:15])
    time.sleep(100_000)

MARK = sys.argv[2]
null = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
comm = ringscope.init()
match sys.argv[1]:
    case "session":
        subprocess.Popen(["sleep", MARK], start_new_session=True)
    case "no environment":
        subprocess.Popen(["/bin/sleep", MARK], env={}, start_new_session=True, **null)
    case "forked twice":
        forked_twice(run)
    case "no descriptors":
        forked_twice(run_without_descriptors)
    case "inherited descriptors":
        forked_twice(wait_under_its_name)
time.sleep(float(sys.argv[3]))
"""
WAYS = ("session", "no environment", "forked twice", "no descriptors", "inherited descriptors")


@pytest.fixture(scope="module")
def shared_nodes() -> Iterator[TwoNodes]:
    with running_nodes() as nodes:
        (nodes.scripts / "away.py").write_text(AWAY)
        yield nodes


@pytest.fixture
def nodes(shared_nodes: TwoNodes) -> TwoNodes:
    shared_nodes.wait_until_ready()
    return shared_nodes


def submit(nodes: TwoNodes, way: str, mark: str, hosts: int, seconds: float) -> int:
    script = {"file": "away.py", "arguments": [way, mark, str(seconds)]}
    placement = {"ranks": 2, "nodes": hosts, "ranks_per_node": 2 // hosts}
    body = {"kind": "script", "script": script, "placement": placement, "max_attempts": 1, "hang_seconds": 600}
    with nodes.client() as client:
        return client.submit(body | {"time_limit_seconds": TIME_LIMIT_SECONDS}).id


def new_mark() -> str:
    """Return a duration for a sleep that nothing else on this machine uses; it fits into a process's name."""
    return f"9{uuid4().int % 10**8:08d}"


def marked(mark: str) -> list[psutil.Process]:
    """The processes that were started with this mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline()[-1:] == [mark] or process.name() == mark:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("hosts", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_script_leaves_neither_holds_its_job_up_nor_outlives_it(nodes: TwoNodes, way: str, hosts: int) -> None:
    mark = new_mark()
    job_id = submit(nodes, way, mark, hosts, 1.0)
    eventually(lambda: len(marked(mark)) == 2, "the start of both processes", every_seconds=0.05)
    nodes.wait_for_state(job_id, "running", "succeeded")
    began = time.monotonic()
    job = nodes.ended(job_id)
    assert time.monotonic() - began < BOUND_SECONDS
    assert (job.state, marked(mark)) == ("succeeded", []), job.message
    eventually(lambda: nodes.left_over() == [], "the end of every process of the job")


@pytest.mark.parametrize("is_agent_new", [False, True])
@pytest.mark.parametrize("way", ["no environment", "no descriptors"])
def test_what_a_script_started_ends_with_its_shim(nodes: TwoNodes, way: str, is_agent_new: bool) -> None:
    mark = new_mark()
    job_id = submit(nodes, way, mark, 1, 1000.0)
    nodes.wait_for_state(job_id, "running")
    eventually(lambda: len(marked(mark)) == 2, "the start of both processes")
    node = nodes.first_node(job_id)
    shim = nodes.find("shim", node)
    if is_agent_new:
        nodes.kill_agent(node)
        nodes.restart_agents()
        eventually(lambda: nodes.knows_shim(node, shim.pid), "the new agent's word to the shim")
    shim.kill()
    job = nodes.ended(job_id)
    assert (job.state, job.reason, marked(mark)) == ("failed", "launcher_lost", []), job.message
    eventually(lambda: nodes.left_over() == [], "the end of every process of the job")
