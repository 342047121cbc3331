"""A rank that is stopped keeps its gang waiting for ever, and nothing about it looks wrong but its state."""

import os
import signal
from collections.abc import Callable

import pytest
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Hello
from ringscope_agent import process_group

pytestmark = pytest.mark.long

TARGET_SECONDS = 10.0


async def test_a_stopped_rank_is_named_and_ends_without_waiting_for_the_grace(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment(algorithms=["ring"], iterations=1_000_000).model_copy(update={"grace_seconds": 120.0})
    await agent.start()
    await server.assign(job)
    await server.wait_for("running", 7)
    await server.wait_until(lambda: any(isinstance(r, Hello) and r.rank == 1 for r in server.parsed(7)))
    pid = next(r.pid for r in server.parsed(7) if isinstance(r, Hello) and r.rank == 1)
    os.kill(pid, signal.SIGSTOP)
    stalled = await server.wait_for("stalled", 7, TARGET_SECONDS)
    assert (stalled.rank, stalled.message.partition(" has")[0]) == (1, f"Rank 1 on node n1 (pid {pid})")
    assert process_group.state_of(pid) == "T", "it is the server's to decide what becomes of it"
    await server.update(7, desired="stop")
    await server.wait_for("clean", 7)
    assert process_group.processes_of(job.token) == []
    assert [report.event for report in server.reports].count("stalled") == 1
