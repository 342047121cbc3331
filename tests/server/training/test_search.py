"""Strategy searches on the server: what an attempt tells, the verdict, and the retry after a killed rank."""

from typing import Any

from tests.server.conftest import FakeAgent, Server
from tests.server.training_jobs import end, get

NAMES = ["mirrored-ring", "torch_ddp"]
SEARCH: dict[str, Any] = {
    "kind": "strategy_search",
    "strategy_search": {"strategies": NAMES},
    "placement": {"ranks": 2},
}
PLAN = {
    "type": "search_plan",
    "rank": 0,
    "candidates": NAMES,
    "left_out": [{"name": "pipeline", "reason": "Too few layers."}],
}
STEP_US = {"mirrored-ring": 1000.0, "torch_ddp": 1500.0}


def begin(name: str, number: int) -> dict[str, Any]:
    return {"type": "search_begin", "rank": 0, "candidate": name, "round": number}


def run(name: str, number: int, **more: Any) -> dict[str, Any]:
    step_us = STEP_US[name] * (1 + 0.01 * number)
    parts = {"compute_us": 0.7 * step_us, "exposed_us": 0.3 * step_us, "exchanged_bytes": 1000.0, "seconds": 2.0}
    told = {"type": "search_run", "rank": 0, "candidate": name, "round": number, "samples": 64}
    return told | {"blocks_us": [step_us, 1.01 * step_us, 0.99 * step_us]} | parts | more


def of_round(number: int) -> list[dict[str, Any]]:
    return [record for name in NAMES for record in (begin(name, number), run(name, number))]


async def events(server: Server, job_id: int, action: str) -> list[dict[str, Any]]:
    query = {"target_type": "job", "target_id": str(job_id), "action": action}
    answer = await server.admin.get("/api/v1/events", params=query)
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def searching(server: Server, **more: Any) -> tuple[FakeAgent, int, int]:
    agent = await server.node()
    job = await server.submit(**SEARCH | more)
    return agent, job["id"], await agent.start_next()


async def test_the_verdict_follows_the_runs_and_the_job_ends_with_the_winner(server: Server) -> None:
    agent, job_id, attempt = await searching(server)
    assert (await get(server, job_id, "search"))["sentence"] == "No candidate has run yet."
    await agent.records(attempt, PLAN, *of_round(0), begin("torch_ddp", 1))
    found = await get(server, job_id, "search")
    assert found["running"] == {"name": "torch_ddp", "round": 1, "epochs": None}
    assert (found["winner"], found["runs"], found["is_complete"]) == (None, 2, False)
    assert [line["state"] for line in found["candidates"]] == ["unbeaten", "unbeaten", "left_out"]
    assert (await server.job(job_id))["progress"]["done"] == 2
    await agent.records(attempt, run("torch_ddp", 1), begin("mirrored-ring", 1), run("mirrored-ring", 1), *of_round(2))
    found = await get(server, job_id, "search")
    assert (found["winner"], found["is_complete"]) == ("mirrored-ring", True)
    assert found["sentence"].startswith("mirrored-ring is the fastest with 63,")
    await end(agent, attempt)
    job = await server.job(job_id)
    assert job["state"] == "succeeded" and job["summary"]["winner"] == "mirrored-ring"
    assert job["summary"]["verdict"] == found["sentence"]


async def test_with_a_target_the_first_one_there_wins(server: Server) -> None:
    search = SEARCH["strategy_search"] | {"target_accuracy": 0.9}
    agent, job_id, attempt = await searching(server, strategy_search=search)
    begun = {"type": "search_begin", "rank": 0, "candidate": "mirrored-ring", "epochs": 4}
    await agent.records(attempt, PLAN, *of_round(0), *of_round(1), *of_round(2), begun)
    found = await get(server, job_id, "search")
    assert (found["winner"], found["is_complete"]) == (None, False) and found["running"]["epochs"] == 4
    reached = {"accuracy": 0.95, "seconds_to_target": 1.5, "epochs_to_target": 2, "steps_seconds": 3.0, "seconds": 4.0}
    told = {"type": "search_target", "rank": 0, "candidate": "mirrored-ring", "epochs": 4}
    await agent.records(attempt, told | reached)
    found = await get(server, job_id, "search")
    assert (found["winner"], found["is_complete"], found["runs"]) == ("mirrored-ring", True, 7)
    assert found["sentence"].startswith("mirrored-ring reaches the accuracy of 90.0% first, after 1.5 s of steps")


async def test_a_killed_rank_costs_its_run_and_the_next_attempt_tells_all_runs_again(server: Server) -> None:
    agent, job_id, attempt = await searching(server)
    await agent.records(attempt, PLAN, *of_round(0), begin("torch_ddp", 1))
    await end(agent, attempt, "rank_signal", message="Rank 1 was killed.")
    assert (await server.job(job_id))["state"] == "queued"
    server.clock.advance(10)
    agent.sequence = 0
    second = await agent.start_next()
    failed = run("torch_ddp", 1, blocks_us=[], failure="The attempt ended during this run.")
    await agent.records(second, PLAN, run("mirrored-ring", 0), run("torch_ddp", 0), failed)
    found = await get(server, job_id, "search")
    assert found["runs"] == 3 and [line["runs"] for line in found["candidates"]] == [1, 1, 0]
    (lost,) = await events(server, job_id, "search.run_lost")
    assert lost["after"] == "torch_ddp, round 2"
    assert lost["message"] == (
        "The run of torch_ddp, round 2 was lost: The attempt ended during this run. Rank 1 was killed."
    )
    await agent.records(second, begin("torch_ddp", 1), run("torch_ddp", 1))
    assert len(await events(server, job_id, "search.run_lost")) == 1
    assert (await get(server, job_id, "search", attempt=1))["runs"] == 2


async def test_a_candidate_that_leaves_is_an_event_with_its_reason_once(server: Server) -> None:
    agent, job_id, attempt = await searching(server)
    await agent.records(attempt, PLAN, *of_round(0), *of_round(1))
    assert await events(server, job_id, "search.candidate_left") == []
    await agent.records(attempt, *of_round(2))
    await agent.records(attempt, begin("mirrored-ring", 3))
    (left,) = await events(server, job_id, "search.candidate_left")
    assert left["after"] == "torch_ddp"
    assert left["message"].startswith("torch_ddp left after round 3. It takes 1.50 (1.50 to 1.50) times as long as")


async def test_an_error_outside_of_a_run_is_not_tried_again(server: Server) -> None:
    agent, job_id, attempt = await searching(server)
    await agent.records(attempt, PLAN, begin("mirrored-ring", 0), run("mirrored-ring", 0))
    await end(agent, attempt, "rank_exit", message="strategy_search.budget_seconds: 5 s cannot hold it.")
    assert (await server.job(job_id))["state"] == "failed"


async def test_a_search_whose_runs_are_missing_has_failed(server: Server) -> None:
    agent, job_id, attempt = await searching(server)
    await agent.records(attempt, PLAN, *of_round(0))
    await end(agent, attempt)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("failed", "results_missing")
    assert "in round 2 of the search was not told" in job["message"]


async def test_what_cannot_be_compared_is_refused_at_once(server: Server) -> None:
    await server.node()

    async def refused(**more: Any) -> dict[str, Any]:
        answer = await server.admin.post("/api/v1/jobs", json=SEARCH | more)
        assert answer.status_code == 422, answer.text
        return answer.json()["errors"][0]

    error = await refused(strategy_search={"strategies": ["torch_ddp"]})
    assert error["pointer"] == "/strategy_search/strategies" and "only torch_ddp can run here" in error["detail"]
    error = await refused(strategy_search={"strategies": ["fastest"]})
    assert "there is no candidate fastest" in error["detail"]
    assert (await refused(placement={"ranks": 1}))["pointer"] == "/placement/ranks"
    assert (await refused(time_limit_seconds=10))["pointer"] == "/time_limit_seconds"


async def test_another_kind_of_job_has_no_search(server: Server) -> None:
    await server.node()
    job = await server.submit(kind="training", placement={"ranks": 2})
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/search")
    assert answer.status_code == 409 and answer.json()["code"] == "no_search"


async def test_a_training_job_cannot_tell_a_search(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(kind="training", placement={"ranks": 2})
    attempt = await agent.start_next()
    await agent.records(attempt, PLAN, *of_round(0))
    assert (await server.job(job["id"]))["progress"]["done"] == 0
