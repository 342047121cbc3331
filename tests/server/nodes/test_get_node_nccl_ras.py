"""GET /nodes/{name}/nccl-ras."""

from typing import Any

from tests.server.conftest import Server

from ringscope.contracts.reading import NodeRasState
from ringscope_server.nodes.ras import KEPT_SECONDS, RasStates

STATE = {"address": "localhost:28028", "age_seconds": 3, "answer": "Rank 1 does not answer.", "communicators": 1}


async def told(server: Server, name: str) -> dict[str, Any]:
    response = await server.admin.get(f"/api/v1/nodes/{name}/nccl-ras")
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def test_the_newest_answer_that_a_heartbeat_carries_is_shown(server: Server) -> None:
    agent = await server.node("n1")
    assert await told(server, "n1") == {"node": "n1", "is_asked": False, "state": None}
    inventory = agent.introduction()["inventory"] | {"nccl_ras": "localhost:28028"}
    await agent.register(inventory=inventory)
    assert (await agent.post("poll", {"seen": -1, "nccl_ras": STATE})).status_code == 200
    answer = await told(server, "n1")
    assert (answer["is_asked"], answer["state"]["answer"]) == (True, "Rank 1 does not answer.")
    assert answer["state"]["age_seconds"] >= 3
    assert (await agent.post("poll", {"seen": -1})).status_code == 200
    assert (await told(server, "n1"))["state"] is None


async def test_there_is_no_state_of_a_node_that_is_not_there(server: Server) -> None:
    assert (await server.admin.get("/api/v1/nodes/n9/nccl-ras")).status_code == 404


def test_an_old_answer_is_forgotten() -> None:
    now = 0.0
    states = RasStates(lambda: now)
    states.note(1, NodeRasState(address="a:1", age_seconds=1))
    now = KEPT_SECONDS - 1
    state = states.of(1)
    assert state is not None and state.age_seconds == KEPT_SECONDS
    now = KEPT_SECONDS + 1
    assert states.of(1) is None
