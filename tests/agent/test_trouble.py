"""How ranks can end badly, with real processes under a real mpiexec."""

import signal
from collections.abc import Callable

import pytest

from ringscope.protocol import Assignment
from ringscope.record import Log
from ringscope_agent import process_group

from .conftest import AgentProcess
from .fake_server import FakeServer


async def drill(server: FakeServer, agent: AgentProcess, job: Assignment, fault: str) -> None:
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT=fault)
    await server.assign(job)


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
