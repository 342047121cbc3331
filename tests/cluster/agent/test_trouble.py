"""How ranks can end badly, with real processes under a real mpiexec."""

import signal
from collections.abc import Callable

import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.protocol import Assignment
from ringscope.record import Log
from ringscope_agent import process_group


async def drill(server: FakeServer, agent: AgentProcess, job: Assignment, fault: str) -> None:
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT=fault)
    await server.assign(job)


async def grandchild_of(server: FakeServer) -> int:
    """Pid of the double-forked child of rank 1."""

    def pids() -> list[int]:
        texts = [record.get("text", "") for record in server.records[7]]
        return [int(text.split()[1]) for text in texts if text.startswith("grandchild")]

    await server.wait_until(pids)
    return pids()[0]


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
        "environment RINGSCOPE_AGENT_HOME RINGSCOPE_ATTEMPT_TOKEN RINGSCOPE_FAULT RINGSCOPE_POSITIONS "
        "RINGSCOPE_SOCKET RINGSCOPE_SPEC RINGSCOPE_TUNING"
    }


async def test_a_wrong_element_ends_as_verification_failed(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_FAULT="wrong_element")
    await server.assign(assignment(algorithms=["ring"]))
    ended = await server.wait_for("ended", 7)
    assert ended.reason == "verification_failed"
    assert "wrong element" in ended.message
    await server.wait_for("clean", 7)


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


async def test_a_torn_record_is_dropped_and_the_rank_counts_as_lost(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await drill(server, agent, assignment(), "torn")
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.rank) == ("rank_exit", 1)
    assert ended.message == "Rank 1 on node n1 ended before it had finished its program."


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


async def test_sigkill_takes_the_ranks_along_and_the_next_life_says_so(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    server.auto = True
    job = assignment()
    await drill(server, agent, job, "stubborn")
    await server.wait_for("running", 7)
    grandchild = await grandchild_of(server)
    agent.signal(signal.SIGKILL)
    await agent.ended()
    # The grandchild stays, which nobody told to die with its parent.
    await eventually(lambda: [p.pid for p in process_group.processes_of(job.token)] == [grandchild])
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT="stubborn")
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message) == ("agent_restarted", "The agent of node n1 was started again.")
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])
    assert process_group.processes_of(job.token) == []
    # The agent forgets the attempt once the server has taken its word, which is after this test heard it.
    await eventually(lambda: not list((agent.data_dir / "attempts").iterdir()))
