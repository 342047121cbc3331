"""Jobs that start only while other load leaves their nodes' cores idle."""

from typing import Any

from tests.server.conftest import ONE_SIZE, FakeAgent, Server


async def report_load(agent: FakeAgent, load_average: float) -> None:
    answer = await agent.post("poll", {"seen": -1, "reading": {"load_average": load_average}})
    assert answer.status_code == 200, answer.text


async def test_a_job_waits_until_its_node_is_quiet(server: Server) -> None:
    agent = await server.node("n1")
    await report_load(agent, 1.5)
    quiet: dict[str, Any] = {"placement": {"ranks": 2, "quiet": True}}
    job_id = (await server.submit(**(ONE_SIZE | quiet)))["id"]
    await server.one_pass()
    waiting = await server.job(job_id)
    assert (waiting["state"], waiting["pending"]["reason"]) == ("queued", "not_quiet")
    assert "other load keeps cores busy on n1" in waiting["pending"]["sentence"]
    assert "clone" in waiting["advice"]
    await report_load(agent, 0.5)
    await server.one_pass()
    assert (await server.job(job_id))["state"] == "starting"


async def test_the_load_of_a_job_that_runs_is_not_other_load(server: Server) -> None:
    agent = await server.node("n1")
    await server.submit(**ONE_SIZE)
    await agent.start_next()
    await report_load(agent, 2.0)
    second = await server.submit(**(ONE_SIZE | {"placement": {"ranks": 4, "quiet": True}}))
    await server.one_pass()
    assert (await server.job(second["id"]))["pending"]["reason"] == "slots"
