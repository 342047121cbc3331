"""POST /jobs."""

from typing import Any

from tests.server.conftest import ONE_SIZE, Server


async def test_a_job_is_queued_and_can_be_found(server: Server) -> None:
    await server.node(slots=2)
    response = await server.admin.post("/api/v1/jobs", json=ONE_SIZE)
    job = response.json()
    assert (response.status_code, job["state"]) == (201, "queued")
    assert response.headers["location"] == f"/api/v1/jobs/{job['id']}"
    assert (await server.job(job["id"]))["spec"]["benchmark"]["max_bytes"] == 1024
    assert job["progress"] == {"done": 0, "total": 2}
    assert job["name"] == "all_reduce ring on 2 ranks"


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"benchmark": {"algorithms": ["rnig"]}}, "/benchmark/algorithms/0", "unknown algorithm 'rnig'; choose one of"),
    ({"benchmark": {"min_bytes": 9, "max_bytes": 8}}, "/benchmark/min_bytes", "9 is larger than max_bytes 8"),
    ({"benchmark": {"iterations": -1}}, "/benchmark/iterations", "-1 is too small; give 1 or more"),
    ({"benchmark": {"warmup": -5}}, "/benchmark/warmup", "-5 is too small; give 0 or more"),
    ({"benchmark": {"algorithms": []}}, "/benchmark/algorithms", "the list is empty"),
    ({"benchmark": {"algorithms": ["ring", "ring"]}}, "/benchmark/algorithms", "named more than once"),
    ({"placement": {"ranks": 0}}, "/placement/ranks", "0 is too small"),
    ({"placement": {"ranks": 64}}, "/placement/ranks", "64 ranks were asked for, but the cluster has 4 slots"),
    ({"placement": {"ranks": 4, "ranks_per_node": 3}}, "/placement/ranks_per_node", "cannot be split"),
    ({"placement": {"ranks": 4, "nodes": 2}}, "/placement/nodes", "do not fit: 1 nodes are there"),
    ({"placement": {"selector": {"gpu": "h100"}}}, "/placement/selector", "no node carries gpu=h100"),
    ({"benchmark": {"algorithms": ["nccl"]}}, "/benchmark/algorithms/0", "algorithm nccl needs a GPU, and no node"),
    ({"benchmark": {"algorithms": ["ring"], "transport": "nccl"}}, "/benchmark/transport", "choose auto."),
    ({"benchmark": {"algorithms": ["ring"], "device": "cuda"}}, "/benchmark/device", "choose auto or cpu."),
    ({"kind": "training", "training": {"device": "cuda"}}, "/training/device", "device cuda needs a GPU"),
    ({"kind": "guess"}, "/kind", "unknown kind 'guess'"),
    ({"kind": "training", "training": {"model": "vgg"}}, "/training/model", "mlp"),
    ({"kind": "script"}, "/script", "a job of kind script needs it"),
    ({"colour": "red"}, "/colour", "there is no such field"),
]


async def test_bad_input_names_the_field_and_the_remedy(server: Server) -> None:
    await server.node(slots=4)
    for spec, pointer, words in BAD:
        response = await server.admin.post("/api/v1/jobs", json=spec)
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"
        problem = response.json()
        assert problem["code"] == "invalid_request"
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
        assert words in problem["errors"][0]["detail"]
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []


async def test_a_gang_over_nodes_of_one_address_is_refused_with_their_names(server: Server) -> None:
    for name in ("n1", "n2"):
        agent = await server.node(name, slots=2)
        await agent.register(address="10.0.0.9")
    response = await server.admin.post("/api/v1/jobs", json=ONE_SIZE | {"placement": {"ranks": 4}})
    assert response.status_code == 422
    assert response.json()["errors"][0]["detail"] == (
        "placement.ranks: only nodes with the same address could hold it: "
        "n1 and n2 have the same address 10.0.0.9. Start each agent with its own --address."
    )
    assert (await server.admin.post("/api/v1/jobs", json=ONE_SIZE | {"placement": {"ranks": 2}})).status_code == 201


async def test_a_cluster_without_nodes_says_how_to_get_one(server: Server) -> None:
    response = await server.admin.post("/api/v1/jobs", json={})
    assert response.status_code == 422
    assert "start an agent" in response.json()["detail"]


async def test_the_same_key_and_body_give_the_same_job(server: Server) -> None:
    await server.node()
    headers = {"Idempotency-Key": "k1"}
    first = await server.admin.post("/api/v1/jobs", json=ONE_SIZE, headers=headers)
    again = await server.admin.post("/api/v1/jobs", json=ONE_SIZE, headers=headers)
    assert again.json()["id"] == first.json()["id"]
    other = await server.admin.post("/api/v1/jobs", json={"name": "other"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert len((await server.admin.get("/api/v1/jobs")).json()["items"]) == 1


async def test_json_that_is_none_is_a_problem_document(server: Server) -> None:
    response = await server.admin.post("/api/v1/jobs", content="{", headers={"Content-Type": "application/json"})
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == ""
