"""A training job on a node that speaks as tests say."""

from typing import Any

from tests.server.conftest import FakeAgent, Server
from tests.server.training_records import TRAINING


async def started(server: Server, **more: Any) -> tuple[FakeAgent, int, int]:
    """Node, job and attempt of a training job that runs."""
    agent = await server.node()
    job = await server.submit(**TRAINING | more)
    return agent, job["id"], await agent.start_next()


async def get(server: Server, job_id: int, what: str, **query: Any) -> Any:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}", params=query)
    assert response.status_code == 200, response.text
    return response.json()


async def end(agent: FakeAgent, attempt: int, reason: str = "completed", **more: Any) -> None:
    await agent.report(attempt, "ended", reason=reason, **more)
    await agent.report(attempt, "clean", last_sequence=agent.sequence)


async def again(server: Server, agent: FakeAgent, attempt: int) -> int:
    """The attempt breaks down through no fault of its own, and the next one runs."""
    await end(agent, attempt, "agent_restarted", message="The agent of node n1 was stopped.")
    server.clock.advance(10)
    agent.sequence = 0
    return await agent.start_next()
