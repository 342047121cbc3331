"""Real ranks under a real mpiexec fail or are ended, and the agent names the rank, the node and the cause."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Log
from ringscope_agent import process_group


async def drill(server: FakeServer, agent: AgentProcess, job: Assignment, fault: str, *flags: str) -> None:
    await agent.start(*flags, RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT=fault)
    await server.assign(job)


async def grandchild_of(server: FakeServer) -> int:
    """Pid of the double-forked child of rank 1."""

    def pids() -> list[int]:
        texts = [record.get("text", "") for record in server.records[7]]
        return [int(text.split()[1]) for text in texts if text.startswith("grandchild")]

    await server.wait_until(pids)
    return pids()[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "reason", "message", "rank", "exit_code"),
    [
        ("exit", "rank_exit", "Rank 1 on node n1 ended with exit code 5.", 1, 5),
        ("segfault", "rank_signal", "Rank 1 on node n1 was killed by SIGSEGV (11).", 1, -11),
        ("tell", "oom", "Rank 1 has no memory for 64 GiB.", 1, 1),
        (
            "mute",
            "rank_exit",
            "Rank 1 on node n1 ended with exit code 1: ModuleNotFoundError: No module named 'engine'",
            1,
            1,
        ),
    ],
)
async def test_the_sentence_names_rank_node_and_cause(
    server: FakeServer,
    agent: AgentProcess,
    assignment: Callable[..., Assignment],
    fault: str,
    reason: str,
    message: str,
    rank: int,
    exit_code: int,
) -> None:
    job = assignment()
    await drill(server, agent, job, fault)
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message, ended.rank, ended.exit_code) == (reason, message, rank, exit_code)
    await server.wait_for("clean", 7)
    assert process_group.processes_of(job.token) == []


async def test_ranks_see_nothing_of_the_agents_own(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await drill(server, agent, assignment(), "tell")
    await server.wait_for("clean", 7)
    logs = [r for r in server.parsed(7) if isinstance(r, Log) and r.text.startswith("environment")]
    assert {r.rank for r in logs} == {0, 1}
    assert {r.text for r in logs} == {
        "environment RINGSCOPE_AGENT_HOME RINGSCOPE_ATTEMPT_TOKEN RINGSCOPE_FAULT RINGSCOPE_NODE_ADDRESS "
        "RINGSCOPE_POSITIONS RINGSCOPE_SOCKET RINGSCOPE_SPEC RINGSCOPE_STACKS RINGSCOPE_STEPS RINGSCOPE_TUNING"
    }


@pytest.mark.long
async def test_the_ranks_of_a_script_are_told_where_it_and_their_checkpoints_lie(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("")
    spec = JobSpec.model_validate({"kind": "script", "script": {"file": "train.py", "device": "cpu"}})
    job = assignment().model_copy(update={"spec": spec})
    await drill(server, agent, job, "tell", "--scripts", str(tmp_path))
    await server.wait_for("clean", 7)
    (names,) = {r.text for r in server.parsed(7) if isinstance(r, Log) and r.text.startswith("environment")}
    assert {"RINGSCOPE_CHECKPOINTS", "RINGSCOPE_SCRIPTS"} <= set(names.split())
    assert (agent.data_dir / "checkpoints" / f"job-{job.job_id}").is_dir()


@pytest.mark.long  # tests/cluster/engine/test_rank.py finds it, tests/agent/launch/test_outcome.py says so
async def test_a_wrong_element_ends_as_verification_failed(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_FAULT="wrong_element")
    await server.assign(assignment(algorithms=["ring"]))
    ended = await server.wait_for("ended", 7)
    assert ended.reason == "verification_failed"
    assert "wrong element" in ended.message
    await server.wait_for("clean", 7)


@pytest.mark.long
async def test_stop_ends_what_ignores_sigterm_and_what_left_its_session(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await drill(server, agent, job, "stubborn")
    await server.wait_for("running", 7)
    grandchild = await grandchild_of(server)
    assert grandchild in {process.pid for process in process_group.processes_of(job.token)}
    await server.update(7, desired="stop")
    clean = await server.wait_for("clean", 7)
    assert process_group.processes_of(job.token) == []
    assert clean.last_sequence == len(server.records[7])
    assert not any(r.event == "ended" for r in server.reports)


@pytest.mark.long
async def test_a_torn_record_is_dropped_and_the_rank_counts_as_lost(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await drill(server, agent, assignment(), "torn")
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.rank) == ("rank_exit", 1)
    assert ended.message == "Rank 1 on node n1 ended before it had finished its program."


@pytest.mark.long  # as a node with a lifetime, which also leaves
async def test_sigterm_ends_the_ranks_tells_the_server_and_leaves_nothing(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await drill(server, agent, job, "stubborn")
    await server.wait_for("running", 7)
    agent.signal(signal.SIGTERM)
    code, _ = await agent.ended()
    assert code == 0
    assert process_group.processes_of(job.token) == []
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message) == ("agent_restarted", "The agent of node n1 was stopped.")
    await server.wait_for("clean", 7)


@pytest.mark.long
async def test_sigterm_leaves_nothing_when_the_server_is_away(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await drill(server, agent, job, "stubborn")
    await server.wait_for("running", 7)
    await server.stop()
    agent.signal(signal.SIGTERM)
    code, _ = await agent.ended()
    assert code == 0
    assert process_group.processes_of(job.token) == []
    await server.start()


async def test_a_node_with_a_lifetime_leaves_once_its_ranks_are_gone(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await drill(server, agent, job, "stubborn", "--leaves-at", "2100-01-01T00:00:00Z")
    await server.wait_for("running", 7)
    agent.signal(signal.SIGTERM)
    code, _ = await agent.ended()
    assert (code, server.has_left) == (0, True)
    assert process_group.processes_of(job.token) == []
    assert server.registrations[0].leaves_at == datetime(2100, 1, 1, tzinfo=UTC)
    ended = await server.wait_for("ended", 7)
    assert ended.message == "The agent of node n1 was stopped: its allocation ended."
    await server.wait_for("clean", 7)


@pytest.mark.long  # tests/agent/launch/test_outcome.py has it of ranks that the agent killed
async def test_ranks_that_a_batch_system_kills_with_their_agent_are_no_fault_of_their_own(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await drill(server, agent, job, "stubborn", "--leaves-at", "2100-01-01T00:00:00Z")
    await server.wait_for("running", 7)
    for process in process_group.processes_of(job.token):
        with contextlib.suppress(ProcessLookupError):  # it went with another one
            os.kill(process.pid, signal.SIGKILL)
    agent.signal(signal.SIGTERM)
    code, _ = await agent.ended()
    assert (code, server.has_left) == (0, True)
    assert (await server.wait_for("ended", 7)).reason == "agent_restarted"


@pytest.mark.long
async def test_an_agent_without_work_leaves_by_itself_before_its_time_is_over(
    server: FakeServer, agent: AgentProcess
) -> None:
    await agent.start("--leaves-at", str(int(time.time()) + 25))
    code, _ = await agent.ended()
    assert (code, server.has_left) == (0, True)
    assert time.time() < server.registrations[0].leaves_at.timestamp()
