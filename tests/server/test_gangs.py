"""A gang's life, as two agents tell it."""

import pytest
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement

TWO_NODES = {**ONE_SIZE, "placement": {"ranks": 4, "nodes": 2}}


async def two_nodes(server: Server) -> tuple[FakeAgent, FakeAgent, int, int]:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**TWO_NODES)
    await server.one_pass()
    (assignment,) = await first.assignments()
    return first, second, job["id"], assignment["attempt_id"]


async def test_every_node_must_be_ready_before_anything_is_launched(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    (assignment,) = await first.assignments()
    assert assignment["desired"] == "prepare"
    assert [(m["node"], m["slots"]) for m in assignment["gang"]] == [("n1", 2), ("n2", 2)]
    await first.report(attempt, "ready")
    assert (await first.assignments())[0]["desired"] == "prepare"
    await second.report(attempt, "ready")
    assert (await first.assignments())[0]["desired"] == "launch"
    assert (await server.job(job_id))["state"] == "starting"


async def test_the_first_nodes_proxies_reach_every_node(server: Server) -> None:
    first, second, _, attempt = await two_nodes(server)
    proxies = [{"control_host": "n1", "control_port": 5000, "proxy_id": i} for i in range(2)]
    await first.report(attempt, "proxies", proxies=proxies)
    assert (await first.assignments())[0]["proxy"] == proxies[0]
    assert (await second.assignments())[0]["proxy"] == proxies[1]


async def test_it_runs_once_all_ranks_run_and_succeeds_once_all_rows_came(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for agent in (first, second):
        await agent.report(attempt, "ready")
    await first.report(attempt, "running")
    assert (await server.job(job_id))["state"] == "starting"
    await second.report(attempt, "running")
    assert (await server.job(job_id))["state"] == "running"
    await first.records(attempt, measurement(), measurement(in_place=True))
    await first.report(attempt, "ended", reason="completed")
    assert (await server.job(job_id))["state"] == "running"
    await second.report(attempt, "ended", reason="completed")
    assert (await server.job(job_id))["state"] == "stopping"
    await first.report(attempt, "clean", last_sequence=2)
    await second.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("succeeded", "completed")
    assert job["progress"] == {"done": 2, "total": 2}
    events = (await server.admin.get(f"/api/v1/jobs/{job_id}/events")).json()["items"]
    assert [event["after"] for event in events] == ["queued", "starting", "running", "stopping", "succeeded"]


async def test_clean_counts_only_once_the_records_have_arrived(server: Server) -> None:
    first, _, _, attempt = await two_nodes(server)
    refused = await first.report(attempt, "clean", last_sequence=3)
    assert (refused.status_code, refused.json()["code"]) == (412, "records_missing")


@pytest.mark.parametrize(
    ("rows", "state", "reason"),
    [
        ([measurement(), measurement(in_place=True, wrong=7)], "failed", "verification_failed"),
        ([measurement()], "failed", "results_missing"),
        ([measurement(), measurement(in_place=True)], "succeeded", "completed"),
    ],
)
async def test_rows_decide_whether_it_succeeded(server: Server, rows: list[dict], state: str, reason: str) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *rows)
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=len(rows))
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == (state, reason)


async def test_a_refusal_fails_the_job_with_the_nodes_own_words(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "refused", message="mpi4py is missing.")
    await first.report(attempt, "clean")
    await second.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["reason"], job["message"]) == ("launch_failed", "Node n2 cannot run it: mpi4py is missing.")


async def test_the_first_reason_stays(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "ended", reason="rank_signal", message="Rank 3 on n2 was killed by signal 9.")
    await first.report(attempt, "ended", reason="rank_exit", message="mpiexec ended.")
    assert (await server.job(job_id))["reason"] == "rank_signal"


async def test_slots_are_taken_until_proven_free(server: Server) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    waiting = await server.submit(**ONE_SIZE)
    await server.one_pass()
    pending = (await server.job(waiting["id"]))["pending"]
    assert pending["sentence"] == "Waits for slots: it needs 2, 0 are free now."
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await server.one_pass()
    assert (await server.job(waiting["id"]))["state"] == "queued"
    await agent.report(attempt, "clean")
    await server.one_pass()
    started = await server.job(waiting["id"])
    assert (started["state"], started["pending"]) == ("starting", None)


async def test_a_gang_that_does_not_start_in_time_is_stopped(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ready")
    for _ in range(4):
        clock.advance(8)
        for agent in (first, second):
            await agent.assignments()
    await server.one_pass()
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "launch_failed")
    assert "did not start within 30 s on n1, n2" in job["message"]


async def test_the_time_limit_ends_a_running_job(server: Server, clock: Clock) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE, time_limit_seconds=20)
    await agent.start_next()
    for _ in range(3):
        clock.advance(8)
        await agent.assignments()
    await server.one_pass()
    assert (await server.job(job["id"]))["reason"] == "time_limit"


async def test_a_lost_node_ends_the_job_but_keeps_its_slots(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for agent in (first, second):
        await agent.report(attempt, "ready")
        await agent.report(attempt, "running")
    clock.advance(10)
    await first.assignments()
    clock.advance(10)
    await server.one_pass()
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "node_lost")
    assert job["message"].startswith("Node n2 is lost")
    await first.report(attempt, "clean")
    assert (await server.job(job_id))["state"] == "failed"
    lost = (await server.admin.get("/api/v1/nodes/n2")).json()
    assert (lost["observed"], lost["slots_busy"]) == ("lost", 2)
    assert (await second.assignments())[0]["desired"] == "stop"
    await second.report(attempt, "clean")
    back = (await server.admin.get("/api/v1/nodes/n2")).json()
    assert (back["observed"], back["slots_busy"]) == ("ready", 0)
