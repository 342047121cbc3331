"""Specifications are checked when they come and parsed once: never again by each pass over the queue."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Server, measurement

from ringscope.contracts.job import JobSpec, Placement
from ringscope_server.background.detection import Insights
from ringscope_server.db.models import Job
from ringscope_server.db.specs import SPOILED, read_spec
from ringscope_server.placement import queue


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return a counter of how often each model is parsed from stored fields."""
    found: Counter[str] = Counter()
    for model, method in ((JobSpec, "model_validate"), (Placement, "model_validate_json")):
        make = getattr(model, method)

        def count(*given: Any, _make: Any = make, _name: str = model.__name__, **more: Any) -> Any:
            found[_name] += 1
            return _make(*given, **more)

        monkeypatch.setattr(model, method, count)
    return found


async def test_a_specification_is_parsed_once_for_all_who_ask(server: Server, parsed: Counter[str]) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, time_limit_seconds=598)
    parsed.clear()
    for _ in range(3):
        async with server.services.database.read() as session:
            assert (await read_spec(session, job["id"])).time_limit_seconds == 598
        assert (await server.job(job["id"]))["spec"]["time_limit_seconds"] == 598
        await server.admin.patch(f"/api/v1/jobs/{job['id']}", json={"priority": 51}, headers={"If-Match": "*"})
    assert parsed == {}


async def spoil(server: Server, job_id: int, **fields: Any) -> None:
    """Its specification as it might stand there from another version."""
    async with server.services.database.write() as session:
        job = await session.get_one(Job, job_id)
        job.spec = job.spec | fields


async def outcomes(server: Server) -> list[tuple[str, str | None]]:
    """State and reason of all jobs, the oldest first; a spoiled one cannot be shown."""
    async with server.services.database.read() as session:
        return [(job.state, job.reason) for job in await session.scalars(select(Job).order_by(Job.id))]


@pytest.mark.parametrize("fields", [{"placement": {"ranks": 0}}, {"benchmark": {"algorithms": ["forgotten"]}}])
async def test_a_job_whose_specification_no_longer_validates_fails_alone(
    server: Server, fields: dict[str, Any]
) -> None:
    await server.node(slots=4)
    jobs = [await server.submit(**ONE_SIZE) for _ in range(2)]
    await spoil(server, jobs[0]["id"], **fields)
    await server.one_pass()
    await server.one_pass()
    assert await outcomes(server) == [("failed", "server_error"), ("starting", None)]


@pytest.mark.parametrize("end", [("completed", ""), ("agent_restarted", "The agent was stopped.")])
async def test_a_job_that_is_spoiled_while_it_runs_fails_once_its_nodes_are_clean(
    server: Server, end: tuple[str, str]
) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await server.submit(**ONE_SIZE)
    await spoil(server, job["id"], benchmark={"algorithms": ["forgotten"]})
    await Insights(server.services).look()
    await agent.report(attempt, "ended", reason=end[0], message=end[1])
    await agent.report(attempt, "clean")
    await server.one_pass()
    assert await outcomes(server) == [("failed", "server_error"), ("starting", None)]


async def test_a_job_that_cannot_be_shown_hides_no_other(server: Server) -> None:
    agent = await server.node(slots=2)
    spoiled, other = [(await server.submit(**ONE_SIZE))["id"] for _ in range(2)]
    attempt = await agent.start_next()
    hook = {"name": "pager", "url": "https://93.184.216.34/hook", "events": ["job.*"]}
    assert (await server.admin.post("/api/v1/webhooks", json=hook)).status_code == 201
    await spoil(server, spoiled, benchmark={"algorithms": ["forgotten"]})
    listed = (await server.admin.get("/api/v1/jobs")).json()["items"]
    assert [job["id"] for job in listed] == [other]
    asked = await server.admin.get(f"/api/v1/jobs/{spoiled}")
    assert (asked.status_code, asked.json()["code"]) == (409, "spec_spoiled")
    assert asked.json()["detail"] == f"Job {spoiled}: {SPOILED}"
    assert (await agent.records(attempt, measurement())).status_code == 200
    (order,) = await agent.assignments()
    assert (order["attempt_id"], order["desired"]) == (attempt, "stop")
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean")
    assert (await outcomes(server))[0] == ("failed", "server_error")


async def test_passes_over_a_queue_parse_what_is_new_and_nothing_again(server: Server, parsed: Counter[str]) -> None:
    await server.node(slots=4)
    for _ in range(5):
        await server.submit(**ONE_SIZE, time_limit_seconds=599)
    queue._placement.cache_clear()
    parsed.clear()
    await server.one_pass()
    assert parsed == {"Placement": 1}, "five jobs ask for the same"
    parsed.clear()
    for _ in range(3):
        server.clock.advance(1)
        await server.one_pass()
    assert parsed == {}
    await server.submit(placement={"ranks": 3})
    parsed.clear()
    await server.one_pass()
    assert parsed == {"Placement": 1}
