"""GET /nodes/{name}/gpus."""

from typing import Any

from tests.server.conftest import Server

from ringscope.contracts.reading import GpuState
from ringscope_server.nodes.gpus import KEPT_SECONDS, GpuStates

STATE = {"index": 0, "uuid": "GPU-0", "model": "NVIDIA H200", "temperature_celsius": 61, "slowed_by": ["power_cap"]}


async def told(server: Server, name: str) -> dict[str, Any]:
    response = await server.admin.get(f"/api/v1/nodes/{name}/gpus")
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def test_the_newest_states_that_a_heartbeat_carries_are_shown(server: Server) -> None:
    agent = await server.node("n1")
    assert await told(server, "n1") == {"node": "n1", "age_seconds": None, "gpus": []}
    assert (await agent.post("poll", {"seen": -1, "gpus": [STATE]})).status_code == 200
    answer = await told(server, "n1")
    assert answer["age_seconds"] >= 0
    assert [(gpu["temperature_celsius"], gpu["slowed_by"]) for gpu in answer["gpus"]] == [(61, ["power_cap"])]
    assert (await agent.post("poll", {"seen": -1})).status_code == 200
    assert (await told(server, "n1"))["gpus"] == []


async def test_there_are_no_gpus_of_a_node_that_is_not_there(server: Server) -> None:
    assert (await server.admin.get("/api/v1/nodes/n9/gpus")).status_code == 404


def test_old_states_are_forgotten() -> None:
    now = 0.0
    states = GpuStates(lambda: now)
    states.note(1, [GpuState(index=0)])
    now = KEPT_SECONDS - 1
    assert len(states.of(1, "n1").gpus) == 1
    now = KEPT_SECONDS + 1
    assert states.of(1, "n1").gpus == []
