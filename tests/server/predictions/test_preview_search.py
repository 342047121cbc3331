"""POST /jobs/prediction/strategy_search: the candidates of a search before it is submitted."""

from typing import Any

from tests.server.conftest import Server

SEARCH: dict[str, Any] = {"kind": "strategy_search", "placement": {"ranks": 3}}
PATH = "/api/v1/jobs/prediction/strategy_search"


async def ask(server: Server, **search: Any) -> dict[str, Any]:
    answer = await server.admin.post(PATH, json=SEARCH | {"strategy_search": search})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_candidates_that_cannot_run_are_named_with_their_reasons(server: Server) -> None:
    await (await server.node(slots=4)).register(versions={"torch": "2.13.0"})
    found = await ask(server, strategies=["torch_ddp", "mirrored-ring", "pipeline", "tf_mirrored"])
    assert found["candidates"] == ["torch_ddp", "mirrored-ring"]
    assert found["left_out"] == [
        {"name": "pipeline", "reason": "stages: 3 ranks are no multiple of 2 stages; change one of them."},
        {
            "name": "tf_mirrored",
            "reason": "a node has no tensorflow, which it needs: pip install 'ringscope[tensorflow]' there.",
        },
    ]
    assert (found["nodes"], found["warnings"]) == ([{"node": "n1", "ranks": 3}], [])
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []


async def test_fewer_than_two_candidates_are_a_warning(server: Server) -> None:
    await (await server.node(slots=3)).register(versions={"torch": "2.13.0"})
    found = await ask(server, strategies=["torch_ddp", "pipeline"])
    assert found["candidates"] == ["torch_ddp"]
    assert "compares at least 2, and only torch_ddp can run here" in found["warnings"][0]


async def test_no_candidate_runs_where_no_node_can_hold_the_ranks_or_train(server: Server) -> None:
    agent = await server.node(slots=2)
    await agent.register(versions={"torch": "2.13.0"})
    found = await ask(server, strategies=["torch_ddp", "mirrored-ring", "pipeline"])
    assert (found["candidates"], found["nodes"]) == ([], [])
    assert [each["name"] for each in found["left_out"]] == ["pipeline"]  # on any nodes
    (sentence,) = found["warnings"]
    assert sentence.startswith("This cluster could not run it: 3 ranks were asked for, but the cluster has 2 slots")
    await agent.register(versions={"python": "3.12.1"})
    found = await ask(server, strategies=["torch_ddp", "tf_mirrored"])
    (sentence,) = found["warnings"]
    assert found["candidates"] == []
    assert sentence.startswith("This cluster could not run it: no node runs jobs of kind strategy_search; pip")


async def test_an_unknown_name_and_another_kind_of_job_are_refused(server: Server) -> None:
    await server.node()
    answer = await server.admin.post(PATH, json=SEARCH | {"strategy_search": {"strategies": ["horovod"]}})
    error = answer.json()["errors"][0]
    assert (answer.status_code, error["pointer"]) == (422, "/strategy_search/strategies")
    assert "there is no candidate horovod" in error["detail"]
    answer = await server.admin.post(PATH, json={"kind": "training"})
    assert "give kind strategy_search" in answer.json()["errors"][0]["detail"]


async def test_the_forecast_has_the_sums_that_the_model_knows(server: Server) -> None:
    agent = await server.node(slots=2)
    names = ["mirrored-ring", "mirrored-fp16", "torch_ddp", "local_sgd"]
    job = await server.submit(kind="strategy_search", strategy_search={"strategies": names}, placement={"ranks": 2})
    await agent.start_next()
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/search/forecast")
    found = {each["name"]: each for each in answer.json()["candidates"]}
    assert found.keys() == {"mirrored-ring", "local_sgd"} and answer.json()["source"]
    assert found["mirrored-ring"]["algorithm"] == "ring"
    assert 0 < found["local_sgd"]["sums_us"] < found["mirrored-ring"]["sums_us"]  # it averages every 8 steps


async def test_another_kind_of_job_has_no_forecast_of_candidates(server: Server) -> None:
    await server.node()
    job = await server.submit(kind="training", placement={"ranks": 2})
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/search/forecast")
    assert (answer.status_code, answer.json()["code"]) == (409, "no_search")
