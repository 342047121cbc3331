"""A job over two nodes, whose agents a test speaks for."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server

TWO_NODES = {**ONE_SIZE, "placement": {"ranks": 4, "nodes": 2}}


async def two_nodes(server: Server, **spec: Any) -> tuple[FakeAgent, FakeAgent, int, int]:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**TWO_NODES, **spec)
    await server.one_pass()
    (assignment,) = await first.assignments()
    return first, second, job["id"], assignment["attempt_id"]


async def wait(server: Server, clock: Clock, agents: Sequence[FakeAgent], seconds: int, load: float = 0.0) -> None:
    """Let the seconds pass while the agents poll and the server looks."""
    readings = server.services.readings
    with patch.object(readings, "load_average", lambda node_id: load):
        for _ in range(0, seconds, 5):
            clock.advance(5)
            for agent in agents:
                await agent.assignments()
            await server.one_pass()
