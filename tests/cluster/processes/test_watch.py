"""Every process between agent and rank is watched: stopped or killed, before the start, running, after the last row.

Each case: the job ends in time, in a state that fits and names the one that failed; no process is left; the next job
runs.
"""

import signal
import time
from collections.abc import Iterator

import psutil
import pytest
from tests.cluster.lab import eventually
from tests.cluster.processes.two_nodes import NODES, TwoNodes, running_nodes

from ringscope.client.jobs import Job

pytestmark = pytest.mark.long

WHO = ("mpiexec", "hydra_pmi_proxy", "shim", "agent", "rank")
PHASES = ("before the start", "running", "after the last row")
ENDLESS = 1_000_000
LOST_SECONDS = 15.0  # without heartbeats
NAMED_SECONDS = 10.0
LATE_SECONDS = 20.0
# No process may live longer without its agent: it is waited for so long, and then the ranks are asked to end first.
AWAY_SECONDS = 20.0 + 10.0
NAMES = {
    "hydra_pmi_proxy": "hydra_pmi_proxy",
    "mpiexec": "mpiexec",
    "shim": "shim",
    "agent": "agent",
    "rank": "ank",
}


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


@pytest.mark.parametrize("hosts", [1, 2])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
@pytest.mark.parametrize("who", WHO)
def test_whoever_fails_is_named_in_time_and_nothing_is_left(
    nodes: TwoNodes, who: str, number: signal.Signals, phase: str, hosts: int
) -> None:
    job_id, victim = strike(nodes, who, number, phase, hosts)
    struck_at = time.monotonic()
    job = nodes.ended(job_id)
    seconds = time.monotonic() - struck_at
    print(f"{who} {number.name} {phase} {hosts}: {seconds:.1f} s {job.state} {job.reason}: {job.message}")  # noqa: T201
    assert seconds < (LOST_SECONDS if who == "agent" else NAMED_SECONDS) + LATE_SECONDS
    assert fits(job, nodes.lines(job_id), who, number, phase, victim.pid), f"{job.state} {job.reason}: {job.message}"
    eventually(lambda: nodes.left_over() == [], f"the end of {nodes.left_over()}", AWAY_SECONDS + LATE_SECONDS)
    nodes.wait_until_ready()
    assert nodes.ended(nodes.submit(hosts, 5, linger_seconds=0.0)).state == "succeeded"
    # An agent that starts its next spare shim looks like two for a moment.
    eventually(lambda: nodes.left_over() == [], "the end of the next job's processes")


def strike(nodes: TwoNodes, who: str, number: signal.Signals, phase: str, hosts: int) -> tuple[int, psutil.Process]:
    """A job whose process gets a signal in this phase, and that process: of the last node, if it has one of its own."""
    if phase == "before the start" and who in ("shim", "agent"):
        struck = [nodes.find("spare shim" if who == "shim" else who, node) for node in ("n1", "n2")]
        is_replaced = who == "shim" and number == signal.SIGSTOP
        job_id = nodes.submit(hosts, 50 if is_replaced else ENDLESS)
        if number == signal.SIGKILL:
            victim = nodes.find(who, nodes.last_node(job_id))
            victim.send_signal(number)
            return job_id, victim
        for process in struck:
            process.send_signal(number)
        return job_id, struck[-1]
    job_id = nodes.submit(hosts, 50 if phase == "after the last row" else ENDLESS)
    node = nodes.first_node(job_id) if who == "mpiexec" else nodes.last_node(job_id)
    if phase != "before the start":
        nodes.wait_for_state(job_id, "running")
    victim = nodes.find(who, node)
    if phase == "running":
        time.sleep(0.5)
    if phase == "after the last row":
        eventually(lambda: nodes.lines(job_id).count("all is done") == 2, "the end of the work", every_seconds=0.02)
    victim.send_signal(number)
    return job_id, victim


def fits(job: Job, lines: list[str], who: str, number: signal.Signals, phase: str, pid: int) -> bool:
    """Return whether the job's end is one that its fault causes, and names the failed process."""
    if job.state == "succeeded":
        # All was done: whoever failed then took nothing from the job. A spare shim is replaced.
        return phase == "after the last row" or (phase == "before the start" and who == "shim")
    told = " ".join([job.message, *lines])
    if who == "agent":
        return job.reason in ("node_lost", "agent_restarted") and any(name in told for name in NODES)
    is_named = NAMES[who] in told
    if number == signal.SIGSTOP:
        return is_named and f"(pid {pid})" in told and "state T" in told
    return is_named and ("killed" in told or "its process has ended" in told or "crashed" in told)
