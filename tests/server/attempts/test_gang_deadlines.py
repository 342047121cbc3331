"""A gang's deadlines: each part of its start, and the time limit of its job."""

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server
from tests.server.two_nodes import two_nodes, wait

END = " If that is no fault, give the job a longer start_seconds."


async def test_a_gang_that_does_not_start_in_time_is_stopped_and_tried_again(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ready")
    await wait(server, clock, (first, second), 65)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "start_timeout")
    assert job["message"] == "No rank was started, as 1 of 2 nodes were not ready within 60 s: n2." + END
    assert (job["attempts"][0]["bad_node"], job["attempts"][0]["start_limit_seconds"]) == ("n2", 60)
    for agent in (first, second):
        await agent.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["pending"]["reason"]) == ("queued", "backoff"), "though there are no other nodes"


async def test_an_attempt_after_one_that_did_not_start_in_time_has_twice_as_long(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server, start_seconds=20)
    await wait(server, clock, (first, second), 25)
    for agent in (first, second):
        await agent.report(attempt, "clean")
    await wait(server, clock, (first, second), 10)
    assert (await server.job(job_id))["state"] == "starting", "the next attempt"
    await wait(server, clock, (first, second), 30)
    assert (await server.job(job_id))["state"] == "starting"
    await wait(server, clock, (first, second), 15)
    job = await server.job(job_id)
    assert "were not ready within 40 s" in job["message"]
    assert [attempt["start_limit_seconds"] for attempt in job["attempts"]] == [20, 20], "before it was raised"


async def test_each_part_of_a_start_has_its_own_time(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    agents = (first, second)
    await wait(server, clock, agents, 55)
    for agent in agents:
        await agent.report(attempt, "ready")
    await wait(server, clock, agents, 55)
    proxies = [{"control_host": "n1", "control_port": 1, "proxy_id": number} for number in (0, 1)]
    await first.report(attempt, "proxies", proxies=proxies)
    await wait(server, clock, agents, 55)
    await first.report(attempt, "running")
    await wait(server, clock, agents, 55)
    assert (await server.job(job_id))["state"] == "starting"
    await wait(server, clock, agents, 10)
    job = await server.job(job_id)
    assert job["message"] == "The ranks did not start within 60 s on n2, though mpiexec was ready." + END


async def test_an_mpiexec_that_says_nothing_is_named(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server, start_seconds=20)
    for agent in (first, second):
        await agent.report(attempt, "ready")
    await wait(server, clock, (first, second), 25)
    sentence = "mpiexec on n1 was not ready to start ranks within 20 s, though all nodes were ready."
    assert (await server.job(job_id))["message"] == sentence + END


async def test_a_busy_node_has_longer_to_start_and_the_sentence_tells_its_load(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server, start_seconds=10)
    await first.report(attempt, "ready")
    cores = (await server.admin.get("/api/v1/nodes/n2")).json()["inventory"]["cores"]
    await wait(server, clock, (first, second), 75, load=7.6 * cores)
    assert (await server.job(job_id))["state"] == "starting"
    await wait(server, clock, (first, second), 10, load=7.6 * cores)
    load = f" The limit was raised for the load: n2 has a load of {7.6 * cores:.0f} on {cores} cores."
    sentence = "No rank was started, as 1 of 2 nodes were not ready within 76 s: n2."
    assert (await server.job(job_id))["message"] == sentence + load + END


@pytest.mark.long
async def test_many_nodes_have_longer_to_start_and_only_some_of_the_late_ones_are_named(
    server: Server, clock: Clock
) -> None:
    agents = [await server.node(f"n{number:02}", slots=1) for number in range(24)]
    job_id = (await server.submit(**ONE_SIZE | {"placement": {"ranks": 24}}))["id"]
    await server.one_pass()
    await wait(server, clock, agents, 70)
    assert (await server.job(job_id))["state"] == "starting", "3 s for each of 24 nodes"
    await wait(server, clock, agents, 5)
    sentence = "No rank was started, as 24 of 24 nodes were not ready within 72 s: n00, n01, n02 and 21 more."
    assert (await server.job(job_id))["message"] == sentence + END


async def test_the_time_limit_ends_a_running_job(server: Server, clock: Clock) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE, time_limit_seconds=20)
    await agent.start_next()
    for _ in range(3):
        clock.advance(8)
        await agent.assignments()
    await server.one_pass()
    assert (await server.job(job["id"]))["reason"] == "time_limit"


async def test_a_job_that_ended_in_time_while_the_server_was_away_did_so(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=4)
    jobs, attempts = [], []
    for _ in range(2):
        jobs.append(await server.submit(**ONE_SIZE, time_limit_seconds=20))
        attempts.append(await agent.start_next())
    clock.advance(40)
    server.services.heartbeats.listening.begin(clock())  # it was away just then, and starts again
    await agent.assignments()
    await server.one_pass()
    await agent.report(attempts[0], "ended", reason="completed")
    for _ in range(2):
        clock.advance(8)
        await agent.assignments()
    await server.one_pass()
    assert [(await server.job(job["id"]))["reason"] for job in jobs] == ["completed", "time_limit"]


async def test_a_gang_has_its_time_to_start_again_after_the_server_was_away(server: Server, clock: Clock) -> None:
    first, second, job_id, _ = await two_nodes(server)
    clock.advance(40)
    server.services.heartbeats.listening.begin(clock())  # it was away just then, and starts again
    await wait(server, clock, (first, second), 60)
    assert (await server.job(job_id))["state"] == "starting"
    await wait(server, clock, (first, second), 5)
    assert (await server.job(job_id))["state"] == "stopping"
