"""POST /plan/queue."""

from datetime import timedelta
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server


def job(ranks: int = 2, **more: Any) -> dict[str, Any]:
    return {**ONE_SIZE, "placement": {"ranks": ranks} | more.pop("placement", {}), **more}


async def ask(server: Server, spec: dict[str, Any]) -> dict[str, Any]:
    response = await server.admin.post("/api/v1/plan/queue", json=spec)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def iso(clock: Clock, seconds: float) -> str:
    return (clock.now + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


async def test_a_job_that_would_start_now_is_told_where_and_is_not_submitted(server: Server, clock: Clock) -> None:
    await server.node("n1", 2)
    await server.node("n2", 3)
    found = await ask(server, job(3))
    assert found == {
        "starts_now": True,
        "estimated_start": iso(clock, 0),
        "pending": None,
        "shares": [{"node": "n2", "slots": [0, 1, 2]}],
        "placed_because": "",
        "position": 0,
        "delays": [],
        "preempted_jobs": [],
    }
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []


async def test_a_job_that_would_wait_is_told_why_and_until_when(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=4)
    await server.submit(**job(3, time_limit_seconds=50))
    await agent.start_next()
    await server.submit(**job(4, time_limit_seconds=100))
    found = await ask(server, job(2))
    assert (found["starts_now"], found["position"], found["shares"]) == (False, 2, [])
    assert found["pending"]["reason"] == "behind"
    assert found["estimated_start"] == iso(clock, 50 + 100)


async def test_it_comes_true(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=4)
    await server.submit(**job(3, time_limit_seconds=50))
    await agent.start_next()
    planned = await ask(server, job(4))
    submitted = await server.submit(**job(4))
    await server.one_pass()
    pending = (await server.job(submitted["id"]))["pending"]
    assert planned["pending"] == {"reason": pending["reason"], "sentence": pending["sentence"]}
    assert (planned["estimated_start"], planned["position"]) == (pending["estimated_start"], pending["position"])


async def test_a_job_of_higher_priority_says_whom_it_would_delay(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=4)
    await server.submit(**job(4, time_limit_seconds=50))
    await agent.start_next()
    waiting = await server.submit(name="mine", **job(4))
    found = await ask(server, job(4, priority=90, time_limit_seconds=30))
    assert found["estimated_start"] == iso(clock, 50)
    delay = {
        "job_id": waiting["id"],
        "name": "mine",
        "is_simulated": False,
        "from": iso(clock, 50),
        "to": iso(clock, 80),
    }
    assert found["delays"] == [delay]
    assert (await ask(server, job(4)))["delays"] == []


@pytest.mark.both_databases
async def test_a_delayed_job_says_whether_it_is_simulated(server: Server) -> None:
    agent = await server.node(slots=1)
    await server.submit(**job(1, time_limit_seconds=50))
    await agent.start_next()
    cluster = {"transport": "simulated", "topology": {"shape": "4x8"}}
    await server.submit(name="model", benchmark=ONE_SIZE["benchmark"] | cluster)
    await server.submit(name="trained", kind="training", placement={"ranks": 1})
    delays = (await ask(server, job(1, priority=90)))["delays"]
    assert {delay["name"]: delay["is_simulated"] for delay in delays} == {"model": True, "trained": False}


async def test_what_the_cluster_could_never_run_is_refused_as_at_submit(server: Server) -> None:
    await server.node(slots=2)
    response = await server.admin.post("/api/v1/plan/queue", json=job(8))
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, "/placement/ranks")


@pytest.mark.parametrize(
    ("placement", "pointer", "words"),
    [
        ({"gpu_model": "H200"}, "/placement/gpu_model", "no node has GPUs of model H200, no node has a GPU; change"),
        ({"min_gpu_memory_bytes": 5}, "/placement/min_gpu_memory_bytes", "with 5 bytes each, the best have 0"),
        ({"min_memory_bytes": 5}, "/placement/min_memory_bytes", "no node has 5 bytes of memory, the largest has 1"),
        ({"ranks": 3, "same_rack": True}, "/placement/same_rack", "no rack alone holds it"),
        (
            {"ranks": 5},
            "/placement/ranks",
            "different versions could hold it: mpi4py is 4.0 on n3 and missing on n1, n2",
        ),
    ],
)
async def test_what_no_node_has_is_named(server: Server, placement: dict[str, Any], pointer: str, words: str) -> None:
    await server.node("n1", 2, {"rack": "a"})
    await server.node("n2", 2, {"rack": "b"})
    await (await server.node("n3", 2)).register(versions={"ringscope": "0.1.0", "mpi4py": "4.0"})
    response = await server.admin.post("/api/v1/plan/queue", json=job(placement=placement))
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["pointer"] == pointer
    assert words in error["detail"]
