"""The collectives that a script called: the newest report of each rank, as one table."""

from typing import Any

import pytest
from tests.server.conftest import Server
from tests.server.training_jobs import again, get, started
from tests.server.training_records import TRAINING, collectives

SCRIPT: dict[str, Any] = {"kind": "script", "script": {"file": "train.py"}, "training": None}


async def test_the_newest_reports_of_all_ranks_are_one_table(server: Server) -> None:
    agent, job_id, attempt = await started(server, **SCRIPT)
    assert await get(server, job_id, "collectives") == {"items": [], "ranks": 0}
    await agent.records(attempt, collectives(0, calls=[1, 1, 1]), collectives(1))
    await agent.records(attempt, collectives(0, time_us=[3_000.0, None, 600.0]))
    found = await get(server, job_id, "collectives")
    assert found["ranks"] == 2
    sums, gather, barrier = found["items"]
    assert sums == {
        "collective": "all_reduce of DDP",
        "least_bytes": 4_194_304,
        "mean_bytes": 4_194_304,
        "ranks": 2,
        "calls": 10,
        "bytes": 41_943_040,
        "time_us": 2_500.0,
        "algbw_gb_per_s": pytest.approx(4_194_304 / 2_500 / 1e3),
    }
    assert (gather["mean_bytes"], gather["time_us"], gather["algbw_gb_per_s"]) == (96, None, None)
    assert (barrier["collective"], barrier["time_us"], barrier["algbw_gb_per_s"]) == ("barrier", 500.0, None)


async def test_what_only_some_ranks_called_says_how_many(server: Server) -> None:
    agent, job_id, attempt = await started(server, **SCRIPT)
    few = {"name": ["barrier"], "least_bytes": [0], "calls": [7], "bytes": [0], "time_us": [0.0]}
    await agent.records(attempt, collectives(0), collectives(1, **few))
    items = (await get(server, job_id, "collectives"))["items"]
    told = [(line["collective"], line["ranks"], line["calls"], line["time_us"]) for line in items]
    assert told == [("all_reduce of DDP", 1, 10, 2_000.0), ("all_gather", 1, 4, None), ("barrier", 2, 7, 400.0)]


async def test_each_attempt_has_its_own(server: Server) -> None:
    agent, job_id, attempt = await started(server, **SCRIPT)
    await agent.records(attempt, collectives(0))
    await again(server, agent, attempt)
    assert (await get(server, job_id, "collectives"))["items"] == []
    assert len((await get(server, job_id, "collectives", attempt=1))["items"]) == 3


async def test_a_job_of_another_kind_has_none(server: Server) -> None:
    agent, job_id, attempt = await started(server, **TRAINING)
    await agent.records(attempt, collectives(0))
    assert await get(server, job_id, "collectives") == {"items": [], "ranks": 0}
