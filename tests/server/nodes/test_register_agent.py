"""POST /agents/register: what a node is, again and again."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, measurement

GPU = {"index": 0, "uuid": "GPU-1", "model": "H200", "memory_bytes": 141 << 30}
NIC = {"name": "ib0", "speed_mbit_per_s": 400_000, "addresses": ["10.0.0.1"]}


async def register(server: Server, agent: FakeAgent, gpus: int = 0, **changes: Any) -> None:
    """The agent comes back with other hardware, or elsewhere."""
    inventory = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1, "nics": [NIC]}
    body = {
        "name": agent.name,
        "address": "n1",
        "slots": agent.slots,
        "metrics_address": "n1:9465",
        "inventory": inventory | {"gpus": [GPU | {"index": index} for index in range(gpus)]},
        "versions": {"ringscope": "0.1.0", "mpi": "MPICH 5.0", "driver": "580.1"},
    }
    answer = await (await agent.speaker()).post("/api/v1/agents/register", json=body | changes)
    assert answer.status_code == 200, answer.text
    agent.epoch = answer.json()["epoch"]


async def node(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = (await server.admin.get("/api/v1/nodes/n1")).json()
    return found


async def test_hardware_networks_and_versions_are_shown(server: Server) -> None:
    agent = await server.node("n1")
    await register(server, agent, gpus=2)
    shown = await node(server)
    assert [gpu["uuid"] for gpu in shown["inventory"]["gpus"]] == ["GPU-1", "GPU-1"]
    assert shown["inventory"]["nics"] == [NIC | {"is_virtual": False}]
    assert (shown["versions"]["mpi"], shown["versions"]["driver"]) == ("MPICH 5.0", "580.1")


async def test_a_node_that_comes_back_with_less_is_degraded_until_somebody_takes_it_so(server: Server) -> None:
    agent = await server.node("n1", 4)
    await register(server, agent, gpus=8)
    assert (await node(server))["observed"] == "ready"
    for _ in range(2):  # a second start of the agent is no repair
        await register(server, agent, gpus=7, slots=3)
        shown = await node(server)
        assert shown["observed"] == "degraded"
        assert shown["observed_reason"].startswith("It has 3 of 4 slots and 7 of 8 GPUs;")
    resumed = (await server.admin.post("/api/v1/nodes/n1/resume")).json()
    assert (resumed["observed"], resumed["observed_reason"]) == ("ready", "")
    await register(server, agent, gpus=7, slots=3)
    assert (await node(server))["observed"] == "ready"


async def test_a_node_that_is_whole_again_is_ready(server: Server) -> None:
    agent = await server.node("n1", 4)
    for gpus, observed in ((8, "ready"), (7, "degraded"), (8, "ready")):
        await register(server, agent, gpus=gpus)
        assert (await node(server))["observed"] == observed
    events = (await server.admin.get("/api/v1/nodes/n1/events")).json()["items"]
    assert [row["after"] for row in events] == ["ready", "ready", "degraded", "ready"]


async def test_a_degraded_node_takes_work_on_what_it_has(server: Server) -> None:
    agent = await server.node("n1", 4)
    await register(server, agent, slots=2)
    job = await server.submit(**ONE_SIZE)
    await agent.start_next()
    assert (await server.job(job["id"]))["state"] == "running"


async def test_fewer_slots_than_are_in_use_give_none_away_twice(server: Server) -> None:
    agent = await server.node("n1", 4)
    first = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    second = await server.submit(**ONE_SIZE)
    other = await agent.start_next()
    await register(server, agent, slots=2)
    shown = await node(server)
    assert (shown["slots_total"], shown["slots_busy"]) == (2, 4)
    assert [slot["job_id"] for slot in shown["slots"]] == [first["id"]] * 2 + [second["id"]] * 2
    await finish(agent, attempt)
    third = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(third["id"]))["state"] == "queued", "ranks on the slots that are gone fill the node"
    agent.sequence = 0
    await finish(agent, other)
    await server.one_pass()
    assert (await server.job(third["id"]))["state"] == "starting"
    assert [slot["slot"] for slot in (await node(server))["slots"]] == [0, 1]


async def finish(agent: FakeAgent, attempt: int) -> None:
    await agent.records(attempt, measurement(), measurement(in_place=True))
    await agent.report(attempt, "ended", reason="completed")
    assert (await agent.report(attempt, "clean", last_sequence=2)).status_code == 204


async def test_a_new_address_reaches_the_whole_gang_and_ends_nothing(server: Server) -> None:
    first, second = await server.node("n1", 1), await server.node("n2", 1)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    await server.one_pass()
    seen = (await second.post("poll", {"seen": -1})).json()["revision"]
    await register(server, first, address="10.0.0.9")
    directives = (await second.post("poll", {"seen": seen})).json()
    (assignment,) = directives["assignments"]
    assert [member["address"] for member in assignment["gang"]] == ["10.0.0.9", "n2"]
    for agent in (first, second):
        await agent.report(assignment["attempt_id"], "ready")
        await agent.report(assignment["attempt_id"], "running")
    assert (await server.job(job["id"]))["state"] == "running"


NO_ADDRESSES = ("", "n1,n2:64", "n1:64", "n1 n2", "-iface")  # each would say something else to mpiexec
NO_NAMES = ("", "a/b", "..", ".", " n1", "n1\n")  # the last ones would poll into 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slots", 0),
        ("slots", 5000),
        ("inventory", {}),
        *(("name", name) for name in NO_NAMES),
        *(("address", address) for address in NO_ADDRESSES),
    ],
)
async def test_a_bad_introduction_is_refused_and_changes_nothing(server: Server, field: str, value: Any) -> None:
    agent = await server.node("n1", 4)
    body = {"name": "n1", "address": "n1", "slots": 4, "metrics_address": "n1:1", "versions": {}}
    body["inventory"] = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1}
    answer = await (await agent.speaker()).post("/api/v1/agents/register", json=body | {field: value})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith(f"/{field}")
    assert await agent.assignments() == []


async def test_a_new_agent_that_reports_no_load_does_not_keep_that_of_the_one_before(server: Server) -> None:
    agent = await server.node("n1", 2)
    await agent.post("poll", {"seen": -1, "reading": {"load_average": 9.0}})
    job = await server.submit(**(ONE_SIZE | {"placement": {"ranks": 2, "quiet": True}}))
    await server.one_pass()
    assert (await server.job(job["id"]))["pending"]["reason"] == "not_quiet"
    await register(server, agent)
    await agent.post("poll", {"seen": -1})  # it cannot measure its load
    (found,) = (await server.admin.get("/api/v1/readings")).json()["items"]
    assert found["load_average"] == [9.0, None]
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "starting"
