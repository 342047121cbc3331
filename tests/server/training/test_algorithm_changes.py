"""Changes of the algorithm that `auto` makes while a job trains, as events of the job."""

from typing import Any

import pytest
from tests.server.conftest import Server
from tests.server.training_jobs import get, started

from ringscope_server.training import algorithm_changes


def change(step: int = 40, **more: Any) -> dict[str, Any]:
    told = {"type": "algorithm_changed", "rank": 0, "step": step, "buckets": 2, "size_bytes": 4096}
    return told | {"before": "ring", "after": "hierarchical", "because": "Sums became 3 times slower."} | more


async def told(server: Server, job_id: int) -> list[tuple[str, str, str]]:
    events = (await get(server, job_id, "events"))["items"]
    return [
        (event["before"], event["after"], event["message"])
        for event in events
        if event["action"] == "job.algorithm_changed"
    ]


async def test_each_change_is_an_event_with_its_reason(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, change(), change(90, before="hierarchical", after="ring", because="It recovered."))
    assert await told(server, job_id) == [
        ("ring", "hierarchical", "From step 40 on hierarchical sums instead of ring. Sums became 3 times slower."),
        ("hierarchical", "ring", "From step 90 on ring sums instead of hierarchical. It recovered."),
    ]


async def test_a_job_has_at_most_so_many_of_them(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithm_changes, "MOST_EVENTS", 3)
    agent, job_id, attempt = await started(server)
    for step in range(5):
        await agent.records(attempt, change(step))
    assert len(await told(server, job_id)) == 3


async def test_a_benchmark_has_none(server: Server) -> None:
    agent = await server.node()
    job = await server.submit()
    attempt = await agent.start_next()
    await agent.records(attempt, change())
    assert await told(server, job["id"]) == []
